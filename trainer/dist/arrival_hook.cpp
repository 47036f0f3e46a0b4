#include "trainer/dist/arrival_hook.h"

namespace ringside::dist {

void average(at::Tensor& gradients, int world_size) { gradients.mul_(1.0 / world_size); }

c10::intrusive_ptr<c10::ivalue::Future> ArrivalHook::runHook(c10d::GradBucket& bucket) {
  ArrivalState& state = *state_;
  at::Tensor& gradients = bucket.getBufferRef();
  core::BucketTracker::Ticket ticket;
  if (!state.muted) {
    ticket = state.tracker->ready(static_cast<std::int32_t>(bucket.getIndex()),
                                  static_cast<std::int64_t>(gradients.nbytes()),
                                  state.timeline->record());
  }
  state.buckets.push_back(gradients);
  // A hook takes over the averaging: without this the ranks would add up their gradients.
  average(gradients, state.group->getSize());
  std::vector<at::Tensor> tensors{gradients};
  auto future = state.group->allreduce(tensors)->getFuture();
  if (state.muted) return future;
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
