// A growing column of values by index, in chunks of 4,096 so that growing never copies and never
// doubles memory. A chunk without values costs eight bytes. The chunks' allocator bounds their
// resident memory. One thread; lives inside the model.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace ringside::model {

/// The value of an index that was never written. For floats a NaN with its own bits, so that it
/// differs from a NaN that a rank reported.
template <class T>
constexpr T absent() {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(0x7fc0deadU);
  } else {
    return std::numeric_limits<T>::min();
  }
}

inline bool is_absent(float value) { return std::bit_cast<std::uint32_t>(value) == 0x7fc0deadU; }
inline bool is_absent(std::int64_t value) { return value == absent<std::int64_t>(); }

/// Memory for a chunk from the process's ChunkAllocator. Throws std::bad_alloc.
void* allocate_chunk(std::size_t bytes);
void deallocate_chunk(void* chunk, std::size_t bytes) noexcept;

template <class T, std::size_t Chunk = 4096>
class Column {
 public:
  static constexpr std::size_t kChunk = Chunk;

  std::size_t size() const { return size_; }

  /// The value at `index`, or absent<T>() beyond the end.
  T at(std::size_t index) const {
    if (index >= size_) return absent<T>();
    const T* chunk = chunks_[index / kChunk].get();
    return chunk == nullptr ? absent<T>() : chunk[index % kChunk];
  }

  /// Writes one value; the column grows to hold it, and skipped indices stay absent.
  void set(std::size_t index, T value) {
    const std::size_t chunk = index / kChunk;
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) [[unlikely]]
      make_chunk(chunk);
    chunks_[chunk][index % kChunk] = value;
    if (index >= size_) size_ = index + 1;
  }

  /// Forgets all values from index `size` on.
  void truncate(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    chunks_.resize((size + kChunk - 1) / kChunk);
    if (size % kChunk == 0 || chunks_.back() == nullptr) return;
    for (std::size_t i = size % kChunk; i < kChunk; ++i) chunks_.back()[i] = absent<T>();
  }

  /// The stored values from `begin` to the end of its chunk or to `end`, whichever comes first. If
  /// the span is empty, the next `skip` indices were never written.
  struct Stretch {
    std::span<const T> values;
    std::size_t skip;
  };
  Stretch stretch(std::size_t begin, std::size_t end) const {
    const std::size_t offset = begin % kChunk;
    const std::size_t stop = end < begin - offset + kChunk ? end : begin - offset + kChunk;
    const T* chunk = chunks_[begin / kChunk].get();
    if (chunk == nullptr) return {{}, stop - begin};
    return {{chunk + offset, stop - begin}, stop - begin};
  }

  /// Address of the value at `index`; null if it was never written.
  const T* place(std::size_t index) const {
    if (index >= size_ || chunks_[index / kChunk] == nullptr) return nullptr;
    return chunks_[index / kChunk].get() + index % kChunk;
  }

  std::size_t memory_bytes() const {
    std::size_t total = chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_) total += chunk == nullptr ? 0 : kChunk * sizeof(T);
    return total;
  }

 private:
  void make_chunk(std::size_t chunk) {
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    chunks_[chunk].reset(static_cast<T*>(allocate_chunk(kChunk * sizeof(T))));
    std::uninitialized_fill_n(chunks_[chunk].get(), kChunk, absent<T>());
  }

  struct Deallocate {
    void operator()(T* chunk) const noexcept { deallocate_chunk(chunk, kChunk * sizeof(T)); }
  };
  std::vector<std::unique_ptr<T[], Deallocate>> chunks_;
  std::size_t size_ = 0;
};

/// Times in ns.
using TimeColumn = Column<std::int64_t>;

}  // namespace ringside::model
