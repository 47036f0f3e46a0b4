#include "trainer/telemetry/byte_ring.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ringside::telemetry {
namespace {

std::uint64_t load_size(const std::byte* from) {
  std::uint64_t size = 0;
  std::memcpy(&size, from, sizeof size);
  return size;
}

void store_size(std::byte* to, std::uint64_t size) { std::memcpy(to, &size, sizeof size); }

}  // namespace

ByteRing::ByteRing(std::size_t capacity_bytes)
    : mask_(std::bit_ceil(std::max<std::size_t>(capacity_bytes, 1024)) - 1),
      memory_(std::make_unique<std::byte[]>(mask_ + 1)) {}

std::byte* ByteRing::reserve(std::size_t size) {
  const std::size_t needed = footprint(size);
  if (needed > capacity_bytes() / 2) return nullptr;
  const std::uint64_t position = written_.load(std::memory_order_relaxed);
  const std::size_t to_end = capacity_bytes() - (position & mask_);
  const std::size_t skipped = needed > to_end ? to_end : 0;
  const std::uint64_t end = position + skipped + needed;
  if (end - seen_read_ > capacity_bytes()) {
    seen_read_ = read_.load(std::memory_order_acquire);
    if (end - seen_read_ > capacity_bytes()) return nullptr;
  }
  // There is always room for the marker, since positions and capacity are multiples of 8.
  if (skipped > 0) store_size(at(position), kSkip);
  store_size(at(position + skipped), size);
  reserved_ = end;
  return at(position + skipped) + kPrefix;
}

void ByteRing::commit() { written_.store(reserved_, std::memory_order_release); }

std::span<const std::byte> ByteRing::front() {
  std::uint64_t position = read_.load(std::memory_order_relaxed);
  if (position == seen_written_) {
    seen_written_ = written_.load(std::memory_order_acquire);
    if (position == seen_written_) return {};
  }
  if (load_size(at(position)) == kSkip) {
    position += capacity_bytes() - (position & mask_);
    read_.store(position, std::memory_order_release);
  }
  return {at(position) + kPrefix, static_cast<std::size_t>(load_size(at(position)))};
}

void ByteRing::pop() {
  const std::uint64_t position = read_.load(std::memory_order_relaxed);
  read_.store(position + footprint(static_cast<std::size_t>(load_size(at(position)))),
              std::memory_order_release);
}

}  // namespace ringside::telemetry
