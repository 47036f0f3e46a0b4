// Turns a list of indices into transformed batches, normalised floats or the bytes that these are
// made of, ahead of the training thread.
// next() belongs to one thread; worker threads fill a ring of buffers that is allocated once. The
// order of batches and their images never depend on the number of workers. No LibTorch: wrap the
// pointers with torch::from_blob.
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

/// One batch: images size x channels x height x width (float32, normalised; or as bytes), labels
/// size (int64).
struct Batch {
  float* images = nullptr;        ///< unless LoaderOptions::bytes
  std::uint8_t* bytes = nullptr;  ///< with it
  std::int64_t* labels = nullptr;
  std::int64_t size = 0;
  std::int64_t number = 0;  ///< from 0 within the epoch
};

/// Where batch buffers come from, e.g. pinned memory. Empty functions: 64-byte aligned memory of
/// the heap.
struct BufferSource {
  std::function<void*(std::size_t bytes)> allocate;  ///< nullptr = failed
  std::function<void(void*)> release;
};

struct LoaderOptions {
  std::int64_t batch_size = 64;
  std::int64_t workers = 1;  ///< threads; 0 fills in next()
  std::int64_t prefetch =
      4;  ///< batches ready ahead, over all workers; 1 at least if there are any
  std::int64_t kept =
      1;  ///< batches that stay valid: 1 = until the next next(); more for asynchronous copies
  std::uint64_t seed = 0;  ///< of random crops and flips: train.seed
  bool bytes = false;      ///< pixels as they are stored, for who normalises them later
  BufferSource buffers;
};

class Loader {
 public:
  /// `dataset` must outlive the loader. Bad request for sizes that are not positive; failure when
  /// memory or a thread cannot be had.
  static Result<Loader> create(const Dataset& dataset, const LoaderOptions& options);
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  /// Begins an epoch over these indices (copied); the last short batch is kept. An unfinished epoch
  /// is given up. `epoch` chooses the random crops and flips. Bad request when an index is outside
  /// the data set.
  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch = 0);
  /// The next batch, or nullptr after the last and when an image cannot be read. Waits for the
  /// workers when they are behind: the time spent here is the data wait of the step.
  const Batch* next();
  /// Why next() ended before the last batch; empty when all is well. Ask after every nullptr.
  const std::optional<Error>& error() const;
  /// Batches of the epoch as started.
  std::int64_t batches() const;

 private:
  class Ring;
  explicit Loader(std::unique_ptr<Ring> ring);
  std::unique_ptr<Ring> ring_;
};

}  // namespace ringside::data
