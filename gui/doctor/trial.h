// A real run of a check: started through an agent in a folder of its own, followed while it goes
// on, and gone with all its processes when the object ends. One thread.
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

/// Where and how the checks run.
struct Site {
  launch::Machine machine;  ///< with the GPUs that are free alone
  bool gpu = false;         ///< ranks on GPUs, else on CPU slots
  bool quick = false;
  std::filesystem::path folder;  ///< of the runs of all checks
  launch::Cancelled cancelled;
  std::int64_t deadline_ns = 0;  ///< of the check under way

  /// Number of ranks: at most `most`, on GPUs no more than there are.
  Rank ranks(Rank most) const;
};

/// A short training on generated digits that evaluates and saves nothing.
messages::RunSpec short_run(const Site& site, Rank ranks);
/// More ranks than there are GPUs have ringside-check put them all on one, with gradients over
/// Gloo; the agent, which gives no GPU to two ranks, takes them for CPU slots.
void share_one_gpu(const Site& site, messages::RunSpec& spec);
/// A short_run() by ringside-check with these arguments.
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
  /// Ends whatever still runs of it.
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Follows the run until `seen` holds for what was read so far. Fails when the run ends before,
  /// and at the deadline.
  Result<void> follow_until(const std::function<bool(const Trial&)>& seen);
  /// Follows the run until it has ended and all is read, whichever way it ended.
  Result<void> follow_to_end();
  /// Follows the run to its end as follow_to_end(); fails when it did not finish.
  Result<void> finish();
  /// A new attempt in the same folder, after the end of the last one.
  Result<void> start_again();

  const model::RunModel& model() const { return sink_.model; }
  const std::vector<TimedStep>& steps() const { return sink_.steps; }
  const std::vector<TimedBucket>& buckets() const { return sink_.buckets; }
  const runlog::RunFolder& folder() const { return folder_; }
  std::int32_t agent_pid() const { return agent_pid_; }
  /// Process ids of the newest attempt's ranks, by rank; empty while not all are known.
  std::vector<std::int32_t> rank_pids() const;
  /// The millionths by which the clock of a rank's device runs fast, where that was said.
  const std::map<Rank, double>& drifts_ppm() const { return sink_.drifts_ppm; }
  /// The newest step that all ranks have reported; -1: none.
  Step newest_step() const { return sink_.model.newest_common_step(); }
  /// "failed: rank 1 ..."; empty: not known.
  std::string state_text() const;
  /// Mean over the ranks by samples.
  std::vector<double> losses() const;
  /// What a rank has written to its standard output.
  std::string output_of(Rank rank) const;
  /// The line "facts {...}" of every rank; fails where one is missing.
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
