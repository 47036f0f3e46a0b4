// Everything one rank owns while it trains, and the way to get it ready: device, groups, data,
// network, optimizer. Made once, on the training thread; members go in reverse order, so that
// collectives end before their sockets.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/core/batch_memory.h"
#include "trainer/data/dataset.h"
#include "trainer/dist/distributed_model.h"
#include "trainer/dist/environment.h"
#include "trainer/dist/process_groups.h"
#include "trainer/engine/data_parallel.h"
#include "trainer/engine/device_placement.h"
#include "trainer/engine/fault.h"
#include "trainer/engine/loss_scaler.h"
#include "trainer/engine/optimizer.h"
#include "trainer/models/model.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::engine {

/// What the command line adds to the spec.
struct RankOptions {
  std::filesystem::path
      folder;  ///< run folder (or --out): checkpoints go below it; empty: none are written
  std::filesystem::path rendezvous;  ///< file through which the ranks meet; empty: TCP
  std::string dump_losses;    ///< test hook: "step loss step_ns cpu_ns" lines, one file per rank
  std::string weights_in;     ///< test hook: starting weights, over model.init_from
  std::string weights_out;    ///< test hook: weights at the end, written by rank 0
  bool group_of_one = false;  ///< one rank makes its process groups too
  bool share_gpu = false;     ///< all ranks are on one GPU, and their gradients go through Gloo
};

struct RankParts {
  messages::RunSpec spec;
  dist::LaunchEnvironment env;
  RankOptions options;
  int threads = 1;
  DevicePlacement placement;
  std::unique_ptr<cuda::Timeline> timeline;
  c10::intrusive_ptr<c10d::Store> store;
  dist::ProcessGroups groups;
  data::DatasetPair data;
  messages::BatchFacts facts;
  Fault fault;                     ///< outlives the network, into which it may be hooked
  core::BatchMemory batch_memory;  ///< of each loader
  std::optional<models::AnyModel> network;
  std::unique_ptr<dist::DistributedModel> replica;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<LossScaler> scaler;           ///< with fp16
  std::unique_ptr<DataParallel> data_parallel;  ///< with devices.parallel = "dp"
  std::vector<at::Device> devices;              ///< more than one only then
  std::vector<std::string> warnings;  ///< what is possible here but slow or not what was meant

  bool is_first_rank() const { return env.rank == 0; }
};

/// Samples that this rank evaluates at a time.
std::int64_t evaluation_batch(const RankParts& parts);

/// Decides batch_memory, once device, data and facts are known, and warns where data.pinned_mib is
/// short.
void plan_batch_memory(RankParts& parts);

/// limits.collective_timeout_s.
std::chrono::milliseconds collective_timeout(const messages::RunSpec& spec);

/// `spec` as stored; its world size gives way to the one this rank was started in. Blocks in the
/// rendezvous.
Result<std::unique_ptr<RankParts>> prepare_rank(const messages::RunSpec& spec,
                                                const dist::LaunchEnvironment& env,
                                                const RankOptions& options,
                                                const cuda::CudaModule& cuda);

/// The first record of this rank. `first_step`: above 0 after a resume.
messages::RankHello hello_of(const RankParts& parts, Step first_step);

}  // namespace ringside::engine
