#include "trainer/engine/evaluate.h"

#include <torch/torch.h>

#include "trainer/engine/autocast.h"

namespace ringside::engine {

at::Tensor count_correct(const at::Tensor& output, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  return output.detach().argmax(1).eq(labels).sum();
}

Result<PassSums> evaluate(models::AnyModel& model, data::Loader& loader,
                          std::span<const std::uint32_t> indices, const data::Dataset& dataset,
                          const Place& place, bool bf16) {
  if (auto started = loader.start(indices); !started) return pass(started);
  const c10::InferenceMode inference;
  model.set_training(false);
  at::Tensor loss = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(place.device));
  at::Tensor correct = at::zeros({}, at::TensorOptions().dtype(at::kLong).device(place.device));
  PassSums sums;
  while (const data::Batch* batch = loader.next()) {
    const auto [images, labels] = to_device(*batch, dataset, place, /*run_ahead=*/false);
    const AutocastScope autocast(place.device.type(), bf16);
    const at::Tensor output = model.forward(images);
    loss += model.loss_sum(output, labels);
    correct += count_correct(output, labels);
    sums.counted += batch->size;
    ++sums.steps;
  }
  sums.loss_sum = loss.item<double>();
  sums.correct = correct.item<std::int64_t>();
  return sums;
}

}  // namespace ringside::engine
