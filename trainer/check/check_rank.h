// The input and the results of a check that runs in a rank. A check is a function that runs on the
// training thread of a process of its own and throws what LibTorch throws; its results are judged
// elsewhere.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "protocol/messages/spec/run_spec.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {

/// Numbers by name, printed as one line.
using Facts = nlohmann::json;

struct CheckRank {
  messages::RunSpec spec;
  dist::LaunchEnvironment env;
  engine::RankOptions options;
  cuda::CudaModule cuda;
  std::filesystem::path run_dir;
  bool quick = false;
};

/// Device, groups, data and network of this rank, as a training has them.
inline Result<std::unique_ptr<engine::RankParts>> prepare(const CheckRank& rank) {
  return engine::prepare_rank(rank.spec, rank.env, rank.options, rank.cuda);
}

/// All-reduce of whole numbers, from 4 B up: what came out wrong, and the bus bandwidth.
Result<Facts> sums(const CheckRank& rank);
/// fp16 with an overflow on the last rank alone: scale, weights and whether the step was skipped.
Result<Facts> overflow(const CheckRank& rank);
/// Loader, copy and model alone and together, in seconds per round.
Result<Facts> feed(const CheckRank& rank);
/// GPU: versions, a convolution, a matrix product and an NCCL all-reduce.
Result<Facts> load(const CheckRank& rank);
/// Batches through the loader to a device that is kept busy: sums of their bits, and the bandwidth.
Result<Facts> copies(const CheckRank& rank);
/// GPU: prints which device it has. Rank 0 allocates 1 GiB when the file `go` appears in the run
/// folder, and all ranks stay until they are asked to stop.
Result<Facts> hold(const CheckRank& rank);
/// Two ranks or more: seconds of an all-reduce by size, and of a step of the spec's model that
/// nobody exchanges, by rank 0 alone and by all at once.
Result<Facts> links(const CheckRank& rank);

}  // namespace ringside::check
