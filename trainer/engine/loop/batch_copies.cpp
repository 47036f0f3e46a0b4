#include "trainer/engine/loop/batch_copies.h"

#include <ATen/ATen.h>

namespace ringside::engine {

using Lane = cuda::CopyStream::Lane;

BatchCopies::BatchCopies(std::unique_ptr<cuda::CopyStream> stream,
                         const std::vector<at::Tensor>& like, at::Device device, std::int64_t kept,
                         const dist::CollectiveWatch& watch)
    : stream_(std::move(stream)), places_(kPlaces), kept_(kept), watch_(watch) {
  for (std::size_t place = 0; place < kPlaces; ++place) {
    for (const at::Tensor& tensor : like)
      places_[place].push_back(at::empty(tensor.sizes(), tensor.options().device(device)));
    // The memory may have been used by another tensor until now.
    stream_->record(Lane::kCompute, place);
  }
}

void BatchCopies::wait_for(std::size_t event) {
  watch_.wait([&] { return stream_->done(event); }, 0);
}

void BatchCopies::make_room(std::int64_t number) {
  if (number >= kept_) wait_for(copied(number));
}

void BatchCopies::finish() {
  for (std::int64_t number = 0; number < kept_; ++number) wait_for(copied(number));
}

std::vector<at::Tensor> BatchCopies::copy(std::int64_t number,
                                          const std::vector<at::Tensor>& batch) {
  // All operations that read the previous place have been enqueued by now.
  stream_->record(Lane::kCompute, (next_ + kPlaces - 1) % kPlaces);
  stream_->wait(Lane::kCopy, next_);
  std::vector<at::Tensor> on_device;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    on_device.push_back(places_[next_][i].narrow(0, 0, batch[i].size(0)));
    stream_->copy(on_device[i], batch[i]);
  }
  stream_->record(Lane::kCopy, copied(number));
  stream_->wait(Lane::kCompute, copied(number));
  next_ = (next_ + 1) % kPlaces;
  return on_device;
}

}  // namespace ringside::engine
