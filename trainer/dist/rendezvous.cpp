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

// The agent has listened on the port since before this process started, so no other user can have
// taken it.
bool is_listener_at(int fd, int port) {
  int listens = 0;
  sockaddr_in address{};
  socklen_t size = sizeof listens;
  if (fd < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
    return false;
  size = sizeof address;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         ntohs(address.sin_port) == port;
}

// A socket that listens at one address, since by default the store listens on all interfaces,
// whatever host it is given. -1: MASTER_ADDR is not an address of this host (NAT or an alias), so
// the default must be used.
Result<int> listener_for(const LaunchEnvironment& env) {
  if (is_listener_at(env.listen_fd, env.master_port)) {
    ::fcntl(env.listen_fd, F_SETFD, FD_CLOEXEC);
    return env.listen_fd;
  }
  if (is_loopback(env.master_addr))
    return bind_to(is_ipv4(env.master_addr) ? env.master_addr : "127.0.0.1", env.master_port);
  const std::string address = own_address(ipv4_addresses(env.master_addr), network_interfaces(),
                                          env.world_size == env.local_world_size);
  if (address.empty()) return -1;
  return bind_to(address, env.master_port);
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
  if (options.isServer) {
    const auto fd = RINGSIDE_TRY(listener_for(env));
    if (fd >= 0) options.masterListenFd = fd;
  }
  return c10::intrusive_ptr<c10d::Store>(
      c10::make_intrusive<c10d::TCPStore>(env.master_addr, options));
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

std::string own_address(const std::vector<std::string>& resolved,
                        const std::vector<NetworkInterface>& own, bool one_host) {
  for (const std::string& address : resolved) {
    if (is_loopback(address) && one_host) return address;
    if (is_loopback(address)) continue;
    const auto has = [&](const NetworkInterface& one) { return one.address == address; };
    if (std::any_of(own.begin(), own.end(), has)) return address;
  }
  return {};
}

std::string address_towards(const std::string& master) {
  const auto resolved = ipv4_addresses(master);
  const auto own = network_interfaces();
  if (const std::string here = own_address(resolved, own, false); !here.empty()) return here;
  for (const std::string& address : resolved) {
    if (is_loopback(address)) continue;
    if (const auto way = interface_to(address, own)) return way->address;
  }
  return {};
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
    // Created here with mode 0600; the store would create a file that everybody can read.
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
