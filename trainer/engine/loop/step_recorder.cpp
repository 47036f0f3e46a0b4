#include "trainer/engine/loop/step_recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "protocol/host/processor_time.h"
#include "protocol/messages/event_records.h"
#include "trainer/core/step_timer.h"

namespace ringside::engine {
namespace {

// Interval in steps, the same on every rank, so that a mean over ranks covers the same steps.
constexpr Step kRateEverySteps = 10;

}  // namespace

StepRecorder::StepRecorder(cuda::Timeline& timeline, telemetry::Reporter& reporter,
                           core::BucketTracker& buckets, const dist::CollectiveWatch& watch)
    : timeline_(timeline), reporter_(reporter), buckets_(buckets), watch_(watch) {}

bool StepRecorder::dump_losses_to(const std::string& path) {
  if (path.empty()) return true;
  dump_.reset(std::fopen(path.c_str(), "we"));
  return dump_ != nullptr;
}

void StepRecorder::begin(Epoch epoch, Step step) {
  open_ = OpenStep{};
  open_.report.epoch = epoch;
  open_.report.step = step;
  open_.follows = follows_;
  follows_ = true;
  mark(Mark::kBegin);
}

StepRecorder::Recorded StepRecorder::take_recorded() {
  Recorded recorded;
  // The recorded part is from the images of the step to its new weights.
  for (auto mark = static_cast<std::size_t>(Mark::kForwardDone);
       mark <= static_cast<std::size_t>(Mark::kOptimizerDone); ++mark)
    recorded.stamps[mark] = std::exchange(open_.stamps[mark], 0);
  recorded.parts = std::exchange(open_.parts, {});
  buckets_.take(bucket_reports_, true);
  const auto own = std::stable_partition(
      bucket_reports_.begin(), bucket_reports_.end(), [this](const auto& one) {
        return one.step != open_.report.step || one.epoch != open_.report.epoch;
      });
  recorded.buckets.assign(own, bucket_reports_.end());
  bucket_reports_.erase(own, bucket_reports_.end());
  return recorded;
}

void StepRecorder::before_replay(cuda::StepGraph& graph, const Recorded& recorded) {
  for (std::size_t mark = 0; mark < recorded.stamps.size(); ++mark) {
    if (recorded.stamps[mark] != 0)
      open_.stamps[mark] = timeline_.before_replay(graph, recorded.stamps[mark]);
  }
  for (const std::int64_t part : recorded.parts)
    open_.parts.push_back(timeline_.before_replay(graph, part));
  for (messages::BucketReport bucket : recorded.buckets) {
    bucket.epoch = open_.report.epoch;
    bucket.step = open_.report.step;
    bucket.ready_ns = timeline_.before_replay(graph, bucket.ready_ns);
    bucket.reduced_ns = timeline_.before_replay(graph, bucket.reduced_ns);
    open_.last_ready = std::max(open_.last_ready, bucket.ready_ns);
    bucket_reports_.push_back(bucket);
  }
}

void StepRecorder::end(std::int32_t samples, double learning_rate, const StepNumbers& numbers) {
  open_.report.samples = samples;
  open_.report.lr = learning_rate;
  open_.numbers = numbers;
  if (open_.last_ready == 0) open_.last_ready = buckets_.last_ready_ns();
  mark(Mark::kEnd);
  waiting_.push_back(std::move(open_));
  buckets_.take(bucket_reports_, true);
  while (report_front()) {
  }
  while (waiting_.size() > kMostAhead) wait_for_front();
  report_buckets();
}

void StepRecorder::wait_for_front() {
  watch_.wait([this] { return report_front(); }, last_report_.step_ns);
}

// The newest event is checked first: when it has happened, all have.
bool StepRecorder::resolve(const OpenStep& step, std::array<std::int64_t, 8>& times) {
  for (std::size_t i = times.size(); i-- > 0;) {
    const auto time = timeline_.resolve(step.stamps[i]);
    if (!time) return false;
    times[i] = *time;
  }
  part_times_.clear();
  for (const std::int64_t stamp : step.parts) {
    const auto time = timeline_.resolve(stamp);
    if (!time) return false;
    part_times_.push_back(*time);
  }
  return true;
}

bool StepRecorder::report_front() {
  if (waiting_.empty()) return false;
  OpenStep& step = waiting_.front();
  std::array<std::int64_t, 8> times{};
  if (!resolve(step, times)) return false;
  const auto last_ready = timeline_.resolve(step.last_ready);
  if (!last_ready) return false;
  const auto at = [&times](Mark mark) { return times[static_cast<std::size_t>(mark)]; };
  core::StepTimer timer;
  timer.begin(step.follows ? last_end_ns_ : at(Mark::kBegin));
  timer.enter(core::StepPhase::kDataWait, at(Mark::kBegin));
  timer.enter(core::StepPhase::kHostToDevice, at(Mark::kDataReady));
  timer.enter(core::StepPhase::kForward, at(Mark::kOnDevice));
  for (std::size_t i = 0; i + 1 < part_times_.size(); i += 2) {
    timer.enter(core::StepPhase::kBackward, part_times_[i]);
    timer.enter(core::StepPhase::kForward, part_times_[i + 1]);
  }
  timer.enter(core::StepPhase::kBackward, at(Mark::kForwardDone));
  timer.leave_backward(at(Mark::kBackwardDone), *last_ready);
  timer.enter(core::StepPhase::kOptimizer, at(Mark::kOptimizerBegin));
  timer.leave(at(Mark::kOptimizerDone));
  timer.end(at(Mark::kEnd));
  timer.fill(step.report);
  read_numbers(step);
  last_report_ = step.report;
  last_end_ns_ = at(Mark::kEnd);
  report_clock();
  reporter_.post(step.report, last_end_ns_);
  report_rate();
  waiting_.pop_front();
  return true;
}

// Posts changes of the clock before the step that they apply to. The uncertainty is rounded up to a
// power of two and the drift to whole ppm, so that they are posted rarely.
void StepRecorder::report_clock() {
  const auto exact = static_cast<std::uint64_t>(timeline_.uncertainty_ns());
  const auto uncertainty_ns = exact == 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(exact));
  if (uncertainty_ns != reported_uncertainty_ns_) {
    reported_uncertainty_ns_ = uncertainty_ns;
    reporter_.post(messages::ClockSync{reporter_.node(), 0, uncertainty_ns}, last_end_ns_);
  }
  const double drift_ppm = std::round(timeline_.drift_ppm());
  if (std::isnan(drift_ppm) || drift_ppm == reported_drift_ppm_) return;
  reported_drift_ppm_ = drift_ppm;
  reporter_.post(messages::Scalar{"clock_drift_ppm", last_report_.step, drift_ppm}, last_end_ns_);
}

void StepRecorder::report_rate() {
  rate_ns_ += last_report_.step_ns;
  rate_samples_ += last_report_.samples;
  if ((last_report_.step + 1) % kRateEverySteps != 0 || rate_ns_ <= 0) return;
  const double rate = static_cast<double>(rate_samples_) * 1e9 / static_cast<double>(rate_ns_);
  // A name this short needs no heap memory (small string).
  reporter_.post(messages::Scalar{"images_per_s", last_report_.step, rate}, last_end_ns_);
  rate_ns_ = rate_samples_ = 0;
}

void StepRecorder::read_numbers(OpenStep& step) {
  messages::StepReport& report = step.report;
  put_numbers(step.numbers, report);
  if (losses_ != nullptr) losses_->add(report.step, report.loss);
  sums_.loss_sum += static_cast<double>(report.loss) * report.samples;
  sums_.correct += report.correct;
  sums_.counted += report.samples;
  ++sums_.steps;
  if (!dump_) return;
  std::fprintf(dump_.get(), "%lld %.9g %lld %lld\n", static_cast<long long>(report.step),
               static_cast<double>(report.loss), static_cast<long long>(report.step_ns),
               static_cast<long long>(process_cpu_ns()));
}

void StepRecorder::report_buckets() {
  std::size_t kept = 0;
  for (auto& report : bucket_reports_) {
    const auto ready = timeline_.resolve(report.ready_ns);
    const auto reduced = timeline_.resolve(report.reduced_ns);
    if (!ready || !reduced) {
      bucket_reports_[kept++] = report;
      continue;
    }
    report.ready_ns = *ready;
    // The estimate of the device's clock improves with each event, so the order of two events
    // microseconds apart may be reversed when the estimate changes in between.
    report.reduced_ns = std::max(*reduced, *ready);
    reporter_.post(report);
  }
  bucket_reports_.resize(kept);
}

void StepRecorder::report_all() {
  while (!waiting_.empty()) wait_for_front();
}

PassSums StepRecorder::finish_pass() {
  report_all();
  buckets_.take(bucket_reports_, true);
  report_buckets();
  if (dump_) std::fflush(dump_.get());
  const PassSums sums = sums_;
  sums_ = PassSums{};
  interrupt();
  return sums;
}

}  // namespace ringside::engine
