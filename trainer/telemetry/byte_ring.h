// A ring of records between two threads, without lock, allocation or system call: the training
// thread writes, the reporter thread reads. Entries are contiguous, so that a record is encoded
// straight into its place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ringside::telemetry {

class ByteRing {
 public:
  /// `capacity_bytes` is rounded up to a power of two, at least 1 KiB. The memory is touched here,
  /// not while training.
  explicit ByteRing(std::size_t capacity_bytes);

  /// Writer: room for one entry of `size` bytes, or nullptr when the ring is full (or the entry
  /// larger than half of it).
  std::byte* reserve(std::size_t size);
  /// Writer: the entry reserved last is complete.
  void commit();

  /// Reader: the oldest entry, empty when there is none; valid until pop().
  std::span<const std::byte> front();
  void pop();

  std::size_t capacity_bytes() const { return mask_ + 1; }

 private:
  static constexpr std::size_t kPrefix =
      8;  ///< u64 size of the entry; kSkip: the rest of the ring is unused
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};
  static std::size_t footprint(std::size_t size) { return kPrefix + (size + 7) / 8 * 8; }
  std::byte* at(std::uint64_t position) { return memory_.get() + (position & mask_); }

  std::size_t mask_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  // Each side on its own cache line, with its last known position of the other.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  std::uint64_t reserved_ = 0;
  std::uint64_t seen_read_ = 0;
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::uint64_t seen_written_ = 0;
};

}  // namespace ringside::telemetry
