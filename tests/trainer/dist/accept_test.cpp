#include "trainer/dist/accept.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "protocol/host/processor_time.h"
#include "tests/support/catch.h"

using namespace ringside;

namespace {

/// Bytes that NCCL's bootstrap sends to the rank that gathers addresses: a size, a number, and the
/// ring's addresses.
constexpr std::size_t kBootstrap_bytes = 8 + 4 + 4 + 256;

class BootstrapPort {
 public:
  BootstrapPort() {
    where_.sin_family = AF_INET;
    where_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where_;
    REQUIRE(::bind(fd_, generic(), size) == 0);
    REQUIRE(::listen(fd_, 512) == 0);
    REQUIRE(::getsockname(fd_, generic(), &size) == 0);
  }
  BootstrapPort(const BootstrapPort&) = delete;
  BootstrapPort& operator=(const BootstrapPort&) = delete;
  ~BootstrapPort() { ::close(fd_); }

  int fd() const { return fd_; }
  /// A process that does what NCCL's bootstrapSend does; it has ended when this returns.
  void send_and_close() {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::array<char, kBootstrap_bytes> bytes{};
      const int caller = ::socket(AF_INET, SOCK_STREAM, 0);
      const bool sent = ::connect(caller, generic(), sizeof where_) == 0 &&
                        ::send(caller, bytes.data(), bytes.size(), 0) == ssize_t{bytes.size()} &&
                        ::shutdown(caller, SHUT_RDWR) == 0 && ::close(caller) == 0;
      ::_exit(sent ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }

 private:
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&where_); }

  int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in where_{};
};

std::size_t bytes_of(int fd) {
  std::array<char, 512> bytes{};
  std::size_t sum = 0;
  for (ssize_t got = 1; fd >= 0 && got > 0; sum += static_cast<std::size_t>(got))
    got = std::max<ssize_t>(::recv(fd, bytes.data(), bytes.size(), 0), 0);
  ::close(fd);
  return sum;
}

const void* symbol_of(const char* library, const char* name) {
  void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(handle != nullptr);
  const void* found = ::dlsym(handle, name);
  ::dlclose(handle);
  REQUIRE(found != nullptr);
  return found;
}

}  // namespace

TEST_CASE("NCCL's connections that write and close before they are accepted are received") {
  constexpr int kRanks = 200;
  BootstrapPort port;
  for (int i = 0; i < kRanks; ++i) port.send_and_close();
  int heard = 0;
  for (int i = 0; i < kRanks; ++i) {
    const int fd = i % 2 == 0 ? ::accept(port.fd(), nullptr, nullptr)
                              : ::accept4(port.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (bytes_of(fd) == kBootstrap_bytes) ++heard;
  }
  CHECK(heard == kRanks);
}

TEST_CASE("S2: only connections of Gloo and c10d's store are checked for their owner") {
  CHECK(dist::accepts_judged(symbol_of("libtorch_cpu.so", "_ZTVN4c10d5StoreE")));
  CHECK_FALSE(dist::accepts_judged(symbol_of("libc.so.6", "malloc")));
  CHECK_FALSE(dist::accepts_judged(reinterpret_cast<const void*>(&bytes_of)));
  CHECK_FALSE(dist::accepts_judged(nullptr));
}

TEST_CASE("S2: checking a peer that connects repeatedly costs the ranks little time") {
  const void* const torch = symbol_of("libtorch_cpu.so", "_ZTVN4c10d5StoreE");
  const std::int64_t begin_ns = process_cpu_ns();
  int judged = 0;
  for (int i = 0; i < 100'000; ++i) judged += dist::accepts_judged(torch) ? 1 : 0;
  CHECK(judged == 100'000);
  // Searching LibTorch's symbols would take milliseconds each time.
  CHECK(process_cpu_ns() - begin_ns < 5'000'000'000);
}
