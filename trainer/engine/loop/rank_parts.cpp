#include "trainer/engine/loop/rank_parts.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>

#include <torch/torch.h>

#include "protocol/messages/forming_phases.h"
#include "trainer/cuda/cuda_api.h"
#include "trainer/cuda/event_timeline.h"
#include "trainer/data/image_files.h"
#include "trainer/dist/forming.h"
#include "trainer/dist/rendezvous.h"
#include "trainer/dist/sync_batchnorm.h"
#include "trainer/engine/checkpoint/weights.h"
#include "trainer/engine/numerics.h"
#include "trainer/engine/rank_records.h"

namespace ringside::engine {
namespace {

constexpr std::size_t kEventsKept = 8192;
/// Number of loader batches that may be in use before the GPU has copied them.
constexpr std::int64_t kBatchesKept = 10;
/// Minimum evaluation batch when none is set: evaluation has no gradients, so the batch need not be
/// small.
constexpr std::int64_t kEvaluationBatch = 64;
/// Maximum size of one half's decoded images that the ranks of a host share. The page cache holding
/// them is reclaimed when memory is short.
constexpr std::size_t kSharedImageBytes = std::size_t{4} << 30;

at::Device device_of(const DevicePlacement& placement, std::int64_t number) {
  if (!placement.on_cuda()) return at::kCPU;
  return {at::kCUDA, static_cast<at::DeviceIndex>(placement.index + number)};
}

Result<void> connect_ranks(RankParts& parts) {
  const auto timeout = collective_timeout(parts.spec);
  if (parts.env.world_size > 1 || parts.options.group_of_one) {
    const dist::Forming forming(messages::kRendezvous, timeout);
    auto store = RINGSIDE_TRY(dist::open_store(parts.env, {parts.options.rendezvous, timeout}));
    parts.store = store;
  }
  if (parts.placement.on_cuda() && parts.store && !parts.options.share_gpu) {
    const dist::Forming forming(messages::kDeviceNames, timeout);
    const auto alone = dist::check_own_device(*parts.store, parts.env, parts.placement.uuid);
    if (!alone) return alone;
  }
  dist::GroupOptions options;
  options.timeout = timeout;
  options.loopback = !parts.options.rendezvous.empty() ||
                     dist::is_loopback(parts.env.master_addr) ||
                     parts.env.world_size == parts.env.local_world_size;
  if (!options.loopback) options.address = dist::address_towards(parts.env.master_addr);
  options.of_one = parts.options.group_of_one;
  options.gpu_over_gloo = parts.options.share_gpu;
  options.cuda = parts.options.share_gpu ? nullptr : parts.placement.cuda;
  options.device_index = parts.placement.index;
  auto groups =
      dist::make_process_groups(parts.store, parts.env.rank, parts.env.world_size, options);
  if (!groups) return pass(groups);
  parts.groups = *groups;
  return {};
}

Result<void> load_data(RankParts& parts) {
  auto data = RINGSIDE_TRY(data::load_datasets(parts.spec.data));
  parts.data = std::move(data);
  if (parts.spec.model.name != "none") {
    const auto classes = data::check_classes(parts.data, parts.spec.model.classes);
    if (!classes) return classes;
  }
  auto facts = RINGSIDE_TRY(messages::batch_facts(parts.spec, parts.data.train.count));
  parts.facts = facts;
  return {};
}

/// Lets the ranks of a host share decoded images, so that each image is decoded only once. Returns
/// the files that hold them.
std::vector<std::filesystem::path> share_images(RankParts& parts) {
  std::vector<std::filesystem::path> files;
  if (!parts.data.train.files || parts.env.local_world_size < 2 || parts.options.folder.empty() ||
      !data::SharedImages::is_near(parts.options.folder))
    return files;
  std::error_code error;
  const auto room = std::filesystem::space(parts.options.folder, error).available;
  const std::size_t most = error ? 0 : std::min<std::size_t>(kSharedImageBytes, room / 4);
  for (const auto* half : {&parts.data.train, &parts.data.test}) {
    files.push_back(parts.options.folder /
                    ("images_" + std::to_string(parts.env.node) + "_" +
                     std::to_string(parts.env.attempt) + "_" + std::to_string(files.size())));
    const auto shared = half->files->share(files.back(), most);
    if (!shared) parts.warnings.push_back(shared.error().message);
  }
  return files;
}

std::int64_t batch_bytes(const data::Dataset& dataset, std::int64_t samples) {
  return samples * static_cast<std::int64_t>(dataset.sample_size() + sizeof(std::int64_t));
}

// Must run before the reducer is built, which lays out its buckets by the parameters.
void to_channels_last(models::AnyModel& network) {
  const at::NoGradGuard no_grad;
  for (auto& [name, parameter] : network.named_parameters()) {
    if (parameter.dim() != 4) continue;
    // Copied explicitly: with one input channel contiguous() does nothing, and the convolution
    // would not see the layout.
    const at::Tensor moved =
        at::empty_like(parameter, parameter.options(), at::MemoryFormat::ChannelsLast);
    moved.copy_(parameter);
    at::Tensor(parameter).set_data(moved);
  }
}

Result<models::AnyModel> make_network(const RankParts& parts) {
  const data::Dataset& train = parts.data.train;
  const bool sync = parts.spec.model.sync_batchnorm && !parts.groups.solo();
  const auto* kernels = parts.placement.on_cuda() ? &dist::cuda_norm_kernels() : nullptr;
  auto network = models::make_model(
      parts.spec.model, {train.channels, train.height, train.width},
      static_cast<std::uint64_t>(parts.spec.train.seed),
      sync ? dist::make_sync_batchnorm(parts.groups, kernels) : models::NormFunction());
  if (network && parts.spec.train.channels_last) to_channels_last(*network);
  return network;
}

Result<void> build_network(RankParts& parts) {
  auto network = RINGSIDE_TRY(make_network(parts));
  parts.network = network;
  const std::string& init =
      parts.options.weights_in.empty() ? parts.spec.model.init_from : parts.options.weights_in;
  if (!init.empty()) {
    if (auto loaded = load_weights(init, parts.network->state()); !loaded) return loaded;
  }
  if (parts.placement.on_cuda()) parts.network->module().to(parts.placement.device);
  auto replica =
      dist::DistributedModel::create(parts.network->named_parameters(),
                                     parts.network->named_buffers(), parts.groups, *parts.timeline);
  if (!replica) return pass(replica);
  parts.replica = std::move(*replica);
  parts.fault.arm(parts.spec.inject, parts.env.rank, parts.replica->parameters());
  parts.optimizer = std::make_unique<Optimizer>(parts.replica->parameters(), parts.spec.optimizer);
  if (parts.spec.train.precision == "fp16")
    parts.scaler = std::make_unique<LossScaler>(parts.placement.device);
  if (parts.spec.devices.parallel != "dp") return {};
  auto parallel = DataParallel::create(
      *parts.network, [&parts] { return make_network(parts); }, parts.devices);
  if (!parallel) return pass(parallel);
  parts.data_parallel = std::move(*parallel);
  return {};
}

// Each step allocates the same few hundred kilobytes. By default the C library returns them to the
// kernel in between, which costs every step some 150 page faults, a tenth of the ConvNet's
// processor time.
void keep_freed_memory() {
  constexpr int kKept_bytes = 1 << 30;
  constexpr int kLargestFromHeap_bytes = 32 << 20;  ///< maximum that the C library allows
  ::mallopt(M_TRIM_THRESHOLD, kKept_bytes);
  ::mallopt(M_MMAP_THRESHOLD, kLargestFromHeap_bytes);
  ::mallopt(M_TOP_PAD, 16 << 20);
}

}  // namespace

std::int64_t evaluation_batch(const RankParts& parts) {
  const std::int64_t set = parts.spec.evaluate.batch;
  return set > 0 ? set : std::max(kEvaluationBatch, parts.facts.per_rank_batch);
}

// On a CPU slot a batch is used directly in the loader's memory.
void plan_batch_memory(RankParts& parts) {
  constexpr std::int64_t kReady = 4;
  const std::int64_t workers = parts.spec.data.workers;
  const std::int64_t ahead = workers > 0 ? std::max(kReady, workers) : 0;
  parts.batch_memory = {1, ahead};
  if (!parts.placement.on_cuda()) return;
  const std::int64_t train =
      parts.spec.data.on_device ? 0 : batch_bytes(parts.data.train, parts.facts.per_rank_batch);
  const std::int64_t test = parts.spec.evaluate.mode == "none"
                                ? 0
                                : batch_bytes(parts.data.test, evaluation_batch(parts));
  const core::BatchMemory wanted{kBatchesKept, ahead};
  const std::int64_t limit_mib = parts.spec.data.pinned_mib;
  parts.batch_memory = core::fit_batches(wanted, train + test, limit_mib << 20);
  if (parts.batch_memory == wanted) return;
  const auto mib = [&](const core::BatchMemory& memory) {
    return std::to_string((memory.batches() * (train + test) + (1 << 20) - 1) >> 20);
  };
  parts.warnings.push_back(
      "data.pinned_mib = " + std::to_string(limit_mib) + " holds " +
      std::to_string(parts.batch_memory.batches()) + " batches of each loader (" +
      mib(parts.batch_memory) + " MiB) instead of " + std::to_string(wanted.batches()) + " (" +
      mib(wanted) + " MiB); raise it if steps wait for data and the machine has the memory");
}

std::chrono::milliseconds collective_timeout(const messages::RunSpec& spec) {
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(spec.limits.collective_timeout_s * 1000.0));
}

Result<std::unique_ptr<RankParts>> prepare_rank(const messages::RunSpec& spec,
                                                const dist::LaunchEnvironment& env,
                                                const RankOptions& options,
                                                const cuda::CudaModule& cuda) {
  keep_freed_memory();
  auto parts = std::make_unique<RankParts>();
  parts->spec = spec;
  const bool one_process = spec.devices.parallel == "dp";
  if (one_process && env.world_size != 1) {
    return bad_request(
        "devices.parallel = \"dp\" is one process for all devices, and this is one of " +
        std::to_string(env.world_size));
  }
  if (!one_process) parts->spec.devices.world_size = env.world_size;
  parts->env = env;
  parts->options = options;
  parts->threads =
      choose_threads(std::getenv("OMP_NUM_THREADS"), spec.devices.threads, env.local_world_size);
  at::set_num_threads(parts->threads);
  apply_numerics(parts->spec);
  const std::int64_t devices = one_process ? spec.devices.world_size : 1;
  auto placement = RINGSIDE_TRY(choose_placement(spec.devices.kind, cuda, env, devices));
  parts->placement = placement;
  RINGSIDE_TRY(check_numerics(parts->spec, parts->placement));
  parts->warnings = numerics_warnings(parts->spec, parts->placement);
  if (!parts->placement.fallback.empty())
    parts->warnings.insert(parts->warnings.begin(), parts->placement.fallback);
  for (std::int64_t i = 0; i < devices; ++i)
    parts->devices.push_back(device_of(parts->placement, i));
  if (parts->spec.train.cuda_graph) parts->placement.cuda->leave_default_stream();
  if (parts->placement.on_cuda()) {
    parts->timeline =
        std::make_unique<cuda::EventTimeline>(parts->placement.cuda->make_events(kEventsKept));
  } else {
    parts->timeline = std::make_unique<cuda::HostTimeline>();
  }
  // Data first, so that missing files are reported before ranks wait for each other.
  RINGSIDE_TRY(load_data(*parts));
  const auto shared = share_images(*parts);
  plan_batch_memory(*parts);
  const auto connected = connect_ranks(*parts);
  // All ranks have connected by now, so all have the files open. Deleting them now leaves nothing
  // behind, however the run ends.
  std::error_code ignored;
  for (const auto& file : shared) std::filesystem::remove(file, ignored);
  if (!connected) return pass(connected);
  RINGSIDE_TRY(build_network(*parts));
  return parts;
}

messages::RankHello hello_of(const RankParts& parts, Step first_step) {
  messages::RankHello hello = rank_hello(parts.env);
  hello.device_index = parts.placement.number_on_node;
  hello.device_uuid = parts.placement.uuid;
  hello.device_name = parts.placement.name;
  hello.backend = parts.groups.backend;
  hello.versions = parts.placement.versions + tf32_text(parts.spec, parts.placement);
  hello.threads = parts.threads;
  for (const auto& parameter : parts.replica->parameters()) hello.parameters += parameter.numel();
  hello.gradient_bytes = parts.replica->gradient_bytes();
  hello.steps_per_epoch = parts.facts.steps_per_epoch;
  hello.epochs = parts.spec.train.epochs;
  hello.first_step = first_step;
  return hello;
}

}  // namespace ringside::engine
