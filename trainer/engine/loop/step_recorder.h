// Turns the events of a step into its reports, without ever waiting for a device: what a GPU has
// not finished yet is read some steps later. Training thread only.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "protocol/messages/step_records.h"
#include "trainer/core/bucket_tracker.h"
#include "trainer/core/loss_watch.h"
#include "trainer/cuda/timeline.h"
#include "trainer/dist/collective_watch.h"
#include "trainer/engine/loop/step_numbers.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::engine {

enum class Mark : std::uint8_t {
  kBegin,
  kDataReady,
  kOnDevice,
  kForwardDone,
  kBackwardDone,
  kOptimizerBegin,
  kOptimizerDone,
  kEnd,
};

/// Sums over the steps of an epoch on this rank.
struct PassSums {
  double loss_sum = 0.0;
  std::int64_t correct = 0;
  std::int64_t counted = 0;
  std::int64_t steps = 0;
};

class StepRecorder {
 public:
  /// Maximum number of steps that the host is ahead of its device: enough to keep it busy, few
  /// enough that batches are still in their buffers.
  static constexpr std::size_t kMostAhead = 8;

  /// `watch` reports when to stop waiting for a device that hangs. All references must outlive this
  /// object.
  StepRecorder(cuda::Timeline& timeline, telemetry::Reporter& reporter,
               core::BucketTracker& buckets, const dist::CollectiveWatch& watch);

  /// Passes the loss of every reported step to `losses`, which must outlive this object.
  void watch(core::LossWatch& losses) { losses_ = &losses; }
  /// Writes lines "step loss step_ns cpu_ns", too. Nine digits restore a float exactly; cpu_ns is
  /// the processor time of all threads since the process began. An empty path turns it off.
  bool dump_losses_to(const std::string& path);

  /// Begins a step. It starts when the previous step ended, so that all work of the loop is inside
  /// a step; the first step of a pass, and one after interrupt(), start now.
  void begin(Epoch epoch, Step step);
  /// The time until the next begin() belongs to no step.
  void interrupt() { follows_ = false; }
  void mark(Mark mark) { open_.stamps[static_cast<std::size_t>(mark)] = timeline_.record(); }
  /// With gradient accumulation, marks the end of each forward and backward pass in turn, for every
  /// part but the last.
  void mark_part() { open_.parts.push_back(timeline_.record()); }

  /// The events inside a step that a device replays.
  struct Recorded {
    std::array<std::int64_t, 8> stamps{};
    std::vector<std::int64_t> parts;
    std::vector<messages::BucketReport> buckets;
  };
  /// Call after recording the step and before replaying it, since recording does not take the times
  /// of a step.
  Recorded take_recorded();
  /// Call before each replay.
  void before_replay(cuda::StepGraph& graph, const Recorded& recorded);
  /// Ends the step, and reports every step that is complete. Waits when the device is kMostAhead
  /// steps behind; throws when it hangs.
  void end(std::int32_t samples, double learning_rate, const StepNumbers& numbers);
  /// Waits until every step is reported; throws when the device hangs.
  void report_all();
  /// Reports all steps at the end of a pass; returns the sums since the last call.
  PassSums finish_pass();
  std::int64_t last_step_ns() const { return last_report_.step_ns; }
  /// The newest step that was reported.
  const messages::StepReport& last_report() const { return last_report_; }

 private:
  struct OpenStep {
    messages::StepReport report;
    std::array<std::int64_t, 8> stamps{};
    std::vector<std::int64_t> parts;
    std::int64_t last_ready = 0;
    bool follows = false;  ///< starts when the previous step ended
    StepNumbers numbers;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool report_front();
  void wait_for_front();
  void report_clock();
  void report_rate();
  bool resolve(const OpenStep& step, std::array<std::int64_t, 8>& times);
  void report_buckets();
  void read_numbers(OpenStep& step);

  cuda::Timeline& timeline_;
  telemetry::Reporter& reporter_;
  core::BucketTracker& buckets_;
  const dist::CollectiveWatch& watch_;
  core::LossWatch* losses_ = nullptr;
  OpenStep open_;
  std::deque<OpenStep> waiting_;
  std::vector<messages::BucketReport>
      bucket_reports_;  ///< times are event numbers until they are resolved
  std::vector<std::int64_t> part_times_;
  PassSums sums_;
  bool follows_ = false;          ///< for the next step
  std::int64_t last_end_ns_ = 0;  ///< end of the newest reported step
  std::int64_t reported_uncertainty_ns_ = 0;
  double reported_drift_ppm_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rate_ns_ = 0;  ///< time of the steps since the rate was last reported
  std::int64_t rate_samples_ = 0;
  messages::StepReport last_report_;
  std::unique_ptr<std::FILE, Close> dump_;
};

}  // namespace ringside::engine
