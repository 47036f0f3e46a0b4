// A growing column of values by index, in pieces of 4,096 so that growing never copies and never
// doubles memory. A piece nobody wrote costs eight bytes. Pieces lie in the piece store, which
// bounds what of them is resident. One thread; lives inside the model.
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

#include "gui/model/piece_store.h"

namespace ringside::model {

/// What a place holds that was never written. For floats a NaN with its own bits, so that it
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

template <class T>
class Column {
 public:
  static constexpr std::size_t kPiece = 4096;

  std::size_t size() const { return size_; }

  /// The value at `index`, or absent<T>() beyond the end.
  T at(std::size_t index) const {
    if (index >= size_) return absent<T>();
    const T* piece = pieces_[index / kPiece].get();
    return piece == nullptr ? absent<T>() : piece[index % kPiece];
  }

  /// Writes one value; the column grows to hold it and what lies between stays absent.
  void set(std::size_t index, T value) {
    const std::size_t piece = index / kPiece;
    if (piece >= pieces_.size() || pieces_[piece] == nullptr) [[unlikely]]
      make_piece(piece);
    pieces_[piece][index % kPiece] = value;
    if (index >= size_) size_ = index + 1;
  }

  /// Forgets everything from `size` on.
  void truncate(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    pieces_.resize((size + kPiece - 1) / kPiece);
    if (size % kPiece == 0 || pieces_.back() == nullptr) return;
    for (std::size_t i = size % kPiece; i < kPiece; ++i) pieces_.back()[i] = absent<T>();
  }

  /// The stored values from `begin` to the end of its piece or to `end`, whichever comes first.
  /// An empty span with `skip` places means: nothing was ever written there.
  struct Stretch {
    std::span<const T> values;
    std::size_t skip;
  };
  Stretch stretch(std::size_t begin, std::size_t end) const {
    const std::size_t offset = begin % kPiece;
    const std::size_t stop = end < begin - offset + kPiece ? end : begin - offset + kPiece;
    const T* piece = pieces_[begin / kPiece].get();
    if (piece == nullptr) return {{}, stop - begin};
    return {{piece + offset, stop - begin}, stop - begin};
  }

  /// Where the value at `index` is stored; null where nothing was ever written.
  const T* place(std::size_t index) const {
    if (index >= size_ || pieces_[index / kPiece] == nullptr) return nullptr;
    return pieces_[index / kPiece].get() + index % kPiece;
  }

  std::size_t memory_bytes() const {
    std::size_t total = pieces_.capacity() * sizeof(pieces_[0]);
    for (const auto& piece : pieces_) total += piece == nullptr ? 0 : kPiece * sizeof(T);
    return total;
  }

 private:
  void make_piece(std::size_t piece) {
    if (piece >= pieces_.size()) pieces_.resize(piece + 1);
    pieces_[piece].reset(static_cast<T*>(piece_store().take(kPiece * sizeof(T))));
    std::uninitialized_fill_n(pieces_[piece].get(), kPiece, absent<T>());
  }

  struct GiveBack {
    void operator()(T* piece) const noexcept { piece_store().give_back(piece, kPiece * sizeof(T)); }
  };
  std::vector<std::unique_ptr<T[], GiveBack>> pieces_;
  std::size_t size_ = 0;
};

/// Times in ns.
using TimeColumn = Column<std::int64_t>;

}  // namespace ringside::model
