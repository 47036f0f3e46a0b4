// Replaces libc's accept() and accept4() for every library of the process. Any thread.
//
// Connections that LibTorch accepts for Gloo and c10d's store are checked, since these treat every
// peer as a rank, and any user of this host can connect to their ports. A connection of another
// user is closed before anything is read from it. So is one whose peer has already closed, since
// the kernel no longer knows its owner. That loses nothing: Gloo keeps its connections as long as
// the group lives, and the store replies to each client before the client can leave.
//
// Other connections are not checked, above all NCCL's. NCCL's ranks connect, write and close at
// once, and are accepted later; checking them would drop the ids by which the ranks find each
// other, and all ranks would wait forever. NCCL is safe without it: each of its connections begins
// with the 64 random bits of the communicator, which ranks get from the store, and NCCL drops
// others.
#pragma once

namespace ringside::dist {

/// Whether the code at this address is part of LibTorch, whose connections are checked.
bool accepts_judged(const void* caller);

}  // namespace ringside::dist
