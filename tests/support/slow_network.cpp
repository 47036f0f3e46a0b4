#include "tests/support/slow_network.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "protocol/base/clock.h"

namespace ringside::testing {
namespace {

constexpr std::size_t kMostBytes = 65536;

struct Packet {
  std::int64_t due_ns = 0;
  int to = -1;
  std::vector<char> bytes;
};

/// Opens the network's interface in the namespace of a process; returns -1 on failure.
int open_end(pid_t where, const std::string& name) {
  const int space = ::open(("/proc/" + std::to_string(where) + "/ns/net").c_str(), O_RDONLY);
  if (space < 0 || ::setns(space, CLONE_NEWNET) != 0) return -1;
  ::close(space);
  const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (fd < 0) return -1;
  ifreq wanted{};
  wanted.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::copy(name.begin(), name.end(), wanted.ifr_name);
  if (::ioctl(fd, TUNSETIFF, &wanted) != 0) return -1;
  return fd;
}

/// Forwards packets until this process is ended.
template <class Lose>
[[noreturn]] void hand_on(const std::array<int, 2>& ends, std::int64_t delay_ns, const Lose& lose) {
  std::deque<Packet> under_way;  // ordered by due time, since all have the same delay
  std::vector<char> bytes(kMostBytes);
  for (;;) {
    const std::int64_t left_ns =
        under_way.empty() ? 1'000'000'000 : under_way.front().due_ns - mono_now_ns();
    const timespec wait{std::max<std::int64_t>(0, left_ns) / 1'000'000'000,
                        std::max<std::int64_t>(0, left_ns) % 1'000'000'000};
    std::array<pollfd, 2> waits{{{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}}};
    ::ppoll(waits.data(), waits.size(), &wait, nullptr);
    for (std::size_t from = 0; from < 2; ++from) {
      for (;;) {
        const ssize_t got = ::read(ends[from], bytes.data(), bytes.size());
        if (got <= 0) break;
        if (!lose())
          under_way.push_back({mono_now_ns() + delay_ns, ends[1 - from],
                               std::vector<char>(bytes.begin(), bytes.begin() + got)});
      }
    }
    while (!under_way.empty() && under_way.front().due_ns <= mono_now_ns()) {
      const Packet& packet = under_way.front();
      // A packet that the other end does not take is lost, as on a wire.
      [[maybe_unused]] const auto sent =
          ::write(packet.to, packet.bytes.data(), packet.bytes.size());
      under_way.pop_front();
    }
  }
}

}  // namespace

SlowNetwork::~SlowNetwork() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (counts_ != nullptr) ::munmap(counts_, sizeof *counts_);
}

std::string SlowNetwork::start(pid_t a, pid_t b, const std::string& name,
                               std::chrono::microseconds delay, int lost) {
  void* shared =
      ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::array<int, 2> told{};
  if (shared == MAP_FAILED || ::pipe(told.data()) != 0) return "no memory to share";
  counts_ = new (shared) Counts;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::array<int, 2> ends{open_end(a, name), open_end(b, name)};
    const char made = ends[0] >= 0 && ends[1] >= 0 ? 'y' : 'n';
    [[maybe_unused]] const auto said = ::write(told[1], &made, 1);
    std::mt19937 chance(1);
    hand_on(ends, std::chrono::nanoseconds(delay).count(), [&] {
      const bool gone = static_cast<int>(chance() % 100) < lost;
      if (gone) counts_->lost = counts_->lost + 1;
      return gone;
    });
  }
  ::close(told[1]);
  char made = 'n';
  [[maybe_unused]] const auto heard = ::read(told[0], &made, 1);
  ::close(told[0]);
  return made == 'y' ? "" : "a slow network needs root and /dev/net/tun";
}

}  // namespace ringside::testing
