// Everything that one rank owns while it trains, and its preparation: device, groups, data,
// network, optimizer. Created once, on the training thread. Members are destroyed in reverse order,
// so that collectives end before their sockets.
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
#include "trainer/engine/loop/rank_options.h"
#include "trainer/engine/loss_scaler.h"
#include "trainer/engine/optimizer.h"
#include "trainer/models/model.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::engine {

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
  Fault fault;                     ///< outlives the network, which may have its hooks
  core::BatchMemory batch_memory;  ///< for each loader
  std::optional<models::AnyModel> network;
  std::unique_ptr<dist::DistributedModel> replica;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<LossScaler> scaler;           ///< with fp16
  std::unique_ptr<DataParallel> data_parallel;  ///< with devices.parallel = "dp"
  std::vector<at::Device> devices;              ///< more than one only with "dp"
  std::vector<std::string> warnings;  ///< settings that are allowed but slow, or probably not
                                      ///< intended

  bool is_first_rank() const { return env.rank == 0; }
};

std::int64_t evaluation_batch(const RankParts& parts);

/// Decides batch_memory once device, data and facts are known, and warns when data.pinned_mib is
/// too small.
void plan_batch_memory(RankParts& parts);

/// limits.collective_timeout_s.
std::chrono::milliseconds collective_timeout(const messages::RunSpec& spec);

/// `spec` as stored; its world size is replaced by that of the environment. Blocks in the
/// rendezvous.
Result<std::unique_ptr<RankParts>> prepare_rank(const messages::RunSpec& spec,
                                                const dist::LaunchEnvironment& env,
                                                const RankOptions& options,
                                                const cuda::CudaModule& cuda);

/// The first record of this rank. `first_step` is above 0 after a resume.
messages::RankHello hello_of(const RankParts& parts, Step first_step);

}  // namespace ringside::engine
