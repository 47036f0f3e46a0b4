#include "trainer/engine/loop/step_numbers.h"

#include <algorithm>
#include <numeric>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/engine/loop/evaluate.h"

namespace ringside::engine {
namespace {

constexpr Step kGpuNormEvery = 20;  ///< interval in steps, since the norm takes some ten small
                                    ///< kernels

float loss_on_host(const MeasuredStep& step) {
  double loss = 0.0;
  for (const BatchPart& part : step.batch_parts) {
    loss += part.share * static_cast<double>(part.loss.item<float>());
  }
  return static_cast<float>(loss);
}

at::Tensor loss_on_device(const MeasuredStep& step) {
  at::Tensor loss;
  for (const BatchPart& part : step.batch_parts) {
    const at::Tensor own = part.loss.detach().to(at::kFloat);
    const at::Tensor weighted = part.share == 1.0 ? own : own * part.share;
    loss = loss.defined() ? loss + weighted : weighted;
  }
  return loss;
}

// Number of rows whose maximum is at the label. A plain loop, since four tensor operations cost
// more than the counting itself.
std::int64_t correct_rows(const at::Tensor& output, const at::Tensor& labels) {
  const at::Tensor scores = output.detach().to(at::kFloat).contiguous();
  const auto* row = scores.const_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  const std::int64_t classes = scores.size(1);
  std::int64_t correct = 0;
  for (std::int64_t i = 0; i < scores.size(0); ++i, row += classes) {
    correct += std::max_element(row, row + classes) - row == label[i] ? 1 : 0;
  }
  return correct;
}

float correct_on_host(const MeasuredStep& step) {
  std::int64_t correct = 0;
  for (const BatchPart& part : step.batch_parts) correct += correct_rows(part.output, part.labels);
  return static_cast<float>(correct);
}

at::Tensor correct_on_device(const MeasuredStep& step) {
  at::Tensor correct;
  for (const BatchPart& part : step.batch_parts) {
    const at::Tensor own = count_correct(part.output, part.labels).to(at::kFloat);
    correct = correct.defined() ? correct + own : own;
  }
  return correct;
}

at::Tensor unknown_on_device(const MeasuredStep& step) {
  return at::full({}, messages::kUnknownF,
                  at::TensorOptions().dtype(at::kFloat).device(step.parts.placement.device));
}

// The local norm costs the same again.
float norm_on_host(const MeasuredStep& step) {
  if (!step.norm_due) return messages::kUnknownF;
  const std::int64_t begin_ns = mono_now_ns();
  const auto norm = l2_norm(step.parts.replica->flat_gradients()).item<float>();
  const std::int64_t norms = step.parts.groups.solo() ? 1 : 2;
  step.norm_rhythm.measured(norms * (mono_now_ns() - begin_ns), step.last_step_ns);
  return norm;
}

at::Tensor norm_on_device(const MeasuredStep& step) {
  return step.norm_due ? l2_norm(step.parts.replica->flat_gradients()).to(at::kFloat)
                       : unknown_on_device(step);
}

// The local norm was computed before the gradients were unscaled.
at::Tensor local_norm(const MeasuredStep& step) {
  const at::Tensor norm = step.parts.replica->local_norm();
  if (!norm.defined() || !step.parts.scaler) return norm;
  return norm / step.parts.scaler->scale().squeeze(0);
}

float local_norm_on_host(const MeasuredStep& step) {
  const at::Tensor norm = local_norm(step);
  return norm.defined() ? norm.item<float>() : messages::kUnknownF;
}

at::Tensor local_norm_on_device(const MeasuredStep& step) {
  const at::Tensor norm = local_norm(step);
  return norm.defined() ? norm.to(at::kFloat) : unknown_on_device(step);
}

float non_finite_on_host(const MeasuredStep& step) {
  const at::Tensor buckets = step.parts.replica->non_finite_buckets();
  if (!buckets.defined()) return messages::kUnknownF;
  const auto* first = buckets.const_data_ptr<float>();
  return std::accumulate(first, first + buckets.numel(), 0.0F);
}

at::Tensor non_finite_on_device(const MeasuredStep& step) {
  const at::Tensor buckets = step.parts.replica->non_finite_buckets();
  return buckets.defined() ? buckets.sum() : unknown_on_device(step);
}

void put_non_finite(messages::StepReport& report, float value) {
  report.non_finite_buckets = messages::is_unknown(value) ? -1 : static_cast<std::int32_t>(value);
}

struct NumberOfStep {
  void (*put)(messages::StepReport& report, float value);
  float (*on_host)(const MeasuredStep& step);
  at::Tensor (*on_device)(const MeasuredStep& step);  ///< returns a float scalar
};

constexpr std::array kOfEveryStep{
    NumberOfStep{[](auto& report, float value) { report.loss = value; }, loss_on_host,
                 loss_on_device},
    NumberOfStep{
        [](auto& report, float value) { report.correct = static_cast<std::int32_t>(value); },
        correct_on_host, correct_on_device},
    NumberOfStep{[](auto& report, float value) { report.grad_norm = value; }, norm_on_host,
                 norm_on_device},
    NumberOfStep{[](auto& report, float value) { report.local_grad_norm = value; },
                 local_norm_on_host, local_norm_on_device},
    NumberOfStep{put_non_finite, non_finite_on_host, non_finite_on_device},
};

/// Metrics that follow the others when there is a loss scaler.
constexpr std::array kOfScaledStep{
    NumberOfStep{[](auto& report, float value) { report.loss_scale = value; },
                 [](const MeasuredStep& step) { return step.parts.scaler->scale().item<float>(); },
                 [](const MeasuredStep& step) { return step.parts.scaler->scale().squeeze(0); }},
    NumberOfStep{
        [](auto& report, float value) { report.skipped = value != 0.0F ? 1 : 0; },
        [](const MeasuredStep& step) { return step.parts.scaler->found_inf().item<float>(); },
        [](const MeasuredStep& step) { return step.parts.scaler->found_inf().squeeze(0); }},
};
static_assert(kOfEveryStep.size() + kOfScaledStep.size() <= StepNumbers::kMost);

template <class Visit>
void for_numbers(bool scaled, Visit&& visit) {
  for (const NumberOfStep& number : kOfEveryStep) visit(number);
  if (!scaled) return;
  for (const NumberOfStep& number : kOfScaledStep) visit(number);
}

}  // namespace

// A step that is replayed always computes what it computed when it was recorded.
bool is_norm_due(const RankParts& parts, Step step, MeasuringSchedule& rhythm) {
  if (parts.placement.on_cuda()) return parts.spec.train.cuda_graph || step % kGpuNormEvery == 0;
  return rhythm.due();
}

StepNumbers numbers_on_host(const MeasuredStep& step) {
  StepNumbers numbers;
  for_numbers(step.parts.scaler != nullptr, [&](const NumberOfStep& number) {
    numbers.values[numbers.count++] = number.on_host(step);
  });
  return numbers;
}

at::Tensor numbers_on_device(const MeasuredStep& step) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> numbers;
  for_numbers(step.parts.scaler != nullptr,
              [&](const NumberOfStep& number) { numbers.push_back(number.on_device(step)); });
  return at::stack(numbers);
}

StepNumbers fetch(const at::Tensor& numbers) {
  StepNumbers fetched;
  fetched.slot = at::empty(numbers.sizes(),
                           at::TensorOptions().dtype(at::kFloat).pinned_memory(numbers.is_cuda()));
  fetched.slot.copy_(numbers, /*non_blocking=*/true);
  return fetched;
}

void put_numbers(const StepNumbers& numbers, messages::StepReport& report) {
  const bool fetched = numbers.slot.defined();
  const float* values = fetched ? numbers.slot.const_data_ptr<float>() : numbers.values.data();
  const std::size_t count =
      fetched ? static_cast<std::size_t>(numbers.slot.numel()) : numbers.count;
  std::size_t place = 0;
  for_numbers(true, [&](const NumberOfStep& number) {
    if (place < count) number.put(report, values[place++]);
  });
}

}  // namespace ringside::engine
