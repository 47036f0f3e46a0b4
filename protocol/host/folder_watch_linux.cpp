#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>

#include "protocol/host/folder_watch.h"

namespace ringside {
namespace {

constexpr std::uint32_t kCameOrWent = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

}  // namespace

Descriptor watch_folder(const std::filesystem::path& folder) {
  Descriptor watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (::inotify_add_watch(watch.get(), folder.c_str(), IN_MODIFY | kCameOrWent) >= 0) return watch;
  return Descriptor(-1);
}

bool take_told(int watch) {
  alignas(inotify_event) std::array<std::byte, 4096> bytes{};
  bool came_or_went = false;
  for (;;) {
    const ssize_t got = ::read(watch, bytes.data(), bytes.size());
    if (got <= 0) return came_or_went;
    inotify_event event{};
    for (std::size_t at = 0; at < static_cast<std::size_t>(got); at += sizeof event + event.len) {
      std::memcpy(&event, bytes.data() + at, sizeof event);
      came_or_went = came_or_went || (event.mask & kCameOrWent) != 0;
    }
  }
}

void wait_for_told(int watch, std::int64_t wait_ns) {
  pollfd one{watch, POLLIN, 0};
  const timespec longest{static_cast<time_t>(wait_ns / 1'000'000'000),
                         static_cast<long>(wait_ns % 1'000'000'000)};
  (void)::ppoll(&one, 1, &longest, nullptr);
}

}  // namespace ringside
