#include "protocol/host/peer_owner.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace ringside {
namespace {

class Socket {
 public:
  Socket(int family, int type, int protocol)
      : fd_(::socket(family, type | SOCK_CLOEXEC, protocol)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// One end of a connection in the format of the kernel's socket diagnosis; an IPv4 address fills the
// first word.
struct End {
  std::uint8_t family = AF_UNSPEC;
  std::array<std::uint32_t, 4> address{};
  std::uint16_t port = 0;
};

// Empty for sockets other than TCP. An IPv4 address in an IPv6 socket counts as IPv4.
std::optional<End> end_of(const sockaddr_storage& name) {
  if (name.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &name, sizeof in);
    return End{AF_INET, {in.sin_addr.s_addr}, in.sin_port};
  }
  if (name.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in{};
  std::memcpy(&in, &name, sizeof in);
  End end{AF_INET6, {}, in.sin6_port};
  std::memcpy(end.address.data(), &in.sin6_addr, sizeof in.sin6_addr);
  if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
    end.family = AF_INET;
    end.address = {end.address[3]};
  }
  return end;
}

// `ask` is getsockname or getpeername.
std::optional<sockaddr_storage> name_of(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (ask(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return std::nullopt;
  return name;
}

bool on_loopback(const End& end) {
  if (end.family == AF_INET) return ntohl(end.address[0]) >> 24 == 127;
  return end.address == std::array<std::uint32_t, 4>{0, 0, 0, htonl(1)};
}

bool on_an_interface(const End& end) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != end.family) continue;
    sockaddr_storage name{};
    std::memcpy(&name, one->ifa_addr,
                end.family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    const auto own = end_of(name);
    found = own && own->address == end.address;
  }
  ::freeifaddrs(all);
  return found;
}

bool on_this_host(const End& end) { return on_loopback(end) || on_an_interface(end); }

enum class Owner : std::uint8_t { kOurs, kAnother, kNone };

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 about{};
};

// The socket that is bound to `local` and connected to `remote`; otherwise the one that listens on
// the port of `local`.
std::optional<inet_diag_msg> find_socket(const End& local, const End& remote) {
  Question question;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.about.sdiag_family = local.family;
  question.about.sdiag_protocol = IPPROTO_TCP;
  question.about.idiag_states = ~0U;
  question.about.id.idiag_sport = local.port;
  question.about.id.idiag_dport = remote.port;
  question.about.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.about.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  std::memcpy(question.about.id.idiag_src, local.address.data(), sizeof local.address);
  std::memcpy(question.about.id.idiag_dst, remote.address.data(), sizeof remote.address);

  const Socket kernel(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
  std::array<std::byte, 4096> answer{};
  if (::send(kernel.fd(), &question, sizeof question, 0) < 0) return std::nullopt;
  const ssize_t size = ::recv(kernel.fd(), answer.data(), answer.size(), 0);
  nlmsghdr header{};
  inet_diag_msg found{};
  if (size < static_cast<ssize_t>(sizeof header + sizeof found)) return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  return found;
}

// Owner of the open socket that is bound to `local` and connected to `remote`. Only an established
// one counts, since the kernel reports root as the owner of a closed socket with unsent data.
Owner owner_of(const End& local, const End& remote) {
  const auto found = find_socket(local, remote);
  if (!found || found->idiag_state == TCP_LISTEN || found->id.idiag_dport != remote.port)
    return Owner::kNone;
  const bool open = found->idiag_state == TCP_ESTABLISHED && found->idiag_inode != 0;
  return open && found->idiag_uid == ::geteuid() ? Owner::kOurs : Owner::kAnother;
}

bool ask_about_ourselves() {
  const Socket listener(AF_INET, SOCK_STREAM, 0);
  const Socket caller(AF_INET, SOCK_STREAM, 0);
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&loopback);
  socklen_t size = sizeof loopback;
  if (::bind(listener.fd(), address, size) != 0 || ::listen(listener.fd(), 1) != 0 ||
      ::getsockname(listener.fd(), address, &size) != 0 ||
      // The system call, since the trainer replaces connect() by a function that calls this one.
      ::syscall(SYS_connect, caller.fd(), address, size) != 0)
    return false;
  const auto local = name_of(caller.fd(), ::getsockname);
  const auto remote = name_of(caller.fd(), ::getpeername);
  return local && remote && owner_of(*end_of(*local), *end_of(*remote)) == Owner::kOurs;
}

}  // namespace

bool knows_peer_owners() {
  static const bool knows = ask_about_ourselves();
  return knows;
}

bool peer_is_ours(int fd) {
  if (!knows_peer_owners()) return true;
  const auto local = name_of(fd, ::getsockname);
  if (!local || !end_of(*local)) return true;  // not TCP
  const auto peer = name_of(fd, ::getpeername);
  return peer && peer_is_ours(*peer, *local);
}

bool peer_is_ours(const sockaddr_storage& peer_name, const sockaddr_storage& local_name) {
  const auto peer = end_of(peer_name);
  const auto local = end_of(local_name);
  if (!peer || !local) return false;
  const Owner owner = owner_of(*peer, *local);
  return owner == Owner::kOurs ||
         (owner == Owner::kNone && peer->address != local->address && !on_this_host(*peer));
}

bool listener_is_ours(const sockaddr* address, socklen_t size) {
  sockaddr_storage name{};
  if (address == nullptr || size > sizeof name) return true;
  std::memcpy(&name, address, size);
  const auto end = end_of(name);
  if (!end || !knows_peer_owners()) return true;
  const auto found = find_socket(*end, End{end->family, {}, 0});
  const bool listens = found && found->idiag_state == TCP_LISTEN;
  if (!listens || found->idiag_uid == ::geteuid()) return true;
  // A socket that listens on all addresses also matches addresses of other hosts.
  return !on_this_host(*end);
}

}  // namespace ringside
