#include "trainer/engine/loop/replica_watch.h"

#include <limits>

#include <torch/torch.h>

#include "trainer/core/replica_sums.h"
#include "trainer/dist/last_collective.h"
#include "trainer/engine/loop/step_recorder.h"

namespace ringside::engine {
namespace {

/// Steps after which the device has certainly finished, since a host is never further ahead.
constexpr auto kLater = static_cast<Step>(StepRecorder::kMostAhead) + 2;

Step steps_between(const RankParts& parts) {
  const Step every = parts.spec.train.compare_every;
  if (every == 0 || parts.groups.solo()) return 0;
  return std::max(every, 2 * kLater + 1);
}

}  // namespace

at::Tensor sum_of_bits(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> sums;
  std::int64_t place = 1;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor bits =
        parameter.detach().view(parameter.element_size() == 4 ? at::kInt : at::kByte);
    sums.push_back(bits.sum(at::kLong) * place++);
  }
  return at::stack(sums).sum();
}

ReplicaWatch::ReplicaWatch(const RankParts& parts, LoopReports& reports)
    : parts_(parts), reports_(reports), every_(steps_between(parts)) {}

void ReplicaWatch::after_step(Step steps) {
  if (every_ == 0 || apart_) return;
  if (sent_ && steps >= taken_at_ + 2 * kLater) compare();
  if (taken_at_ >= 0 && !sent_ && steps >= taken_at_ + kLater) send();
  if (steps % every_ != 0 || taken_at_ >= 0) return;
  const at::Tensor sum = sum_of_bits(parts_.replica->parameters());
  sum_ = at::empty({}, at::TensorOptions().dtype(at::kLong).pinned_memory(sum.is_cuda()));
  sum_.copy_(sum, /*non_blocking=*/true);
  taken_at_ = steps;
}

void ReplicaWatch::send() {
  sums_ = at::full({parts_.groups.world_size}, std::numeric_limits<std::int64_t>::min(), at::kLong);
  sums_.data_ptr<std::int64_t>()[parts_.groups.rank] = *sum_.const_data_ptr<std::int64_t>();
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  std::vector<at::Tensor> tensors{sums_};
  sent_ = parts_.groups.metrics->allreduce(tensors, options);
}

void ReplicaWatch::compare() {
  dist::about_to("comparison of parameters");
  sent_->wait();
  sent_.reset();
  const auto count = static_cast<std::size_t>(parts_.groups.world_size);
  const auto apart = core::ranks_apart({sums_.const_data_ptr<std::int64_t>(), count});
  apart_ = !apart.empty();
  if (apart_ && parts_.is_first_rank()) {
    reports_.notice(messages::Severity::kError, "replicas_differ",
                    core::replicas_text(apart, count, taken_at_, equal_at_));
  }
  if (!apart_) equal_at_ = taken_at_;
  taken_at_ = -1;
}

}  // namespace ringside::engine
