// Notes when ranks wrote to their streams, for the times of their lines. The ranks write straight
// into files; the kernel tells of the first write to each and then of no other for a tenth of a
// second, and of output without end for a second. Used by the agent's loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/host/descriptor.h"
#include "protocol/runlog/output_times.h"

namespace ringside::agent {

class OutputStamps {
 public:
  /// The clock outlives it.
  explicit OutputStamps(const Clock& clock);
  OutputStamps(const OutputStamps&) = delete;
  OutputStamps& operator=(const OutputStamps&) = delete;

  /// The next rank, whose streams are there.
  void add(const std::filesystem::path& rank_folder);
  /// Readable when a rank has written; below 0: this kernel tells nothing, and stamp_all() is all
  /// there is.
  int fd() const { return inotify_.get(); }
  /// Notes what the kernel has told of. Never waits.
  void look();
  /// When look() is due though nothing was written; far away while all streams are watched.
  std::int64_t next_look_ns() const;
  /// Notes a stream that has grown, whoever told: that of the rank that was added so many-th, or
  /// all.
  void stamp(std::size_t place);
  void stamp_all();

 private:
  struct Stream {
    std::filesystem::path file;
    std::size_t place = 0;
    int watch = -1;  // -1: it has told, or cannot be watched
  };
  struct RankOutput {
    std::filesystem::path folder;
    runlog::OutputMarkWriter marks;
    runlog::OutputMark last = {};
    bool told = false;  // a stream of it may have grown
  };

  void watch(Stream& stream) const;
  void take_told();
  void watch_again();
  void begin_pause();

  const Clock& clock_;
  Descriptor inotify_;
  std::vector<RankOutput> ranks_;
  std::vector<Stream> streams_;
  std::int64_t pause_end_ns_ = 0;  // 0: every stream is watched
  std::int64_t rested_ns_ = 0;     // when the last pause ended
  int pauses_ = 0;                 // that followed each other
};

}  // namespace ringside::agent
