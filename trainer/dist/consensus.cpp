#include "trainer/dist/consensus.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "trainer/dist/last_collective.h"

namespace ringside::dist {
namespace {

c10::intrusive_ptr<c10d::Work> start_max(const ProcessGroups& groups, at::Tensor& values) {
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  std::vector<at::Tensor> tensors{values};
  return groups.metrics->allreduce(tensors, options);
}

}  // namespace

void sum_over_ranks(const ProcessGroups& groups, std::span<double> values) {
  if (groups.solo()) return;
  at::Tensor all = at::empty({static_cast<std::int64_t>(values.size())}, at::kDouble);
  std::copy(values.begin(), values.end(), all.data_ptr<double>());
  std::vector<at::Tensor> tensors{all};
  about_to("sums over the ranks");
  groups.metrics->allreduce(tensors)->wait();
  std::copy_n(all.const_data_ptr<double>(), values.size(), values.begin());
}

bool same_on_all_ranks(const ProcessGroups& groups, std::uint64_t value, const char* what) {
  if (groups.solo()) return true;
  // The maximum of ~x is ~ of the minimum of x, which equals the maximum only if all are equal.
  const auto number = static_cast<std::int64_t>(value);
  at::Tensor ends = at::empty({2}, at::kLong);
  auto* at_ends = ends.data_ptr<std::int64_t>();
  at_ends[0] = number;
  at_ends[1] = ~number;
  about_to(what);
  start_max(groups, ends)->wait();
  return at_ends[0] == ~at_ends[1];
}

StopConsensus::StopConsensus(const ProcessGroups& groups)
    : groups_(groups), question_(at::zeros({2}, at::kLong)) {}

StopConsensus::~StopConsensus() = default;

void StopConsensus::start(int stop, std::int64_t step_ns) {
  auto* values = question_.data_ptr<std::int64_t>();
  values[0] = stop;
  values[1] =
      step_ns > 0 ? std::clamp<std::int64_t>(kAgreeEvery_ns / step_ns - 1, 0, kMaxPause) : 0;
  asked_ = start_max(groups_, question_);
}

int StopConsensus::finish() {
  about_to("stop consensus");
  asked_->wait();
  asked_.reset();
  const auto* values = question_.const_data_ptr<std::int64_t>();
  pause_ = values[1];
  return static_cast<int>(values[0]);
}

int StopConsensus::after_step(int stop, std::int64_t step_ns) {
  if (groups_.solo()) return stop;
  const int agreed = asked_ ? finish() : 0;
  if (agreed > 0) return agreed;
  if (pause_ > 0) {
    --pause_;
  } else {
    start(stop, step_ns);
  }
  return 0;
}

int StopConsensus::agree_now(int stop) {
  if (groups_.solo()) return stop;
  const int before = asked_ ? finish() : 0;
  start(stop, kAgreeEvery_ns);
  return std::max(finish(), before);
}

}  // namespace ringside::dist
