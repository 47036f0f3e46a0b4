// The instrument inside the reducer: notes when each gradient bucket is ready on this rank and when
// its all-reduce is done, averages and passes it on. Owned by the reducer; reports into a tracker
// that outlives it.
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

/// Scales the gradients in place, before the ranks add up: times `share`, 1 / N, as DDP does
/// without a hook. A division by three would round otherwise. The same pass sets `non_finite` to 1
/// where an element is NaN or Inf; both are one float on the device of the gradients.
void average(const at::Tensor& gradients, const at::Tensor& share, at::Tensor& non_finite);

/// 1 / N for average().
at::Tensor share_of(int world_size, at::Device device);

struct ArrivalState {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  core::BucketTracker* tracker = nullptr;
  cuda::Timeline* timeline = nullptr;
  std::vector<at::Tensor> buckets;     ///< of this step, flat, in the order they became ready
  std::optional<c10::Stream> watch{};  ///< of a device: where the end of an all-reduce is noted
  at::Tensor share;                    ///< of average()
  at::Tensor non_finite;  ///< a float for each of `buckets`; the last also for the rest
  bool takes_norms = false;
  std::vector<at::Tensor> norms;  ///< of `buckets`, before the ranks add up, where they are taken
};

/// Runs on the thread of the backward pass; completions come on the group's threads.
class ArrivalHook final : public c10d::CppCommHookInterface<std::shared_ptr<ArrivalState>> {
 public:
  using CppCommHookInterface::CppCommHookInterface;
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override;
};

}  // namespace ringside::dist
