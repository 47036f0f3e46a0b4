#include "gui/export/tensorboard_exporter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <system_error>

#include "protocol/base/printable.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"

namespace ringside::exporting {
namespace {

namespace fs = std::filesystem;
using namespace ringside::messages;

// The buffers of all files together use about 32 MB at most, whatever the number of ranks.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::size_t kLeastBufferBytes = std::size_t{4} << 10;
constexpr std::size_t kAllBuffersBytes = std::size_t{32} << 20;

constexpr std::string_view kRank = "rank", kNode = "node";

/// The value in single precision; too large values become infinite.
float narrowed(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::abs(value) > kMost) return value > 0 ? kInfinity : -kInfinity;
  return static_cast<float>(value);
}

bool begins_like_ours(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOurs = {
      "step/", "time_ms/", "epoch_train/", "epoch_validate/", "epoch_test/", "device_", "host/"};
  return std::ranges::any_of(kOurs, [&](std::string_view ours) { return name.starts_with(ours); });
}

/// A name as a tag: never empty, never one of our own tags, and valid UTF-8, since one bad tag
/// makes a whole file unreadable.
std::string tag_of(const std::string& name) {
  if (name.empty()) return "scalar";
  const std::string text = is_utf8(name) ? name : printable_line(name);
  return begins_like_ours(text) ? "scalar/" + text : text;
}

struct EpochTags {
  std::string_view loss, accuracy, seconds, idle_seconds;
};
const EpochTags& tags_of(Phase phase) {
  static constexpr EpochTags kTrain{"epoch_train/loss", "epoch_train/accuracy",
                                    "epoch_train/seconds", "epoch_train/idle_seconds"};
  static constexpr EpochTags kValidate{"epoch_validate/loss", "epoch_validate/accuracy",
                                       "epoch_validate/seconds", "epoch_validate/idle_seconds"};
  static constexpr EpochTags kTest{"epoch_test/loss", "epoch_test/accuracy", "epoch_test/seconds",
                                   "epoch_test/idle_seconds"};
  if (phase == Phase::kValidate) return kValidate;
  return phase == Phase::kTest ? kTest : kTrain;
}

struct StepTag {
  std::string name;  ///< empty: not exported
  double scale = 1;
};

/// Tags for the fields of StepReport, in the order of the fields.
const std::vector<StepTag>& step_tags() {
  static const std::vector<StepTag> kTags = [] {
    std::vector<StepTag> tags;
    const StepReport blank;
    StepReport::fields(blank, [&](std::string_view field, const auto&) {
      const std::string name(field);
      // The number of correct samples is exported as accuracy.
      const bool apart = field == "epoch" || field == "step" || field == "correct";
      if (field.ends_with("_ns")) {
        tags.push_back({"time_ms/" + name.substr(0, name.size() - 3), 1e-6});
      } else {
        tags.push_back({apart ? std::string() : "step/" + name});
      }
    });
    return tags;
  }();
  return kTags;
}

/// An event file in `folder` that is not named `ours`; empty: none.
std::string stranger_in(const fs::path& folder, const std::string& ours) {
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    if (name.find("tfevents") != std::string::npos && name != ours) return it->path().string();
  }
  return {};
}

/// An event file that is not ours, in `folder` itself or in the folders of ranks and nodes; empty:
/// none.
std::string find_foreign_events(const fs::path& folder, const std::string& ours) {
  std::string found = stranger_in(folder, ours);
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end && found.empty();
       it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("rank_") || name.starts_with("node_"))
      found = stranger_in(it->path(), ours);
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<TensorBoardExporter>> TensorBoardExporter::create(
    const fs::path& folder, const std::string& run_id) {
  std::string file_name = "events.out.tfevents." + run_id;
  if (const std::string stranger = find_foreign_events(folder, file_name); !stranger.empty()) {
    return bad_request("the folder holds the event file of something else, " + stranger +
                       ", and TensorBoard would mix both; choose another with --tensorboard DIR");
  }
  auto hidden = HiddenFolder::make(folder, "--tensorboard DIR");
  if (!hidden) return pass(hidden);
  return std::unique_ptr<TensorBoardExporter>(
      new TensorBoardExporter(folder, std::move(*hidden), std::move(file_name)));
}

void TensorBoardExporter::accept(const Stamp& stamp, const Record& record) {
  const bool believed = stamp.rank < kMostFolders && stamp.node >= 0 && stamp.node < kMostFolders;
  if (!believed || !outcome_) return;
  const std::int32_t attempt = attempts_.attempt_of(stamp, record);
  if (Machine& machine = machines_[stamp.node]; machine.attempt != attempt) {
    machine.attempt = attempt;
    machine.newest_step = 0;
  }
  std::visit([&](const auto& body) { take(stamp, body); }, record);
}

void TensorBoardExporter::take(const Stamp& stamp, const StepReport& body) {
  machines_[stamp.node].newest_step = std::max(machines_[stamp.node].newest_step, body.step);
  if (body.correct >= 0 && body.samples > 0)
    add("step/accuracy", static_cast<double>(body.correct) / body.samples);
  std::size_t place = 0;
  StepReport::fields(body, [&](std::string_view, const auto& field) {
    const StepTag& tag = step_tags()[place++];
    const auto value = measured(field);
    if (value && !tag.name.empty()) add(tag.name, *value * tag.scale);
  });
  write_of_rank(stamp, body.step);
}

void TensorBoardExporter::take(const Stamp& stamp, const EpochReport& body) {
  const EpochTags& tags = tags_of(body.phase);
  if (body.counted > 0) {
    const auto counted = static_cast<double>(body.counted);
    add(tags.loss, body.loss_sum / counted);
    if (body.correct >= 0) add(tags.accuracy, static_cast<double>(body.correct) / counted);
  }
  add(tags.seconds, body.seconds);
  add(tags.idle_seconds, body.idle_seconds);
  write_of_rank(stamp, body.epoch);
}

void TensorBoardExporter::take(const Stamp& stamp, const Scalar& body) {
  add_named(tag_of(body.name), body.value);
  write_of_rank(stamp, body.step);
}

void TensorBoardExporter::take(const Stamp& stamp, const DeviceSample& body) {
  const std::string device = "device_" + std::to_string(body.device_index) + "/";
  DeviceSample::measured(
      body, [&](messages::DeviceField field, std::string_view name, const auto& value) {
        if (is_valid(body, field))
          add_named(device + std::string(name), static_cast<double>(value));
      });
  write_of_node(stamp, machines_[stamp.node].newest_step);
}

void TensorBoardExporter::take(const Stamp& stamp, const HostSample& body) {
  const auto add_known = [&](std::string tag, auto value) {
    if (!std::isnan(static_cast<double>(value)) && value >= 0)
      add_named(std::move(tag), static_cast<double>(value));
  };
  HostSample::fields(body, [&](std::string_view name, const auto& value) {
    const std::string tag = "host/" + std::string(name);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      add_known(tag, value);
    } else {
      for (std::size_t i = 0; i < value.size(); ++i)
        add_known(tag + "/" + std::to_string(i), value[i]);
    }
  });
  write_of_node(stamp, machines_[stamp.node].newest_step);
}

void TensorBoardExporter::take(const Stamp& stamp, const RankHello& body) {
  set_clock(stamp, body.wall_ns);
}
void TensorBoardExporter::take(const Stamp& stamp, const RankState& body) {
  set_clock(stamp, body.wall_ns);
}

/// The clock is kept while it agrees within some seconds, so that times of one machine stay in
/// order.
void TensorBoardExporter::set_clock(const Stamp& stamp, std::int64_t wall_ns) {
  constexpr double kSameClockNs = 5e9;
  if (wall_ns <= 0) return;
  double& offset = machines_[stamp.node].wall_minus_mono_ns;
  const double told = static_cast<double>(wall_ns) - static_cast<double>(stamp.mono_ns);
  if (offset == 0 || std::abs(told - offset) > kSameClockNs) offset = told;
}

void TensorBoardExporter::add(std::string_view tag, double value) {
  values_.push_back({tag, narrowed(value)});
}

void TensorBoardExporter::add_named(std::string tag, double value) {
  names_.push_back(std::move(tag));
  add(names_.back(), value);
}

void TensorBoardExporter::write_of_rank(const Stamp& stamp, std::int64_t step) {
  if (stamp.rank == kNoRank) return write_of_node(stamp, step);
  write({kRank, stamp.rank, machines_[stamp.node].attempt}, stamp, step);
}

void TensorBoardExporter::write_of_node(const Stamp& stamp, std::int64_t step) {
  write({kNode, stamp.node, machines_[stamp.node].attempt}, stamp, step);
}

void TensorBoardExporter::write(const RecordSender& record_sender, const Stamp& stamp,
                                std::int64_t step) {
  if (!values_.empty() && record_sender.index >= 0) {
    const double wall_s =
        (static_cast<double>(stamp.mono_ns) + machines_[stamp.node].wall_minus_mono_ns) / 1e9;
    File& file = files_[record_sender];
    if (file.values == 0) append_file_version(file.buffer, wall_s);
    append_scalars(file.buffer, wall_s, step, values_);
    file.values += values_.size();
    const std::size_t most =
        std::clamp(kAllBuffersBytes / files_.size(), kLeastBufferBytes, kBufferBytes);
    if (file.buffer.size() >= most) flush(record_sender, file);
  }
  values_.clear();
  names_.clear();
}

std::string TensorBoardExporter::RecordSender::folder() const {
  const std::string name = std::string(kind) + "_" + std::to_string(index);
  return attempt == 0 ? name : name + "_attempt_" + std::to_string(attempt);
}

/// Opens the file only for this write, since a run may have more ranks than a process may have open
/// files.
void TensorBoardExporter::flush(const RecordSender& record_sender, File& file) {
  if (!outcome_ || file.buffer.empty()) return;
  auto open = open_file(hidden_.path() / record_sender.folder(), OpenMode::kAppend);
  if (open) outcome_ = (*open)->append(std::as_bytes(std::span(file.buffer)));
  if (!open) outcome_ = pass(open);
  file.size_bytes += file.buffer.size();
  file.buffer.clear();
}

Result<TensorBoardSummary> TensorBoardExporter::finish() {
  TensorBoardSummary summary{.folder = folder_, .files = {}};
  for (auto& [record_sender, file] : files_) {
    flush(record_sender, file);
    summary.files.push_back(
        {record_sender.folder() + "/" + file_name_, file.values, file.size_bytes});
    summary.values += file.values;
    summary.size_bytes += file.size_bytes;
  }
  if (!outcome_) return pass(outcome_);
  for (const auto& [record_sender, file] : files_) {
    const std::string folder = record_sender.folder();
    RINGSIDE_TRY(hidden_.move_out(folder, fs::path(folder) / file_name_));
  }
  return summary;
}

}  // namespace ringside::exporting
