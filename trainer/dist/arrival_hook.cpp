#include "trainer/dist/arrival_hook.h"

namespace ringside::dist {

c10::intrusive_ptr<c10::ivalue::Future> ArrivalHook::runHook(c10d::GradBucket& bucket) {
  ArrivalState& state = *state_;
  at::Tensor& gradients = bucket.getBufferRef();
  const auto ticket =
      state.book->ready(static_cast<std::int32_t>(bucket.getIndex()),
                        static_cast<std::int64_t>(gradients.nbytes()), state.timeline->record());
  state.buckets.push_back(gradients);
  // A hook takes over the averaging: without this the ranks would add up their gradients.
  gradients.div_(state.group->getSize());
  std::vector<at::Tensor> tensors{gradients};
  auto future = state.group->allreduce(tensors)->getFuture();
  // May run here, when the transfer is done already, or on a thread of the group.
  future->addCallback([book = state.book, timeline = state.timeline, ticket](c10::ivalue::Future&) {
    book->reduced(ticket, timeline->record());
  });
  return future;
}

}  // namespace ringside::dist
