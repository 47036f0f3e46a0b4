// Records when ranks wrote to their output streams, for the times of their lines. The ranks write
// directly into files. inotify reports the first write to each; the watch then pauses for a tenth
// of a second, or for a second with continuous output. Used by the agent's loop.
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
  /// The clock must outlive this object.
  explicit OutputStamps(const Clock& clock);
  OutputStamps(const OutputStamps&) = delete;
  OutputStamps& operator=(const OutputStamps&) = delete;

  /// Adds the next rank, whose output files exist.
  void add(const std::filesystem::path& rank_folder);
  /// Readable when a rank has written; negative when inotify is not available, and only stamp_all()
  /// works.
  int fd() const { return inotify_.get(); }
  /// Records what inotify has reported. Never blocks.
  void look();
  /// When look() is due even without an event; far in the future while all streams are watched.
  std::int64_t next_look_ns() const;
  /// Records the stream sizes of one rank, by the order of add(), or of all ranks, if they have
  /// grown.
  void stamp(std::size_t place);
  void stamp_all();

 private:
  struct Stream {
    std::filesystem::path file;
    std::size_t place = 0;
    int watch = -1;  // -1: it has reported a write, or cannot be watched
  };
  struct RankOutput {
    std::filesystem::path folder;
    runlog::OutputMarkWriter marks;
    runlog::OutputMark last = {};
    bool told = false;  // one of its streams may have grown
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
  std::int64_t rested_ns_ = 0;     // end of the last pause
  int pauses_ = 0;                 // consecutive pauses
};

}  // namespace ringside::agent
