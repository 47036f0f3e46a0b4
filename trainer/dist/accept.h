// The program's own accept() and accept4(), which stand in the place of libc's for every library of
// the process. Any thread.
//
// Judged are connections that LibTorch accepts for Gloo and for c10d's store: these take whoever
// connects for a rank, and any user of this host can reach their ports. One of another user is
// closed before a byte of it is read. So is one whose caller has closed already, since the kernel
// knows no more whose it was: nothing is lost by that, because Gloo keeps its connections for as
// long as the group lives and the store answers each caller before that one can leave.
//
// Not judged are those of all others, NCCL above all. Its ranks connect, write and close at once,
// and are accepted later: whoever judged them would throw the ids away by which the ranks find each
// other, and all would wait for ever. NCCL needs no judge: each of its connections begins with the
// 64 random bits of the communicator, which come to a rank by the store, and NCCL drops one that
// begins otherwise.
#pragma once

namespace ringside::dist {

/// Whether the code at this address is LibTorch's, whose connections are judged.
bool accepts_judged(const void* caller);

}  // namespace ringside::dist
