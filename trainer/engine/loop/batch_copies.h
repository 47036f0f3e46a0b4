// Copies batches to a GPU without making host or GPU wait: on a separate stream, alternately into
// two places on the device, while the previous step is computed. Events record when the memory of a
// batch may be reused, on the host and on the device. Training thread only.
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
  static constexpr std::size_t kPlaces = 2;  ///< buffers on the device
  /// Number of events that the copy stream needs.
  static constexpr std::size_t events(std::int64_t kept) {
    return kPlaces + static_cast<std::size_t>(kept);
  }

  /// `like` has tensors of the size of the largest batch; their values are ignored. `kept` is the
  /// number of batches whose memory the loader does not reuse yet. `watch` must outlive this
  /// object.
  BatchCopies(std::unique_ptr<cuda::CopyStream> stream, const std::vector<at::Tensor>& like,
              at::Device device, std::int64_t kept, const dist::CollectiveWatch& watch);

  /// Call before requesting batch `number` of an epoch from the loader: waits until the batch whose
  /// memory it may reuse is copied. Throws when the device hangs.
  void make_room(std::int64_t number);
  /// Call before an epoch begins: waits until every batch is copied. Throws when the device hangs.
  void finish();
  /// Enqueues the copy of batch `number`. The result is valid for work that the calling thread
  /// enqueues before the next call.
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
  std::size_t next_ = 0;  ///< place of the next batch; the event with the same number records that
                          ///< nothing reads it
};

}  // namespace ringside::engine
