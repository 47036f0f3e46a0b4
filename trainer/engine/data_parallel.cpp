#include "trainer/engine/data_parallel.h"

#include <exception>
#include <thread>

#include <torch/torch.h>

#include "trainer/engine/autocast.h"

namespace ringside::engine {
namespace {

std::vector<at::Tensor> values(const models::NamedTensors& named) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : named) tensors.push_back(tensor);
  return tensors;
}

}  // namespace

DataParallel::DataParallel(const models::AnyModel& first, const std::vector<at::Device>& devices)
    : devices_(devices) {
  replicas_.push_back({first, values(first.named_parameters()), values(first.named_buffers())});
}

Result<std::unique_ptr<DataParallel>> DataParallel::create(const models::AnyModel& first,
                                                           const Builder& builder,
                                                           const std::vector<at::Device>& devices) {
  if (devices.empty()) return bad_request("devices.parallel = \"dp\" needs at least one device");
  std::unique_ptr<DataParallel> made(new DataParallel(first, devices));
  for (std::size_t i = 1; i < devices.size(); ++i) {
    auto network = RINGSIDE_TRY(builder());
    network.module().to(devices[i]);
    network.set_training(true);
    made->replicas_.push_back(
        {network, values(network.named_parameters()), values(network.named_buffers())});
  }
  return made;
}

void DataParallel::copy_weights(std::size_t replicas) {
  const at::NoGradGuard no_grad;
  const Replica& first = replicas_.front();
  for (std::size_t r = 1; r < replicas; ++r) {
    Replica& replica = replicas_[r];
    for (std::size_t i = 0; i < replica.parameters.size(); ++i) {
      replica.parameters[i].detach().copy_(first.parameters[i].detach(), /*non_blocking=*/true);
      replica.parameters[i].mutable_grad().reset();
    }
    for (std::size_t i = 0; i < replica.buffers.size(); ++i)
      replica.buffers[i].copy_(first.buffers[i], /*non_blocking=*/true);
  }
}

at::Tensor DataParallel::forward(const at::Tensor& images, at::ScalarType autocast) {
  const std::vector<at::Tensor> parts =
      images.chunk(static_cast<std::int64_t>(replicas_.size()), 0);
  copy_weights(parts.size());
  std::vector<at::Tensor> outputs(parts.size());
  std::vector<std::exception_ptr> thrown(parts.size());
  const auto run = [&](std::size_t i) {
    try {
      const c10::DeviceGuard guard(devices_[i]);
      const AutocastScope scope(devices_[i].type(), autocast);
      outputs[i] = replicas_[i].network.forward(parts[i].to(devices_[i], /*non_blocking=*/true));
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < parts.size(); ++i) threads.emplace_back(run, i);
  run(0);
  threads.clear();
  for (const auto& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  for (auto& output : outputs) output = output.to(devices_.front());
  return outputs.size() == 1 ? outputs.front() : at::cat(outputs);
}

void DataParallel::collect_gradients() {
  const at::NoGradGuard no_grad;
  const Replica& first = replicas_.front();
  for (std::size_t r = 1; r < replicas_.size(); ++r) {
    for (std::size_t i = 0; i < first.parameters.size(); ++i) {
      at::Tensor& gradient = replicas_[r].parameters[i].mutable_grad();
      if (!gradient.defined()) continue;
      first.parameters[i].mutable_grad().add_(gradient.to(devices_.front()));
      gradient.reset();
    }
  }
}

}  // namespace ringside::engine
