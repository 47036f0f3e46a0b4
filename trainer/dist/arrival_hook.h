// DDP comm hook that records when each gradient bucket is ready on this rank and when its
// all-reduce is done; it averages the bucket and starts the all-reduce. Owned by the reducer;
// reports to a tracker that outlives it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <c10/core/Stream.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "trainer/core/bucket_tracker.h"
#include "trainer/cuda/timeline.h"

namespace ringside::dist {

/// Scales the gradients in place before the all-reduce by `share` (1 / N), like DDP without a hook;
/// dividing by N would round differently. The same pass sets `non_finite` to 1 if an element is NaN
/// or Inf. Both are one float on the device of the gradients.
void average(const at::Tensor& gradients, const at::Tensor& share, at::Tensor& non_finite);

/// The `share` argument of average(): 1 / N.
at::Tensor share_of(int world_size, at::Device device);

struct ArrivalState {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  core::BucketTracker* tracker = nullptr;
  cuda::Timeline* timeline = nullptr;
  std::vector<at::Tensor> buckets;     ///< of this step, flat, in the order in which they became
                                       ///< ready
  std::optional<c10::Stream> watch{};  ///< device stream on which the end of an all-reduce is
                                       ///< recorded
  at::Tensor share;                    ///< argument of average()
  at::Tensor non_finite;  ///< one float per bucket; the last one also for any further buckets
  bool takes_norms = false;
  std::vector<at::Tensor> norms;  ///< local norms of `buckets`, if they are measured
};

/// Runs on the thread of the backward pass; completions run on the group's threads.
class ArrivalHook final : public c10d::CppCommHookInterface<std::shared_ptr<ArrivalState>> {
 public:
  using CppCommHookInterface::CppCommHookInterface;
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override;
};

}  // namespace ringside::dist
