// NCCL between processes of one machine. Ranks connect as in the real one: a sender connects,
// writes and closes at once, and the other side accepts later. Data goes through shared memory in
// chunks when its turn on the stream has come; there a rank waits for the others, without blocking
// its host. Groups cannot be split and there is no point-to-point communication; such calls reach
// the real library and fail there.
#include <nccl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "tests/gpu/device.h"

using namespace fake_gpu;

namespace {

constexpr std::size_t kPiece = 4 << 20;

/// Data from one rank to the others, one chunk at a time.
struct Slot {
  std::atomic<std::uint64_t> given;  ///< number of chunks so far
  std::atomic<std::uint64_t> taken;  ///< number of chunks of all ranks that this rank has read
  std::atomic<std::int64_t> at_ns;
  alignas(64) std::array<std::byte, kPiece> data;
};

/// The content of ncclUniqueId: the root's port, and where its process has the shared memory.
struct Meeting {
  std::uint64_t secret = 0;
  int port = 0;
  int pid = 0;
  int memory = -1;
};
static_assert(sizeof(Meeting) <= sizeof(ncclUniqueId));

struct Greeting {
  std::uint64_t secret = 0;
  int rank = 0;
  int ranks = 0;
  int root_port = 0;
  int ring_port = 0;
};

int listener(int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  (void)::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  (void)::listen(fd, 1024);
  (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

bool send_to(int port, const Greeting& greeting) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool sent =
      ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::send(fd, &greeting, sizeof greeting, MSG_NOSIGNAL) == ssize_t{sizeof greeting};
  (void)::shutdown(fd, SHUT_RDWR);
  (void)::close(fd);
  return sent;
}

/// Receives a message with the right secret; others are ignored.
Greeting receive(int listening, std::uint64_t secret) {
  for (;;) {
    const int fd = ::accept(listening, nullptr, nullptr);
    Greeting greeting;
    const auto got = ::recv(fd, &greeting, sizeof greeting, MSG_WAITALL);
    (void)::close(fd);
    if (got == ssize_t{sizeof greeting} && greeting.secret == secret) return greeting;
  }
}

// Sends each rank the port of the next one.
void be_root(int listening, std::uint64_t secret) {
  std::vector<Greeting> all;
  do all.push_back(receive(listening, secret));
  while (static_cast<int>(all.size()) < all.front().ranks);
  (void)::close(listening);
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < all.size(); ++i)
    (void)send_to(all[i].root_port, all[(i + 1) % all.size()]);
}

bool meet(const Meeting& meeting, int ranks, int rank) {
  Greeting own{meeting.secret, rank, ranks, 0, 0};
  const int from_root = listener(own.root_port);
  const int from_ring = listener(own.ring_port);
  bool met = send_to(meeting.port, own);
  if (met) {
    const Greeting next = receive(from_root, meeting.secret);
    met = send_to(next.ring_port, own);
    (void)receive(from_ring, meeting.secret);
  }
  (void)::close(from_root);
  (void)::close(from_ring);
  return met;
}

float to_float(std::uint16_t bits, ncclDataType_t type) {
  if (type == ncclBfloat16) return std::bit_cast<float>(std::uint32_t{bits} << 16U);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
std::uint16_t to_bits(float value, ncclDataType_t type) {
  if (type == ncclFloat16) return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 4;
  }
}

template <class Value>
Value together(Value a, Value b, ncclRedOp_t op) {
  switch (op) {
    case ncclProd:
      return static_cast<Value>(a * b);
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return static_cast<Value>(a + b);
  }
}

}  // namespace

struct ncclComm {
  int rank = 0;
  int ranks = 1;
  int device = 0;
  Slot* slots = nullptr;
  std::uint64_t pieces = 0;
  bool aborted = false;

  template <class Value>
  void reduce(void* into, std::size_t offset, std::size_t bytes, ncclRedOp_t op) const {
    for (std::size_t at = 0; at < bytes; at += sizeof(Value)) {
      Value value{};
      for (int r = 0; r < ranks; ++r) {
        Value other;
        std::memcpy(&other, slots[r].data.data() + offset + at, sizeof other);
        value = r == 0 ? other : together(value, other, op);
      }
      if (op == ncclAvg) value = static_cast<Value>(value / static_cast<Value>(ranks));
      std::memcpy(static_cast<std::byte*>(into) + at, &value, sizeof value);
    }
  }
  void reduce_halves(void* into, std::size_t offset, std::size_t bytes, ncclRedOp_t op,
                     ncclDataType_t type) const {
    for (std::size_t at = 0; at < bytes; at += 2) {
      float value = 0;
      for (int r = 0; r < ranks; ++r) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, slots[r].data.data() + offset + at, 2);
        value = r == 0 ? to_float(bits, type) : together(value, to_float(bits, type), op);
      }
      const auto bits = to_bits(op == ncclAvg ? value / static_cast<float>(ranks) : value, type);
      std::memcpy(static_cast<std::byte*>(into) + at, &bits, 2);
    }
  }
  /// Reduces the chunks of all ranks: `bytes` from `offset` on.
  void reduce(void* into, std::size_t offset, std::size_t bytes, ncclRedOp_t op,
              ncclDataType_t type) const {
    switch (type) {
      case ncclFloat16:
      case ncclBfloat16:
        return reduce_halves(into, offset, bytes, op, type);
      case ncclFloat32:
        return reduce<float>(into, offset, bytes, op);
      case ncclFloat64:
        return reduce<double>(into, offset, bytes, op);
      case ncclInt32:
        return reduce<std::int32_t>(into, offset, bytes, op);
      case ncclUint32:
        return reduce<std::uint32_t>(into, offset, bytes, op);
      case ncclInt64:
        return reduce<std::int64_t>(into, offset, bytes, op);
      case ncclUint64:
        return reduce<std::uint64_t>(into, offset, bytes, op);
      case ncclInt8:
        return reduce<std::int8_t>(into, offset, bytes, op);
      default:
        return reduce<std::uint8_t>(into, offset, bytes, op);
    }
  }

  bool all(std::atomic<std::uint64_t> Slot::*counter, std::uint64_t least) const {
    return std::all_of(slots, slots + ranks,
                       [&](const Slot& slot) { return (slot.*counter).load() >= least; });
  }
};

namespace {

/// Receives the result of a chunk: `bytes` from `offset` on in a rank's data.
using Take = std::function<void(std::size_t offset, std::size_t bytes)>;

/// A rank's part in one collective call, which a recorded step can repeat.
struct Exchange {
  ncclComm* comm;
  const std::byte* give;
  std::size_t bytes;
  Take take;
  std::size_t done = 0;
  bool given = false;

  bool operator()(std::int64_t& at_ns) {
    Slot& own = comm->slots[comm->rank];
    while (!comm->aborted) {
      const std::size_t piece = std::min(kPiece, bytes - done);
      if (!given) {
        if (!comm->all(&Slot::taken, comm->pieces)) return false;
        if (piece > 0) std::memcpy(own.data.data(), give + done, piece);
        own.at_ns = at_ns;
        own.given = comm->pieces + 1;
        given = true;
      }
      if (!comm->all(&Slot::given, comm->pieces + 1)) return false;
      for (int r = 0; r < comm->ranks; ++r) at_ns = std::max(at_ns, comm->slots[r].at_ns.load());
      take(done, piece);
      given = false;
      own.taken = ++comm->pieces;
      done += piece;
      if (done >= bytes) break;
    }
    done = 0;
    return true;
  }
};

ncclResult_t exchange(const char* name, ncclComm* comm, const void* give, std::size_t bytes,
                      cudaStream_t stream, Take take) {
  const auto error = locked([&](Devices& devices) {
    trace("collective", std::string(name) + " " + std::to_string(bytes));
    const auto part = std::make_shared<Exchange>(
        Exchange{comm, static_cast<const std::byte*>(give), bytes, std::move(take)});
    return devices.post(devices.stream(stream),
                        {10'000, [part](std::int64_t& at_ns) { return (*part)(at_ns); }, 0});
  });
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

std::byte* bytes_of(void* memory) { return static_cast<std::byte*>(memory); }

// Writes the log file as with NCCL_DEBUG=INFO.
void say_in_file() {
  const char* name = std::getenv("NCCL_DEBUG_FILE");
  std::FILE* file = name != nullptr ? std::fopen(name, "a") : nullptr;
  if (file == nullptr) return;
  (void)std::fputs("NCCL INFO Bootstrap: Using lo:127.0.0.1<0>\n", file);
  (void)std::fclose(file);
}

ncclComm* make_comm(int ranks, int rank, int device, int memory) {
  void* slots = ::mmap(nullptr, sizeof(Slot) * static_cast<std::size_t>(ranks),
                       PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  return new ncclComm{rank, ranks, device, static_cast<Slot*>(slots), 0, false};
}

int make_memory() { return ::memfd_create("fake nccl", MFD_CLOEXEC); }

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  Meeting meeting;
  std::random_device random;
  meeting.secret = std::uint64_t{random()} << 32U | random();
  meeting.pid = ::getpid();
  meeting.memory = make_memory();
  const int listening = listener(meeting.port);
  std::thread(be_root, listening, meeting.secret).detach();
  std::memset(id, 0, sizeof *id);
  std::memcpy(id, &meeting, sizeof meeting);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* into, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t*) {
  Meeting meeting;
  std::memcpy(static_cast<void*>(&meeting), id.internal, sizeof meeting);
  say_in_file();
  hang("connect");
  if (!meet(meeting, ranks, rank)) return ncclSystemError;
  const std::string path =
      "/proc/" + std::to_string(meeting.pid) + "/fd/" + std::to_string(meeting.memory);
  std::FILE* memory = std::fopen(path.c_str(), "r+");
  if (memory == nullptr) return ncclSystemError;
  const auto size = static_cast<off_t>(sizeof(Slot) * static_cast<std::size_t>(ranks));
  if (::ftruncate(::fileno(memory), size) != 0) return ncclSystemError;
  *into = make_comm(ranks, rank, current_device, ::fileno(memory));
  (void)std::fclose(memory);
  Devices::get().advance_always();
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* into, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(into, ranks, id, rank, nullptr);
}
ncclResult_t ncclCommInitAll(ncclComm_t* into, int ranks, const int* devices) {
  const int memory = make_memory();
  if (::ftruncate(memory, static_cast<off_t>(sizeof(Slot) * static_cast<std::size_t>(ranks))) != 0)
    return ncclSystemError;
  for (int r = 0; r < ranks; ++r)
    into[r] = make_comm(ranks, r, devices != nullptr ? devices[r] : r, memory);
  (void)::close(memory);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::lock_guard lock(Devices::get().mutex);
  comm->aborted = true;
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t) { return ncclSuccess; }  // its queued work continues
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = ncclSuccess;
  return ncclSuccess;
}
const char* ncclGetLastError(ncclComm_t) { return ""; }
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = comm->ranks;
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() { return ncclSuccess; }
ncclResult_t ncclGroupEnd() { return ncclSuccess; }
ncclResult_t ncclCommRegister(ncclComm_t, void*, std::size_t, void** handle) {
  *handle = nullptr;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(ncclComm_t, void*) { return ncclSuccess; }

ncclResult_t ncclAllReduce(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return exchange("allReduce", comm, from, count * size_of(type), stream,
                  [=](std::size_t offset, std::size_t bytes) {
                    comm->reduce(bytes_of(into) + offset, 0, bytes, op, type);
                  });
}
ncclResult_t ncclReduce(const void* from, void* into, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return exchange("reduce", comm, from, count * size_of(type), stream,
                  [=](std::size_t offset, std::size_t bytes) {
                    if (comm->rank == root)
                      comm->reduce(bytes_of(into) + offset, 0, bytes, op, type);
                  });
}
ncclResult_t ncclBroadcast(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return exchange("broadcast", comm, comm->rank == root ? from : into, count * size_of(type),
                  stream, [=](std::size_t offset, std::size_t bytes) {
                    std::memcpy(bytes_of(into) + offset, comm->slots[root].data.data(), bytes);
                  });
}
ncclResult_t ncclBcast(void* memory, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return ncclBroadcast(memory, memory, count, type, root, comm, stream);
}
ncclResult_t ncclAllGather(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  const std::size_t each = count * size_of(type);
  return exchange("allGather", comm, from, each, stream,
                  [=](std::size_t offset, std::size_t bytes) {
                    for (int r = 0; r < comm->ranks; ++r)
                      std::memcpy(bytes_of(into) + static_cast<std::size_t>(r) * each + offset,
                                  comm->slots[r].data.data(), bytes);
                  });
}
ncclResult_t ncclReduceScatter(const void* from, void* into, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  const std::size_t each = count * size_of(type);
  const std::size_t mine = each * static_cast<std::size_t>(comm->rank);
  return exchange("reduceScatter", comm, from, each * static_cast<std::size_t>(comm->ranks), stream,
                  [=](std::size_t offset, std::size_t bytes) {
                    const std::size_t begin = std::max(offset, mine);
                    const std::size_t end = std::min(offset + bytes, mine + each);
                    if (begin < end)
                      comm->reduce(bytes_of(into) + begin - mine, begin - offset, end - begin, op,
                                   type);
                  });
}

}  // extern "C"
