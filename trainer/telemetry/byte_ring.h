// A single-producer, single-consumer ring of records without locks, allocation or system calls: the
// training thread writes, the reporter thread reads. Entries are contiguous, so that a record is
// encoded in place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ringside::telemetry {

class ByteRing {
 public:
  /// `capacity_bytes` is rounded up to a power of two, at least 1 KiB. Page faults for the memory
  /// happen here, not during training.
  explicit ByteRing(std::size_t capacity_bytes);

  /// Writer: space for one entry of `size` bytes; null when the ring is full or the entry is larger
  /// than half of it.
  std::byte* reserve(std::size_t size);
  /// Writer: publishes the entry that was reserved last.
  void commit();

  /// Reader: the oldest entry, or empty; valid until pop().
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
  // Each side has its own cache line, with a cached position of the other.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  std::uint64_t reserved_ = 0;
  std::uint64_t seen_read_ = 0;
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::uint64_t seen_written_ = 0;
};

}  // namespace ringside::telemetry
