// Copies of batches to a GPU that neither host nor GPU waits for: on a stream of their own, into
// two places on the device in turn, while the step before is computed. Events say when the memory
// of a batch may be used again, on the host and on the device. Training thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "trainer/cuda/cuda_api.h"
#include "trainer/data/loader.h"
#include "trainer/dist/collective_watch.h"

namespace ringside::engine {

class BatchCopies {
 public:
  static constexpr std::size_t kPlaces = 2;  ///< on the device
  /// Number of events that the copy stream needs.
  static constexpr std::size_t events(std::int64_t kept) {
    return kPlaces + static_cast<std::size_t>(kept);
  }

  /// `like`: tensors of the largest batch, one for each that a batch has; their values do not
  /// matter. `kept`: handed out batches whose memory the loader leaves alone. `watch` outlives this
  /// object.
  BatchCopies(std::unique_ptr<cuda::CopyStream> stream, const std::vector<at::Tensor>& like,
              at::Device device, std::int64_t kept, const dist::CollectiveWatch& watch);

  /// Called before the loader is asked for batch `number` of an epoch: waits until the one whose
  /// memory it may then fill again is copied. Throws when the device hangs.
  void make_room(std::int64_t number);
  /// Called before an epoch begins: waits until every batch is copied. Throws likewise.
  void finish();
  /// Enqueues the copy of batch `number`. Valid for what the calling thread enqueues before the
  /// next call.
  std::vector<at::Tensor> copy(std::int64_t number, const std::vector<at::Tensor>& batch);

 private:
  std::size_t copied(std::int64_t number) const {
    return kPlaces + static_cast<std::size_t>(number % kept_);
  }
  void wait_for(std::size_t event);

  std::unique_ptr<cuda::CopyStream> stream_;
  std::vector<std::vector<at::Tensor>> places_;
  std::int64_t kept_;
  const dist::CollectiveWatch& watch_;
  std::size_t next_ = 0;  ///< place of the next batch; the event of its number: nobody reads there
};

}  // namespace ringside::engine
