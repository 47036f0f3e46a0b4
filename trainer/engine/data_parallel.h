// The old way to use several devices, kept for comparison: one process, a copy of the network on
// each device, weights copied out and gradients copied back in every step (what
// torch.nn.DataParallel does). The first device's network is the one that is trained. Training
// thread only; it starts a thread per further device in forward().
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
  /// Makes one more network like the first.
  using Builder = std::function<Result<models::AnyModel>()>;

  /// `devices`: the first is where `first` lies already; the others get a copy each. A device may
  /// stand there twice.
  static Result<std::unique_ptr<DataParallel>> create(const models::AnyModel& first,
                                                      const Builder& builder,
                                                      const std::vector<at::Device>& devices);

  /// `images` on the first device, cut into as many parts as there are devices, or fewer when there
  /// are fewer images. The outputs are gathered there. `autocast`: at::kFloat for none. Throws what
  /// a device throws.
  at::Tensor forward(const at::Tensor& images, at::ScalarType autocast);
  /// Adds the copies' gradients to the first network's, after the backward pass.
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
