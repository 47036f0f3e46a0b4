// A real run for a check: started through an agent in a temporary folder and followed while it
// runs; the destructor ends all its processes. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gui/doctor/verdicts.h"
#include "gui/launch/machine.h"
#include "gui/model/run_model.h"
#include "gui/runs/run_source.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/messages/step_records.h"

namespace ringside::doctor {

/// Settings and devices that the checks use.
struct Site {
  launch::Machine machine;  ///< with free GPUs only
  bool gpu = false;         ///< ranks use GPUs, otherwise CPU slots
  bool quick = false;
  std::filesystem::path folder;  ///< for the runs of all checks
  launch::Cancelled cancelled;
  std::int64_t deadline_ns = 0;  ///< of the current check

  /// Number of ranks: `most`, or on GPUs the number of GPUs if that is smaller.
  Rank ranks(Rank most) const;
};

/// A short training on generated digits, without evaluation or checkpoints.
messages::RunSpec short_run(const Site& site, Rank ranks);
/// If there are more ranks than GPUs, ringside-check puts all of them on one GPU, with gradients
/// over Gloo; to the agent, which never shares a GPU, they are CPU slots.
void share_one_gpu(const Site& site, messages::RunSpec& spec);
/// A short_run() of ringside-check with these arguments.
Result<messages::RunSpec> checked_run(const Site& site, Rank ranks,
                                      const std::vector<std::string>& arguments);

struct TimedStep {
  Rank rank = 0;
  std::int64_t end_ns = 0;
  messages::StepReport report;
};
struct TimedBucket {
  Rank rank = 0;
  messages::BucketReport report;
};

class Trial {
 public:
  static Result<std::unique_ptr<Trial>> start(const Site& site, const messages::RunSpec& spec);
  /// Ends all processes of the run.
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Follows the run until `seen` is true for the records so far. Fails if the run ends before, and
  /// at the deadline.
  Result<void> follow_until(const std::function<bool(const Trial&)>& seen);
  /// Follows the run until it has ended, in whatever way, and everything is read.
  Result<void> follow_to_end();
  /// Like follow_to_end(), but fails if the run did not finish.
  Result<void> finish();
  /// Starts a new attempt in the same folder after the last one has ended.
  Result<void> restart_run();

  const model::RunModel& model() const { return sink_.model; }
  const std::vector<TimedStep>& steps() const { return sink_.steps; }
  const std::vector<TimedBucket>& buckets() const { return sink_.buckets; }
  const runlog::RunFolder& folder() const { return folder_; }
  std::int32_t agent_pid() const { return agent_pid_; }
  /// Process ids of the newest attempt's ranks, by rank; empty until all are known.
  std::vector<std::int32_t> rank_pids() const;
  /// Drift of each rank's device clock against the host's in ppm, where it was reported.
  const std::map<Rank, double>& drifts_ppm() const { return sink_.drifts_ppm; }
  /// The newest step that all ranks have reported; -1: none.
  Step newest_step() const { return sink_.model.newest_common_step(); }
  /// Text such as "failed: rank 1 ..."; empty: unknown.
  std::string state_text() const;
  /// Loss of each step as the mean of the ranks, weighted by samples.
  std::vector<double> losses() const;
  std::string output_of(Rank rank) const;
  /// The line "facts {...}" of every rank; fails if one is missing.
  Result<RankFacts> facts() const;

 private:
  struct Sink final : messages::RecordSink {
    explicit Sink(messages::RunSpec spec) : model(std::move(spec)) {}
    void accept(const messages::Stamp& stamp, const messages::Record& record) override;
    model::RunModel model;
    std::vector<TimedStep> steps;
    std::vector<TimedBucket> buckets;
    std::map<Rank, double> drifts_ppm;
  };

  Trial(const Site& site, const messages::RunSpec& spec, runlog::RunFolder folder,
        std::int32_t agent_pid);
  Result<bool> poll();
  Result<void> in_time() const;

  const Site& site_;
  runlog::RunFolder folder_;
  std::int32_t agent_pid_;
  std::int32_t attempt_ = 0;
  Rank ranks_;
  Sink sink_;
  runs::RunSource source_;
};

}  // namespace ringside::doctor
