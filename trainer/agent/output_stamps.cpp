#include "trainer/agent/output_stamps.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "trainer/agent/output_cap.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPauseNs = 100'000'000;
// Progress bars write continuously; times to the second suffice for them and cost the agent less.
constexpr std::int64_t kLongPauseNs = 1'000'000'000;
constexpr int kShortPauses = 10;
// A rank that prints continuously adds some 400 bytes per second.
constexpr OutputCap kCap{std::uint64_t{8} << 20, std::uint64_t{4} << 20};

}  // namespace

OutputStamps::OutputStamps(const Clock& clock)
    : clock_(clock), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

void OutputStamps::add(const fs::path& rank_folder) {
  for (const char* name : {"stdout", "stderr"}) {
    streams_.push_back({rank_folder / name, ranks_.size()});
    watch(streams_.back());
  }
  ranks_.push_back({rank_folder, runlog::OutputMarkWriter(rank_folder)});
}

void OutputStamps::watch(Stream& stream) const {
  if (fd() >= 0)
    stream.watch = ::inotify_add_watch(fd(), stream.file.c_str(), IN_MODIFY | IN_ONESHOT);
}

void OutputStamps::look() {
  if (fd() < 0) return;
  take_told();
  watch_again();
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    if (std::exchange(ranks_[place].told, false)) stamp(place);
  }
}

void OutputStamps::watch_again() {
  const std::int64_t now_ns = clock_.mono_ns();
  if (pause_end_ns_ == 0 || now_ns < pause_end_ns_) return;
  pause_end_ns_ = 0;
  rested_ns_ = now_ns;
  for (Stream& stream : streams_) {
    if (stream.watch >= 0) continue;
    // The watch is added before the size is read, so that nothing written in between is missed.
    watch(stream);
    ranks_[stream.place].told = true;
  }
}

void OutputStamps::take_told() {
  alignas(inotify_event) std::array<std::byte, 4096> bytes{};
  for (;;) {
    const ssize_t got = ::read(fd(), bytes.data(), bytes.size());
    if (got <= 0) return;
    inotify_event event{};
    for (std::size_t at = 0; at < static_cast<std::size_t>(got); at += sizeof event + event.len) {
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const int wd = event.wd;
      const auto told = std::find_if(streams_.begin(), streams_.end(), [wd](const auto& one) {
        return one.watch >= 0 && one.watch == wd;
      });
      if (told == streams_.end()) continue;
      told->watch = -1;
      if (pause_end_ns_ == 0) begin_pause();
      ranks_[told->place].told = true;
    }
  }
}

void OutputStamps::begin_pause() {
  const std::int64_t now_ns = clock_.mono_ns();
  pauses_ = now_ns - rested_ns_ < kPauseNs ? pauses_ + 1 : 0;
  pause_end_ns_ = now_ns + (pauses_ < kShortPauses ? kPauseNs : kLongPauseNs);
}

std::int64_t OutputStamps::next_look_ns() const {
  return pause_end_ns_ == 0 ? std::numeric_limits<std::int64_t>::max() : pause_end_ns_;
}

// Best effort: lines without a mark are displayed without a time.
void OutputStamps::stamp(std::size_t place) {
  if (place >= ranks_.size()) return;
  RankOutput& rank = ranks_[place];
  std::error_code none;
  runlog::OutputMark now{clock_.wall_ns(), fs::file_size(rank.folder / "stdout", none), 0};
  if (none) return;
  now.stderr_bytes = fs::file_size(rank.folder / "stderr", none);
  const bool same =
      now.stdout_bytes == rank.last.stdout_bytes && now.stderr_bytes == rank.last.stderr_bytes;
  if (none || same) return;
  rank.last = now;
  (void)rank.marks.append(now);
}

void OutputStamps::stamp_all() {
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    stamp(place);
    (void)hold_to_cap(runlog::output_times_path(ranks_[place].folder), kCap);
  }
}

}  // namespace ringside::agent
