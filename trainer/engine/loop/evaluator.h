// Evaluation passes over the held-out data: when one is due, and how the ranks share it
// (evaluate.mode). Training thread only; collective, so every rank calls it at the same points.
#pragma once

#include "trainer/core/shard_sampler.h"
#include "trainer/engine/loop/evaluate.h"
#include "trainer/engine/loop/loop_reports.h"
#include "trainer/engine/loop/stop_poll.h"

namespace ringside::engine {

class Evaluator {
 public:
  struct Outcome {
    int stop = 0;  ///< stop request that all ranks agreed on during the pass; if above 0, nothing
                   ///< is reported
    double accuracy = 0.0;  ///< over all ranks, each sample once, 0 .. 1
  };

  /// All references must outlive the evaluator.
  static Result<Evaluator> create(RankParts& parts, LoopReports& reports, StopPoll& stop_poll,
                                  const dist::CollectiveWatch& watch);

  bool due(Epoch epoch, bool last) const;
  Result<Outcome> run(messages::Phase phase, Epoch epoch);

 private:
  Evaluator(RankParts& parts, LoopReports& reports, StopPoll& stop_poll, BatchFeed feed);
  Result<int> evaluate_shares(PassResult& result);
  Result<int> evaluate_on_first(PassResult& result);
  Result<PassResult> evaluate_own(const GoOn& go_on);

  RankParts& parts_;
  LoopReports& reports_;
  StopPoll& stop_poll_;
  std::int64_t batch_size_;
  BatchFeed feed_;
  core::EvaluationShard shard_;
};

}  // namespace ringside::engine
