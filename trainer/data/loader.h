// Turns a list of indices into transformed batches, as normalised floats or as the original bytes,
// ahead of the training thread. next() belongs to one thread; worker threads fill a ring of buffers
// that is allocated once. Order and images of the batches do not depend on the number of workers.
// No LibTorch: wrap the pointers with torch::from_blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

/// One batch: images of size x channels x height x width (normalised float32, or bytes), labels of
/// size (int64).
struct Batch {
  float* images = nullptr;        ///< null with LoaderOptions::bytes
  std::uint8_t* bytes = nullptr;  ///< only with LoaderOptions::bytes
  std::int64_t* labels = nullptr;
  std::int64_t size = 0;
  std::int64_t number = 0;  ///< from 0 within the epoch
};

/// Allocator of the batch buffers, such as pinned memory. Empty functions: heap memory aligned to
/// 64 bytes.
struct BufferSource {
  std::function<void*(std::size_t bytes)> allocate;  ///< null on failure
  std::function<void(void*)> release;
};

struct LoaderOptions {
  std::int64_t batch_size = 64;
  std::int64_t workers = 1;  ///< threads; 0: next() fills the batches itself
  std::int64_t prefetch =
      4;  ///< batches loaded in advance, over all workers; at least 1 if there are any
  std::int64_t kept =
      1;  ///< batches that stay valid: 1 = until the next next(); more for asynchronous copies
  std::uint64_t seed = 0;  ///< seed of random crops and flips: train.seed
  bool bytes = false;      ///< returns pixels as stored, to be normalised later
  BufferSource buffers;
};

class Loader {
 public:
  /// `dataset` must outlive the loader. Bad request for sizes that are not positive; failure when
  /// memory or a thread cannot be created.
  static Result<Loader> create(const Dataset& dataset, const LoaderOptions& options);
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  /// Begins an epoch over these indices (copied); a short last batch is included. Aborts an
  /// unfinished epoch. `epoch` determines the random crops and flips. Bad request when an index is
  /// outside the data set.
  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch = 0);
  /// The next batch; null after the last one and when an image cannot be read. Waits for the
  /// workers when they are behind; this time is the data wait of the step.
  const Batch* next();
  /// Why next() ended before the last batch; empty when there was no error. Check after every null.
  const std::optional<Error>& error() const;
  /// Number of batches in the current epoch.
  std::int64_t batches() const;

 private:
  class Ring;
  explicit Loader(std::unique_ptr<Ring> ring);
  std::unique_ptr<Ring> ring_;
};

}  // namespace ringside::data
