#include "trainer/engine/loop/evaluate.h"

#include <algorithm>

#include <torch/torch.h>

#include "trainer/engine/autocast.h"

namespace ringside::engine {

at::Tensor count_correct(const at::Tensor& output, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  return output.detach().argmax(1).eq(labels).sum();
}

Result<PassResult> evaluate(models::AnyModel& model, BatchFeed& feed,
                            const core::EvaluationShard& shard, at::Device device,
                            at::ScalarType autocast, const GoOn& go_on) {
  RINGSIDE_TRY(feed.start(shard.indices));
  model.set_training(false);
  at::Tensor loss = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device));
  at::Tensor correct = at::zeros({}, at::TensorOptions().dtype(at::kLong).device(device));
  at::Tensor padded_correct = at::zeros_like(correct);
  const auto own = static_cast<std::int64_t>(shard.indices.size()) - shard.repeats;
  PassResult result;
  PassSums& sums = result.sums;
  for (;;) {
    const auto batch = RINGSIDE_TRY(feed.read());
    if (batch == nullptr) break;
    const std::int64_t size = batch->size;
    const c10::InferenceMode inference;
    const auto [images, labels] = feed.bring(*batch).ready();
    const AutocastScope scope(device.type(), autocast);
    const at::Tensor output = model.forward(images);
    loss += model.loss_sum(output, labels);
    correct += count_correct(output, labels);
    const std::int64_t first_repeat = std::clamp<std::int64_t>(own - sums.counted, 0, size);
    if (first_repeat < size) {
      result.padded += size - first_repeat;
      padded_correct += count_correct(output.slice(0, first_repeat), labels.slice(0, first_repeat));
    }
    sums.counted += size;
    ++sums.steps;
    if (go_on && !go_on()) break;
  }
  sums.loss_sum = loss.item<double>();
  sums.correct = correct.item<std::int64_t>();
  result.padded_correct = padded_correct.item<std::int64_t>();
  return result;
}

}  // namespace ringside::engine
