// The rank that owns each sample, in as few bits as the number of ranks needs: 2 for 3 ranks, 4 for
// 15. Plain data; lives as long as the data of one epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

class OwnerMap {
 public:
  OwnerMap() = default;
  OwnerMap(std::size_t samples, Rank world_size) : samples_(samples) {
    while ((std::uint64_t{1} << bits()) <= static_cast<std::uint64_t>(world_size)) ++log_bits_;
    words_.resize(samples / per_word() + 1);
  }

  std::size_t size() const { return samples_; }
  /// The owner; kNoRank if there is none.
  Rank at(std::size_t sample) const {
    const std::uint64_t value = words_[word(sample)] >> shift(sample);
    return static_cast<Rank>(value & mask()) - 1;
  }
  void set(std::size_t sample, Rank rank) {
    std::uint64_t& owners = words_[word(sample)];
    owners &= ~(mask() << shift(sample));
    owners |= (static_cast<std::uint64_t>(rank + 1) & mask()) << shift(sample);
  }
  std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  static_assert(kNoRank == -1);
  unsigned bits() const { return 1U << log_bits_; }
  std::size_t per_word() const { return std::size_t{64} >> log_bits_; }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits()) - 1; }
  // Uses shifts, since this is called for millions of samples.
  std::size_t word(std::size_t sample) const { return sample >> (6U - log_bits_); }
  unsigned shift(std::size_t sample) const {
    return static_cast<unsigned>(sample & (per_word() - 1)) << log_bits_;
  }

  std::size_t samples_ = 0;
  unsigned log_bits_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace ringside::model
