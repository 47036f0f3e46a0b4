// The older way to use several devices, for comparison: one process with a copy of the network on
// each device; weights are copied out and gradients copied back in every step (like
// torch.nn.DataParallel). The first device's network is the trained one. Training thread only;
// forward() starts one thread per further device.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/base/result.h"
#include "trainer/models/model.h"

namespace ringside::engine {

class DataParallel {
 public:
  /// Creates another network like the first.
  using Builder = std::function<Result<models::AnyModel>()>;

  /// `devices`: the first is the device of `first`; each of the others gets a copy. A device may
  /// occur twice.
  static Result<std::unique_ptr<DataParallel>> create(const models::AnyModel& first,
                                                      const Builder& builder,
                                                      const std::vector<at::Device>& devices);

  /// `images` are on the first device; they are split into as many parts as there are devices, or
  /// fewer when there are fewer images. The outputs are gathered on the first device. `autocast` is
  /// at::kFloat for none. Throws what a device throws.
  at::Tensor forward(const at::Tensor& images, at::ScalarType autocast);
  /// Adds the copies' gradients to those of the first network, after the backward pass.
  void collect_gradients();

 private:
  struct Replica {
    models::AnyModel network;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> buffers;
  };
  DataParallel(const models::AnyModel& first, const std::vector<at::Device>& devices);
  void copy_weights(std::size_t replicas);

  std::vector<at::Device> devices_;
  std::vector<Replica> replicas_;  ///< the first network and its copies
};

}  // namespace ringside::engine
