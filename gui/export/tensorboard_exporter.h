// Writes the scalars of a run as TensorBoard event files: a folder rank_R for each rank, and node_N
// for the values of a machine (devices, memory). What a restarted or resumed run repeated goes to
// folders of its own, rank_R_attempt_1 and so on: two attempts in one folder would give a jagged
// curve, or steps that TensorBoard discards. Nothing is thinned; NaN and Inf are kept, unknown
// values are left out. Used by one thread. The files appear only when finish() succeeds.
//
// Tags: step/accuracy, and the fields of a step by their names: step/loss; its times as
// time_ms/step, time_ms/forward; epoch_train/, epoch_validate/, epoch_test/ with loss, accuracy,
// seconds and idle_seconds, whose step is the epoch; scalars under their own names; device_I/ and
// host/ with the names of the CSV, whose step is the newest of the node.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/export/attempt_tracker.h"
#include "gui/export/hidden_folder.h"
#include "gui/export/tf_events.h"
#include "protocol/messages/record_sink.h"

namespace ringside::exporting {

struct EventFileSummary {
  std::string name;  ///< "rank_0/events.out.tfevents.RUN"
  std::uint64_t values = 0;
  std::uint64_t size_bytes = 0;
};

struct TensorBoardSummary {
  std::filesystem::path folder;
  std::vector<EventFileSummary> files;  ///< one for each attempt, rank and node that has records
  std::uint64_t values = 0;
  std::uint64_t size_bytes = 0;
};

class TensorBoardExporter final : public messages::RecordSink {
 public:
  /// Larger rank and node numbers are ignored: a damaged record must not create a million folders.
  static constexpr std::int32_t kMostFolders = 65536;

  /// Creates `folder` if it is missing; finish() replaces the files of an earlier export of this
  /// run. Returns a bad request if it holds other event files: TensorBoard would mix both into one
  /// curve.
  static Result<std::unique_ptr<TensorBoardExporter>> create(const std::filesystem::path& folder,
                                                             const std::string& run_id);

  void accept(const messages::Stamp& stamp, const messages::Record& record) override;

  /// Moves the files into place. Returns the first error of writing, if any; then nothing is left
  /// behind.
  Result<TensorBoardSummary> finish();

 private:
  struct File {
    std::string buffer;
    std::uint64_t values = 0;
    std::uint64_t size_bytes = 0;
  };
  struct Machine {
    double wall_minus_mono_ns = 0;
    Step newest_step = 0;  ///< newest step of the attempt
    std::int32_t attempt = 0;
  };
  struct RecordSender {
    std::string_view kind;  ///< "rank" or "node"
    std::int32_t index = 0;
    std::int32_t attempt = 0;
    auto operator<=>(const RecordSender&) const = default;
    std::string folder() const;
  };

  TensorBoardExporter(std::filesystem::path folder, HiddenFolder hidden, std::string file_name)
      : folder_(std::move(folder)), hidden_(std::move(hidden)), file_name_(std::move(file_name)) {}

  void take(const messages::Stamp& stamp, const messages::StepReport& body);
  void take(const messages::Stamp& stamp, const messages::EpochReport& body);
  void take(const messages::Stamp& stamp, const messages::Scalar& body);
  void take(const messages::Stamp& stamp, const messages::DeviceSample& body);
  void take(const messages::Stamp& stamp, const messages::HostSample& body);
  void take(const messages::Stamp& stamp, const messages::RankHello& body);
  void take(const messages::Stamp& stamp, const messages::RankState& body);
  template <class Other>
  void take(const messages::Stamp&, const Other&) {}

  void set_clock(const messages::Stamp& stamp, std::int64_t wall_ns);
  /// Adds a value to the event under construction; `tag` must live until the event is written.
  void add(std::string_view tag, double value);
  void add_named(std::string tag, double value);
  /// Writes the added values as one event of a rank, or of its machine if the agent recorded them
  /// for no rank.
  void write_of_rank(const messages::Stamp& stamp, std::int64_t step);
  void write_of_node(const messages::Stamp& stamp, std::int64_t step);
  void write(const RecordSender& record_sender, const messages::Stamp& stamp, std::int64_t step);
  void flush(const RecordSender& record_sender, File& file);

  std::filesystem::path folder_;
  HiddenFolder hidden_;
  std::string file_name_;
  std::map<RecordSender, File> files_;
  std::map<Node, Machine> machines_;
  AttemptTracker attempts_;
  std::vector<TaggedValue> values_;
  std::deque<std::string> names_;  ///< tags in values_ that are not constants
  Result<void> outcome_;
};

}  // namespace ringside::exporting
