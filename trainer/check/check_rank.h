// Input and results of a check that runs in a rank. A check is a function that runs on the training
// thread of its own process and throws what LibTorch throws. Its results are evaluated elsewhere.
// Without LibTorch, so that the main file is compiled quickly.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "protocol/messages/spec/run_spec.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/loop/rank_options.h"

namespace ringside::engine {
struct RankParts;
}

namespace ringside::check {

/// Numbers by name, printed as one line of JSON.
using Facts = nlohmann::json;

struct CheckRank {
  messages::RunSpec spec;
  dist::LaunchEnvironment env;
  engine::RankOptions options;
  cuda::CudaModule cuda;
  std::filesystem::path run_dir;
  bool quick = false;
};

/// Prepares device, groups, data and network of this rank, as in a training.
Result<std::unique_ptr<engine::RankParts>> prepare(const CheckRank& rank);

using Measurement = Result<Facts> (*)(const CheckRank&);
/// Runs the measurement. An exception of LibTorch becomes an error.
Result<Facts> take(Measurement measurement, const CheckRank& rank);

/// All-reduce of whole numbers, from 4 B up: number of wrong results, and the bus bandwidth.
Result<Facts> sums(const CheckRank& rank);
/// fp16 with an overflow on the last rank only: scale, weights and whether the step was skipped.
Result<Facts> overflow(const CheckRank& rank);
/// Loader, copy and model, each alone and together, in seconds per round.
Result<Facts> feed(const CheckRank& rank);
/// GPU: versions, a convolution, a matrix product and an NCCL all-reduce.
Result<Facts> load(const CheckRank& rank);
/// Batches through the loader to a busy device: sums of their bits, and the bandwidth.
Result<Facts> copies(const CheckRank& rank);
/// GPU: prints which device it has. Rank 0 allocates 1 GiB when the file `go` appears in the run
/// folder; all ranks run until they are asked to stop.
Result<Facts> hold(const CheckRank& rank);
/// At least two ranks: seconds of an all-reduce by size, and of a step of the spec's model without
/// all-reduce, on rank 0 alone and on all ranks at once.
Result<Facts> links(const CheckRank& rank);

}  // namespace ringside::check
