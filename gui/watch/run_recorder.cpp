#include "gui/watch/run_recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "protocol/base/printable.h"
#include "protocol/host/files.h"
#include "protocol/host/host.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::watch {
namespace {

using namespace ringside::messages;

constexpr std::size_t kSegmentBytes = std::size_t{512} << 10;
/// Time of the first value if the run is older than this machine's clock; leaves room for even
/// older values in files that are read later.
constexpr std::int64_t kOriginNs = 60'000'000'000;
/// Limit for steps, which are stored as columns without gaps: values too far behind the newest
/// step, or beyond this, are only curves. Readers accept a jump of 2^24.
constexpr Step kFarthestStep = (Step{1} << 24) - 1;
constexpr Step kMostSteps = Step{1} << 32;

std::size_t at(StepField field) { return static_cast<std::size_t>(field); }

float narrowed(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::abs(value) > kMost) return value > 0 ? kInfinity : -kInfinity;
  return static_cast<float>(value);
}

/// A report with all fields unknown.
StepReport blank_step(Epoch epoch, Step step) {
  StepReport report;
  report.epoch = epoch;
  report.step = step;
  report.samples = -1;
  report.lr = std::numeric_limits<double>::quiet_NaN();
  report.loss_scale = kUnknownF;
  report.step_ns = -1;
  return report;
}

std::int64_t wall_ns_of(const Point& point, std::int64_t otherwise) {
  constexpr double kMost = 4e9;  // seconds; more than a century
  return point.wall_s > 0 && point.wall_s < kMost ? static_cast<std::int64_t>(point.wall_s * 1e9)
                                                  : otherwise;
}

}  // namespace

Result<RunRecorder> RunRecorder::create(const RecordedRun& run, const Clock& clock) {
  auto folder = RINGSIDE_TRY(runlog::create_run_folder(run.runs_dir, clock));
  auto lock = RINGSIDE_TRY(runlog::FolderLock::take(folder));
  // The offset between the clocks is this machine's if it was running when the run began.
  const std::int64_t real_ns = clock.wall_ns() - clock.mono_ns();
  const bool of_this_boot = run.live && run.first_wall_ns - real_ns >= kOriginNs;
  const std::int64_t offset_ns = of_this_boot ? real_ns : run.first_wall_ns - kOriginNs;
  const runlog::LogIdentity identity{folder.id(), 0, run.first_wall_ns,
                                     run.first_wall_ns - offset_ns,
                                     of_this_boot ? current_boot_id() : std::string()};
  auto file = RINGSIDE_TRY(open_file(folder.log_path(0), OpenMode::kAppend));
  auto writer = RINGSIDE_TRY(runlog::LogWriter::open(std::move(file), identity));
  const auto spec = watched_spec(run.name, run.from, run.ranks);
  RINGSIDE_TRY(write_text_atomically(folder.spec_path(), to_toml(spec)));
  RunRecorder recorder(folder, std::move(lock), std::move(writer));
  recorder.wall_minus_mono_ns_ = offset_ns;
  recorder.newest_ns_ = identity.mono_ns;
  recorder.ranks_ = run.ranks;
  recorder.post_state(State::kStarting, {}, identity.mono_ns);
  recorder.post_state(State::kTraining, "values are taken from " + run.from, identity.mono_ns);
  return recorder;
}

std::int64_t RunRecorder::mono_of(std::int64_t wall_ns) {
  const std::int64_t mono_ns = std::max<std::int64_t>(1, wall_ns - wall_minus_mono_ns_);
  newest_ns_ = std::max(newest_ns_, mono_ns);
  return mono_ns;
}

void RunRecorder::post_state(State state, const std::string& text, std::int64_t mono_ns) {
  RankState record;
  record.state = state;
  record.text = text;
  record.wall_ns = mono_ns + wall_minus_mono_ns_;
  post(kNoRank, mono_ns, record);
}

void RunRecorder::change_state(State state, const std::string& text) {
  if (std::exchange(state_, state) != state) post_state(state, text, newest_ns_);
}

bool RunRecorder::known_name(const std::string& name) {
  if (names_.contains(name)) return true;
  return names_.size() < kMostNames && names_.insert(name).second;
}

/// Records a step. A learning rate alone does not make one, as the newest step should have a loss.
void RunRecorder::post_step(Rank rank, RecordSender& record_sender) {
  if (!record_sender.step || is_unknown(record_sender.step->loss)) return;
  record_sender.newest_step = std::max(record_sender.newest_step, record_sender.step->step);
  post(rank, record_sender.step_ns, *record_sender.step);
  record_sender.step.reset();
}

/// If several names mean the same field, the first one counts.
void RunRecorder::add_to_step(Rank rank, RecordSender& record_sender, const Point& point,
                              std::int64_t mono_ns) {
  const auto field = step_field_of(point.name);
  if (!field) return;
  std::string& name = record_sender.names[at(*field)];
  if (name.empty()) name = point.name;
  if (name != point.name) return;
  if (*field == StepField::kEpoch) {
    if (point.value >= 0 && point.value < 1e9)
      record_sender.epoch = static_cast<Epoch>(point.value);
    if (record_sender.step && record_sender.step->step == point.step)
      record_sender.step->epoch = record_sender.epoch;
    return;
  }
  const bool next = !record_sender.step || record_sender.step->step != point.step;
  if (next) post_step(rank, record_sender);
  if (point.step < 0 || point.step >= kMostSteps) return;
  if (point.step - record_sender.newest_step > kFarthestStep) return;
  if (next) record_sender.step = blank_step(record_sender.epoch, point.step);
  record_sender.step_ns = mono_ns;
  if (*field == StepField::kLoss) record_sender.step->loss = narrowed(point.value);
  if (*field == StepField::kLearningRate) record_sender.step->lr = point.value;
  if (*field == StepField::kGradNorm) record_sender.step->grad_norm = narrowed(point.value);
}

Result<void> RunRecorder::add(const Origin& origin, std::span<const Point> points,
                              std::vector<LeftOut>& left_out) {
  Scalar scalar;
  for (const Point& point : points) {
    const Rank rank = point.rank == kNoRank || origin.rank == kNoRank ? origin.rank : point.rank;
    const std::int64_t mono_ns = mono_of(wall_ns_of(point, origin.read_wall_ns));
    const bool prefixed = !origin.prefix.empty() && !point.name.starts_with(origin.prefix);
    scalar.name = prefixed ? origin.prefix + point.name : point.name;
    if (!known_name(scalar.name)) {
      leave_out(left_out,
                {"a name is beyond the first " + std::to_string(kMostNames) + " names of the run",
                 printable_line(scalar.name)});
      continue;
    }
    RecordSender& record_sender = speakers_[rank];
    if (rank != kNoRank) {
      add_to_step(rank, record_sender,
                  {scalar.name, point.step, point.value, point.wall_s, point.rank}, mono_ns);
    }
    if (point.of_step) continue;
    scalar.step = point.step;
    scalar.value = point.value;
    post(rank, mono_ns, scalar);
    if (payload_.size() < kSegmentBytes) continue;
    if (auto written = writer_.append(payload_, std::exchange(records_, 0)); !written)
      return written;
    payload_.clear();
  }
  return {};
}

/// Records a restart of a rank as an agent would.
void RunRecorder::begin_again(Rank rank, Step step) {
  RecordSender& record_sender = speakers_[rank];
  if (rank == kNoRank || record_sender.next_seq == 0) return;
  post_step(rank, record_sender);
  RankHello hello;
  hello.world_size = ranks_;
  hello.device_uuid = "cpu";
  hello.wall_ns = newest_ns_ + wall_minus_mono_ns_;
  hello.attempt = record_sender.attempt;
  if (record_sender.attempt == 0) post(rank, newest_ns_, hello);
  RankGoodbye goodbye;
  goodbye.produced = static_cast<std::int64_t>(record_sender.next_seq) + 1;
  post(rank, newest_ns_, goodbye);
  hello.attempt = ++record_sender.attempt;
  hello.first_step = std::max<Step>(0, step);
  post(rank, newest_ns_, hello);
  record_sender.newest_step = std::min(record_sender.newest_step, hello.first_step);
}

void RunRecorder::note(Severity severity, const std::string& code, const std::string& text) {
  post(kNoRank, newest_ns_, Notice{severity, code, text});
}

Result<void> RunRecorder::flush() {
  for (auto& [rank, record_sender] : speakers_) post_step(rank, record_sender);
  if (payload_.empty()) return {};
  const auto written = writer_.append(payload_, std::exchange(records_, 0));
  payload_.clear();
  return written;
}

Result<void> RunRecorder::end(State state, const std::string& text, std::int64_t wall_ns) {
  constexpr std::int64_t kDayNs = std::int64_t{24} * 3600 * 1'000'000'000;
  const bool of_today = wall_ns - (newest_ns_ + wall_minus_mono_ns_) < kDayNs;
  if (wall_ns != 0 && of_today && state_ != state) (void)mono_of(wall_ns);
  for (auto& [rank, record_sender] : speakers_) post_step(rank, record_sender);
  for (auto& [rank, record_sender] : speakers_) {
    if (rank == kNoRank) continue;
    RankGoodbye goodbye;
    goodbye.produced = static_cast<std::int64_t>(record_sender.next_seq) + 1;
    post(rank, newest_ns_, goodbye);
  }
  change_state(state, text);
  if (const auto written = flush(); !written) return written;
  const auto synced = writer_.sync();
  lock_.reset();
  return synced;
}

}  // namespace ringside::watch
