// A synthetic run as records, for tests of models, views and panels: run #1042 of the design
// drawings, ResNet-50 on CIFAR-10, 4 GPUs, 98 steps x 60 epochs, stopped at epoch 47 step 61, rank
// 2 late while loading data; and its baseline #983. Everything depends only on the options, so the
// same options give the same records. Tests only.
#pragma once

#include <cstdint>

#include "protocol/messages/record_sink.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::support {

struct DemoOptions {
  Rank ranks = 4;
  Node nodes = 1;
  Step steps_per_epoch = 98;
  Epoch epochs = 60;
  Step steps = 46 * 98 + 61;  ///< reported by every rank; the end of the run with `finish`
  std::int64_t batch = 128;   ///< per rank
  Rank late_rank = 2;         ///< kNoRank: no rank is late
  double late_ms = 7.3;       ///< extra data wait of the late rank
  double late_share = 0.83;   ///< of steps
  bool gpus = true;
  bool buckets = true;         ///< report gradient buckets (never for one rank)
  bool finish = false;         ///< goodbye and final states at the end
  Step nan_from = -1;          ///< loss of rank 1 is NaN from this step on
  Rank killed_rank = kNoRank;  ///< killed by SIGKILL at the last step; the run fails
  Step lose_every = 0;         ///< every n-th step report of rank 0 is lost (a gap in the sequence)
  Step resume_from =
      -1;  ///< after `steps`, a second attempt begins at this step and continues until `resume_to`
  Step resume_to = -1;
  int metrics = 0;           ///< scalars that every rank logs, every fifth step
  double compute_ms = 77.2;  ///< compute time of a rank that is not late
  std::int64_t start_ns = 1'000'000'000'000;
  std::int64_t wall_ns = 1'795'271'067'000'000'000;  ///< wall clock at start_ns
  double accuracy = 0.7554;                          ///< of validation at the end
};

/// Run with 4 GPUs, training, in epoch 47 of 60.
DemoOptions demo_run();
/// Run with one GPU, 391 steps x 60 epochs, finished in 33:38 with 76 %.
DemoOptions demo_baseline();
/// Run with `ranks` ranks, 3 epochs of 40 steps, finished: fast to replay.
DemoOptions demo_small(Rank ranks);

messages::RunSpec demo_spec(const DemoOptions& options);
/// Emits all records of the run in the order in which an agent would have written them.
void play_demo(const DemoOptions& options, messages::RecordSink& sink);

}  // namespace ringside::support
