#include "trainer/dist/rendezvous.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace ringside::dist {
namespace {

bool is_ipv4(const std::string& host) {
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

// A socket bound to one IPv4 address: left to itself the store listens on all interfaces, whatever
// host it is given.
Result<int> bind_to(const std::string& host, int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return failure(std::string("cannot make a socket for the rendezvous: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  sockaddr generic{};
  static_assert(sizeof generic == sizeof address);
  std::memcpy(&generic, &address, sizeof generic);
  if (::bind(fd, &generic, sizeof generic) != 0 || ::listen(fd, SOMAXCONN) != 0) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return failure("cannot listen on " + host + ":" + std::to_string(port) +
                   " for the rendezvous: " + why + "; choose another MASTER_PORT");
  }
  return fd;
}

c10::intrusive_ptr<c10d::Store> join_torchrun_store(const LaunchEnvironment& env,
                                                    c10d::TCPStoreOptions options) {
  options.isServer = false;
  options.waitWorkers = false;
  auto store = c10::make_intrusive<c10d::TCPStore>(env.master_addr, options);
  return c10::make_intrusive<c10d::PrefixStore>("/worker/attempt_" + std::to_string(env.attempt),
                                                store);
}

Result<c10::intrusive_ptr<c10d::Store>> open_tcp_store(const LaunchEnvironment& env,
                                                       std::chrono::milliseconds timeout) {
  if (env.master_addr.empty() || env.master_port <= 0) {
    return bad_request(
        "WORLD_SIZE = " + std::to_string(env.world_size) +
        " but MASTER_ADDR and MASTER_PORT are not set; start the ranks with `ringside run`, with "
        "`torchrun --no-python`, or set both");
  }
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(env.master_port);
  options.timeout = timeout;
  options.numWorkers = static_cast<std::size_t>(env.world_size);
  if (env.use_agent_store) return join_torchrun_store(env, options);
  options.isServer = env.rank == 0;
  options.waitWorkers = true;
  // The agent gives the address of the interface that was chosen; a launcher of its own that it has
  // started may give a name.
  const bool loopback = is_loopback(env.master_addr);
  if (options.isServer && (loopback || (env.from_agent && is_ipv4(env.master_addr)))) {
    auto fd = bind_to(loopback ? "127.0.0.1" : env.master_addr, env.master_port);
    if (!fd) return pass(fd);
    options.masterListenFd = *fd;
  }
  return c10::intrusive_ptr<c10d::Store>(
      c10::make_intrusive<c10d::TCPStore>(env.master_addr, options));
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

std::string describe(const std::exception& error) {
  if (const auto* torch_error = dynamic_cast<const c10::Error*>(&error)) {
    return torch_error->what_without_backtrace();
  }
  return error.what();
}

Result<c10::intrusive_ptr<c10d::Store>> open_store(const LaunchEnvironment& env,
                                                   const RendezvousOptions& options) {
  try {
    if (options.file.empty()) return open_tcp_store(env, options.timeout);
    // The store itself would make a file that everybody may read.
    ::close(::open(options.file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    auto store = c10::make_intrusive<c10d::FileStore>(options.file.string(), env.world_size);
    store->setTimeout(options.timeout);
    return c10::intrusive_ptr<c10d::Store>(std::move(store));
  } catch (const std::exception& error) {
    return failure("rank " + std::to_string(env.rank) +
                   " could not reach the other ranks' rendezvous: " + describe(error));
  }
}

Result<void> check_own_device(c10d::Store& store, const LaunchEnvironment& env,
                              const std::string& uuid) {
  const auto key = [](int rank) { return "device/" + std::to_string(rank); };
  try {
    store.set(key(env.rank), uuid);
    for (int rank = 0; rank < env.world_size; ++rank) {
      if (rank == env.rank || store.get_to_str(key(rank)) != uuid) continue;
      return bad_request("ranks " + std::to_string(std::min(rank, env.rank)) + " and " +
                         std::to_string(std::max(rank, env.rank)) + " both have " + uuid +
                         ": give each rank a GPU of its own, or start fewer ranks");
    }
  } catch (const std::exception& error) {
    return failure("rank " + std::to_string(env.rank) +
                   " does not know the devices of the others: " + describe(error));
  }
  return {};
}

}  // namespace ringside::dist
