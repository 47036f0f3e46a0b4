#include "trainer/dist/distributed_model.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "trainer/dist/arrival_hook.h"
#include "trainer/dist/last_collective.h"
#include "trainer/dist/rendezvous.h"

namespace ringside::dist {
namespace {

constexpr std::int64_t kBucketsLookedAt = 256;
constexpr std::size_t kBroadcastChunkBytes = std::size_t{250} << 20;

// The reducer's constructor is not a stable interface; a LibTorch with other parameters must not
// compile by accident.
static_assert(std::is_constructible_v<
              c10d::Reducer, std::vector<at::Tensor>, std::vector<std::vector<std::size_t>>,
              c10::intrusive_ptr<c10d::ProcessGroup>, std::vector<bool>, std::int64_t, bool, bool,
              std::unordered_map<std::size_t, std::string>, std::int64_t, bool, bool,
              std::vector<std::int64_t>>);

}  // namespace

struct DistributedModel::Reduction {
  std::shared_ptr<ArrivalState> arrivals;
  std::shared_ptr<c10d::Reducer> reducer;
  std::optional<c10::Event> watched;  ///< set if `arrivals` records on a separate stream

  // A step can be recorded only if all its streams join again. This delays nothing, since the
  // reducer has already waited for the same.
  void join_watch() {
    if (!watched) return;
    const c10::Stream& watch = *arrivals->watch;
    watched->record(watch);
    watched->block(c10::impl::VirtualGuardImpl(watch.device_type()).getStream(watch.device()));
  }
};

DistributedModel::DistributedModel(const ProcessGroups& groups, cuda::Timeline& timeline)
    : groups_(groups), timeline_(timeline) {}

DistributedModel::~DistributedModel() = default;

Result<std::unique_ptr<DistributedModel>> DistributedModel::create(const NamedTensors& parameters,
                                                                   const NamedTensors& buffers,
                                                                   const ProcessGroups& groups,
                                                                   cuda::Timeline& timeline,
                                                                   const ReplicaOptions& options) {
  std::unique_ptr<DistributedModel> model(new DistributedModel(groups, timeline));
  for (const auto& [name, tensor] : parameters) model->parameters_.push_back(tensor);
  for (const auto& [name, tensor] : buffers) model->buffers_.push_back(tensor);
  if (groups.solo()) return model;
  try {
    about_to("comparison of the models");
    c10d::verify_params_across_processes(groups.gradients, model->parameters_, std::nullopt);
    model->share_values();
    model->start_reducer(parameters, options);
    return model;
  } catch (const std::exception& error) {
    return failure("the model could not be set up on rank " + std::to_string(groups.rank) +
                   " together with the other ranks: " + describe(error));
  }
}

void DistributedModel::share_values() {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> all;
  for (const auto& tensor : parameters_) all.push_back(tensor.detach());
  for (const auto& tensor : buffers_) all.push_back(tensor.detach());
  about_to("broadcast of the first weights");
  c10d::broadcast_coalesced(groups_.gradients, all, kBroadcastChunkBytes, 0);
}

void DistributedModel::start_reducer(const NamedTensors& parameters,
                                     const ReplicaOptions& options) {
  const std::vector<bool> sparse(parameters_.size(), false);
  // One bucket in the first step, as in Python; before the second step the buckets are rebuilt in
  // the order of arrival and split.
  auto [assignment, limits] = c10d::compute_bucket_assignment_by_size(
      parameters_, {std::numeric_limits<std::size_t>::max()}, sparse);
  std::vector<std::vector<std::size_t>> buckets(assignment.rbegin(), assignment.rend());
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) names[i] = parameters[i].first;

  reduction_ = std::make_unique<Reduction>();
  reduction_->reducer = std::make_shared<c10d::Reducer>(
      parameters_, std::move(buckets), groups_.gradients, sparse, options.bucket_bytes,
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true, std::move(names),
      options.first_bucket_bytes, /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false, std::vector<std::int64_t>{});
  // Turns off DDP's own timing: its events cost one step in a hundred, and reading them waits.
  reduction_->reducer->set_ddp_runtime_logging_sample_rate(std::numeric_limits<int>::max());
  reduction_->arrivals = std::make_shared<ArrivalState>();
  reduction_->arrivals->group = groups_.gradients;
  reduction_->arrivals->tracker = &bucket_tracker_;
  reduction_->arrivals->timeline = &timeline_;
  const at::Device device = parameters_.front().device();
  if (!device.is_cpu()) {
    reduction_->arrivals->watch =
        c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
    reduction_->watched.emplace(device.type());
  }
  reduction_->arrivals->share = share_of(groups_.world_size, device);
  reduction_->arrivals->non_finite =
      at::zeros({kBucketsLookedAt}, at::TensorOptions(device).dtype(at::kFloat));
  reduction_->reducer->register_comm_hook(std::make_unique<ArrivalHook>(reduction_->arrivals));
}

void DistributedModel::before_forward(Epoch epoch, Step step, bool takes_norm) {
  if (!reduction_) return;
  bucket_tracker_.begin_step(epoch, step);
  ArrivalState& arrivals = *reduction_->arrivals;
  arrivals.buckets.clear();
  arrivals.norms.clear();
  arrivals.non_finite.zero_();
  arrivals.takes_norms = takes_norm;
  reduction_->reducer->prepare_for_forward();
  if (reduction_->reducer->rebuild_buckets()) gradients_moved_ = true;
}

void DistributedModel::before_backward() {
  if (!reduction_) return;
  about_to("gradient bucket exchange");
  reduction_->reducer->prepare_for_backward({});
}

void DistributedModel::after_backward() {
  if (reduction_) reduction_->join_watch();
  if (reduction_ && !gradients_moved_) return;
  gradients_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    gradients_[i] = parameters_[i].mutable_grad();
  gradients_moved_ = false;
}

void DistributedModel::zero_gradients() {
  if (reduction_) {
    // Zeroed in place, since the gradients must remain views into the buckets.
    const at::NoGradGuard no_grad;
    at::_foreach_zero_(gradients_);
    return;
  }
  gradients_.clear();
  for (const auto& parameter : parameters_) parameter.mutable_grad().reset();
}

const std::vector<at::Tensor>& DistributedModel::flat_gradients() const {
  return reduction_ ? reduction_->arrivals->buckets : gradients_;
}

at::Tensor DistributedModel::non_finite_buckets() const {
  if (!reduction_) return {};
  const ArrivalState& arrivals = *reduction_->arrivals;
  const auto count = static_cast<std::int64_t>(arrivals.buckets.size());
  return arrivals.non_finite.narrow(0, 0, std::min(count, kBucketsLookedAt));
}

at::Tensor DistributedModel::local_norm() const {
  if (!reduction_ || reduction_->arrivals->norms.empty()) return {};
  return at::linalg_vector_norm(at::stack(reduction_->arrivals->norms));
}

void DistributedModel::broadcast_buffers() {
  if (groups_.solo() || buffers_.empty()) return;
  const at::NoGradGuard no_grad;
  about_to("broadcast of buffers");
  c10d::broadcast_coalesced(groups_.gradients, buffers_, kBroadcastChunkBytes, 0);
}

std::int64_t DistributedModel::gradient_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& parameter : parameters_) bytes += static_cast<std::int64_t>(parameter.nbytes());
  return bytes;
}

std::uint64_t hash_of(const std::vector<at::Tensor>& tensors) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  const auto mix = [&hash](std::uint64_t word) {
    // splitmix64's finaliser (Steele, Lea and Flood, 2014) over a running sum.
    hash += word + 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
    hash ^= hash >> 31U;
  };
  for (const auto& tensor : tensors) {
    const at::Tensor flat = tensor.detach().to(at::kCPU).contiguous();
    const auto* bytes = static_cast<const char*>(flat.const_data_ptr());
    const std::size_t size = flat.nbytes();
    mix(size);
    for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof word, size - at));
      mix(word);
    }
  }
  return hash;
}

}  // namespace ringside::dist
