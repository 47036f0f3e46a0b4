// A network's parameters on all ranks: equal at the start, with gradients averaged during the
// backward pass. Wraps c10d::Reducer and calls it in the same order as
// torch.nn.parallel.DistributedDataParallel. With one rank nothing is reduced, and the same calls
// cost nothing. Used by the training thread; the groups and the timeline must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "trainer/core/bucket_tracker.h"
#include "trainer/cuda/timeline.h"
#include "trainer/dist/process_groups.h"

namespace ringside::dist {

struct ReplicaOptions {
  std::int64_t bucket_bytes = std::int64_t{25} << 20;       ///< as in Python
  std::int64_t first_bucket_bytes = std::int64_t{1} << 20;  ///< small, to be sent early
};

class DistributedModel {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  /// Collective. `parameters` (those that require gradients) and `buffers` are the network's own
  /// tensors, already on their device and in their memory format; rank 0's values replace the
  /// others'. Fails on all ranks when the models differ.
  static Result<std::unique_ptr<DistributedModel>> create(const NamedTensors& parameters,
                                                          const NamedTensors& buffers,
                                                          const ProcessGroups& groups,
                                                          cuda::Timeline& timeline,
                                                          const ReplicaOptions& options = {});
  ~DistributedModel();
  DistributedModel(const DistributedModel&) = delete;
  DistributedModel& operator=(const DistributedModel&) = delete;

  /// Called before the forward pass of a step. Collective once, before the second step, when
  /// buckets are rebuilt in the order in which gradients arrive. `takes_norm`: compute
  /// local_norm().
  void before_forward(Epoch epoch, Step step, bool takes_norm = false);
  /// Called when the loss is known, before loss.backward(), which returns when all buckets are
  /// reduced (on a GPU: enqueued).
  void before_backward();
  /// Called after loss.backward().
  void after_backward();
  /// Gradients averaged over the ranks, in the order of parameters(); valid between
  /// after_backward() and zero_gradients().
  const std::vector<at::Tensor>& gradients() const { return gradients_; }
  void zero_gradients();

  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// The averaged gradients as a few flat tensors (the buckets), or gradients() with one rank. Each
  /// element occurs once.
  const std::vector<at::Tensor>& flat_gradients() const;
  /// One float per bucket: 1 if this rank's own gradients had a NaN or Inf before the all-reduce.
  /// Valid together with gradients(), on their device, and enqueued like them. Undefined with one
  /// rank.
  at::Tensor non_finite_buckets() const;
  /// L2 norm of this rank's own gradients before the all-reduce: a scalar. Undefined if it was not
  /// measured.
  at::Tensor local_norm() const;
  /// Collective: sends rank 0's buffers (batch statistics) to all ranks; before evaluating or
  /// saving.
  void broadcast_buffers();
  /// Arrival of buckets; empty with one rank. A CUDA graph can record steps after the second: from
  /// then on the buckets and their addresses stay the same.
  core::BucketTracker& buckets() { return bucket_tracker_; }
  std::int64_t gradient_bytes() const;

 private:
  struct Reduction;
  DistributedModel(const ProcessGroups& groups, cuda::Timeline& timeline);
  void share_values();
  void start_reducer(const NamedTensors& parameters, const ReplicaOptions& options);

  const ProcessGroups& groups_;
  cuda::Timeline& timeline_;
  core::BucketTracker bucket_tracker_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> gradients_;
  bool gradients_moved_ = true;  ///< the reducer may have given the parameters new gradient tensors
  std::unique_ptr<Reduction> reduction_;
};

/// A hash of all bits of the tensors (CPU or GPU) in order: equal parameters give equal numbers.
std::uint64_t hash_of(const std::vector<at::Tensor>& tensors);

}  // namespace ringside::dist
