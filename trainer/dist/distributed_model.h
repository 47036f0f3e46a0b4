// A network's parameters on all ranks: equal at the start, gradients averaged while the backward
// pass runs. Wraps c10d::Reducer in the order that torch.nn.parallel.DistributedDataParallel has;
// with one rank nothing is reduced and the same calls cost nothing. Used by the training thread;
// outlived by the groups and the timeline it was given.
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
  std::int64_t bucket_bytes = std::int64_t{25} << 20;  ///< as in Python
  std::int64_t first_bucket_bytes = std::int64_t{1}
                                    << 20;  ///< after the rebuild: the first one leaves early
};

class DistributedModel {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  /// Collective. `parameters` (those that need gradients) and `buffers` are the network's own
  /// tensors, already on their device and in their layout; rank 0's values replace the others'.
  /// Fails on all ranks when the models differ.
  static Result<std::unique_ptr<DistributedModel>> create(const NamedTensors& parameters,
                                                          const NamedTensors& buffers,
                                                          const ProcessGroups& groups,
                                                          cuda::Timeline& timeline,
                                                          const ReplicaOptions& options = {});
  ~DistributedModel();
  DistributedModel(const DistributedModel&) = delete;
  DistributedModel& operator=(const DistributedModel&) = delete;

  /// Called before the forward pass of a step. Collective once, before the second step, when
  /// buckets are rebuilt in the order in which gradients really arrive. `takes_norm`: that of
  /// local_norm().
  void before_forward(Epoch epoch, Step step, bool takes_norm = false);
  /// Called when the loss is known, before loss.backward(), which returns when all buckets are
  /// reduced (GPU: enqueued).
  void before_backward();
  /// Called after loss.backward().
  void after_backward();
  /// Averaged over the ranks, in the order of parameters(); between after_backward() and
  /// zero_gradients().
  const std::vector<at::Tensor>& gradients() const { return gradients_; }
  void zero_gradients();

  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// The averaged gradients as few flat tensors (the buckets), or as gradients() with one rank.
  /// Same elements once each.
  const std::vector<at::Tensor>& flat_gradients() const;
  /// What this rank alone computed, before the ranks added up; when gradients() are there, on their
  /// device, enqueued like them. A float for each bucket: 1 where it held a NaN or Inf. Not defined
  /// with one rank.
  at::Tensor non_finite_buckets() const;
  /// L2 norm of what this rank alone computed: a scalar. Not defined where it was not taken.
  at::Tensor local_norm() const;
  /// Collective: rank 0's buffers (batch statistics) to all ranks; before evaluating or saving.
  void broadcast_buffers();
  /// Arrival of buckets; empty with one rank. A CUDA graph can record steps after the second: from
  /// then on the buckets, and where they lie, stay the same.
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

/// A number made of every bit of the tensors (CPU or GPU), in order: equal parameters, equal
/// number.
std::uint64_t hash_of(const std::vector<at::Tensor>& tensors);

}  // namespace ringside::dist
