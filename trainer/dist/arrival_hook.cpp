#include "trainer/dist/arrival_hook.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>

namespace ringside::dist {
namespace {

// What this rank alone has computed is gone once the ranks add up.
void look_at_own(ArrivalState& state, const at::Tensor& gradients) {
  const auto place =
      std::min(static_cast<std::int64_t>(state.buckets.size()), state.non_finite.numel() - 1);
  if (state.takes_norms) state.norms.push_back(at::linalg_vector_norm(gradients));
  at::Tensor non_finite = state.non_finite.narrow(0, place, 1);
  average(gradients, state.share, non_finite);
}

}  // namespace

// The kernel that undoes a loss scale multiplies, and looks for NaN and Inf in the same pass: the
// look costs no pass of its own, and no wait for a device.
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
  // A hook takes over the averaging: without this the ranks would add up their gradients.
  look_at_own(state, gradients);
  state.buckets.push_back(gradients);
  std::vector<at::Tensor> tensors{gradients};
  auto future = state.group->allreduce(tensors)->getFuture();
  if (state.watch && future->completed()) {
    // An NCCL future is completed when the work is enqueued. then() would run on one of the streams
    // that LibTorch hands out in turn, which may be that of the batch copies and delay them.
    const c10::StreamGuard guard(*state.watch);
    future->wait();
    state.tracker->reduced(ticket, state.timeline->record());
    return future;
  }
  // The Reducer waits for the future returned here, so the time stands in the tracker before
  // backward() returns and before tracker or timeline can end. addCallback() would run only after
  // those who wait were woken.
  return future->then(
      [tracker = state.tracker, timeline = state.timeline, ticket](c10::ivalue::Future& done) {
        tracker->reduced(ticket, timeline->record());
        return done.value();
      },
      future->elementType());
}

}  // namespace ringside::dist
