// Records values read from foreign files as a run of our own: the folder, its settings and one log,
// like those of an agent. Every value becomes a Scalar; those that step_names.h recognises also
// fill the steps of their rank. What the files do not contain (samples, step times, processes,
// devices) stays unknown. Holds the lock of the folder while it lives; used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "gui/watch/file_reader.h"
#include "gui/watch/step_names.h"
#include "protocol/base/clock.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::watch {

struct RecordedRun {
  std::filesystem::path runs_dir;
  std::string name;
  std::string from;                ///< the path that a person named
  std::int32_t ranks = 1;          ///< known so far; more may come
  std::int64_t first_wall_ns = 0;  ///< time of the oldest value known so far
  bool live = true;  ///< values are recent, so their times are converted to this machine's clock
};

/// A file of one rank, and the prefix of its values' names.
struct Origin {
  Rank rank = 0;
  std::string prefix;
  std::int64_t read_wall_ns = 0;  ///< for values without a time of their own
};

class RunRecorder {
 public:
  /// Limit of different names; more are counted and left out.
  static constexpr std::size_t kMostNames = std::size_t{1} << 20;

  static Result<RunRecorder> create(const RecordedRun& run, const Clock& clock);
  RunRecorder(RunRecorder&&) = default;
  RunRecorder& operator=(RunRecorder&&) = default;

  /// Adds values; those that cannot be recorded are added to `left_out`.
  Result<void> add(const Origin& origin, std::span<const Point> points,
                   std::vector<LeftOut>& left_out);
  /// Records that the rank's program restarted at `step`.
  void begin_again(Rank rank, Step step);
  /// Records a change of the run's state, at the time of the newest value. Repeated states are
  /// ignored.
  void change_state(messages::State state, const std::string& text);
  /// Adds a notice about the run, for a person.
  void note(messages::Severity severity, const std::string& code, const std::string& text);
  /// Makes everything added so far visible to readers.
  Result<void> flush();
  /// Called last: records how the run ended, at the time of the newest value or, if values are
  /// recent, at `wall_ns`; 0: unknown.
  Result<void> end(messages::State state, const std::string& text, std::int64_t wall_ns = 0);

  const runlog::RunFolder& folder() const { return folder_; }
  const std::unordered_set<std::string>& names() const { return names_; }

 private:
  struct RecordSender {
    std::uint64_t next_seq = 0;
    std::array<std::string, static_cast<std::size_t>(StepField::kCount)> names;
    std::optional<messages::StepReport> step;  ///< the current step, which may get more values
    std::int64_t step_ns = 0;
    Step newest_step = 0;
    Epoch epoch = 0;
    std::int32_t attempt = 0;
  };

  RunRecorder(runlog::RunFolder folder, runlog::FolderLock lock, runlog::LogWriter writer)
      : folder_(std::move(folder)), lock_(std::move(lock)), writer_(std::move(writer)) {}

  std::int64_t mono_of(std::int64_t wall_ns);
  bool known_name(const std::string& name);
  void add_to_step(Rank rank, RecordSender& record_sender, const Point& point,
                   std::int64_t mono_ns);
  void post_step(Rank rank, RecordSender& record_sender);
  void post_state(messages::State state, const std::string& text, std::int64_t mono_ns);
  template <class Body>
  void post(Rank rank, std::int64_t mono_ns, const Body& body) {
    messages::append_record(payload_, {0, rank, speakers_[rank].next_seq++, mono_ns}, body);
    ++records_;
  }

  runlog::RunFolder folder_;
  std::optional<runlog::FolderLock> lock_;
  runlog::LogWriter writer_;
  std::int64_t wall_minus_mono_ns_ = 0;
  std::int64_t newest_ns_ = 0;
  messages::State state_ = messages::State::kTraining;
  std::int32_t ranks_ = 1;
  std::map<Rank, RecordSender> speakers_;
  std::unordered_set<std::string> names_;
  std::vector<std::byte> payload_;
  std::uint64_t records_ = 0;
};

}  // namespace ringside::watch
