#include "trainer/dist/arrival_hook.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>

namespace ringside::dist {
namespace {

// This rank's own gradients are overwritten by the all-reduce, so they are examined before it.
void look_at_own(ArrivalState& state, const at::Tensor& gradients) {
  const auto place =
      std::min(static_cast<std::int64_t>(state.buckets.size()), state.non_finite.numel() - 1);
  if (state.takes_norms) state.norms.push_back(at::linalg_vector_norm(gradients));
  at::Tensor non_finite = state.non_finite.narrow(0, place, 1);
  average(gradients, state.share, non_finite);
}

}  // namespace

// The kernel for unscaling a loss multiplies and checks for NaN and Inf in one pass, so the check
// needs no extra pass and no wait for the device.
void average(const at::Tensor& gradients, const at::Tensor& share, at::Tensor& non_finite) {
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, non_finite, share);
}

at::Tensor share_of(int world_size, at::Device device) {
  return at::full({1}, 1.0 / world_size, at::TensorOptions(device).dtype(at::kFloat));
}

c10::intrusive_ptr<c10::ivalue::Future> ArrivalHook::runHook(c10d::GradBucket& bucket) {
  ArrivalState& state = *state_;
  at::Tensor& gradients = bucket.getBufferRef();
  const core::BucketTracker::Ticket ticket =
      state.tracker->ready(static_cast<std::int32_t>(bucket.getIndex()),
                           static_cast<std::int64_t>(gradients.nbytes()), state.timeline->record());
  // A comm hook must do the averaging itself; otherwise the gradients would be summed.
  look_at_own(state, gradients);
  state.buckets.push_back(gradients);
  std::vector<at::Tensor> tensors{gradients};
  auto future = state.group->allreduce(tensors)->getFuture();
  if (state.watch && future->completed()) {
    // An NCCL future is completed when its work is enqueued. then() would run on one of the streams
    // of LibTorch's pool, possibly that of the batch copies, and delay them.
    const c10::StreamGuard guard(*state.watch);
    future->wait();
    state.tracker->reduced(ticket, state.timeline->record());
    return future;
  }
  // The Reducer waits for the future returned here, so the tracker has the time before backward()
  // returns, and while tracker and timeline exist. addCallback() would only run after the waiting
  // threads were woken.
  return future->then(
      [tracker = state.tracker, timeline = state.timeline, ticket](c10::ivalue::Future& done) {
        tracker->reduced(ticket, timeline->record());
        return done.value();
      },
      future->elementType());
}

}  // namespace ringside::dist
