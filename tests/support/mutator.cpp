#include "tests/support/mutator.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "protocol/base/clock.h"

namespace ringside::support {
namespace {

// Lengths, counts and limits of the formats, and neighbouring numbers.
constexpr std::array<std::uint64_t, 16> kNumbers = {0,
                                                    1,
                                                    2,
                                                    7,
                                                    24,
                                                    31,
                                                    32,
                                                    55,
                                                    56,
                                                    0x7fff,
                                                    0xffff,
                                                    std::uint64_t{1} << 20,
                                                    (std::uint64_t{2} << 20) + 1,
                                                    0x7fffffff,
                                                    0xffffffff,
                                                    0xffffffffffffffff};

}  // namespace

Mutator::Mutator(std::vector<Bytes> corpus, std::uint64_t seed)
    : corpus_(std::move(corpus)), random_(seed) {}

Bytes Mutator::next() {
  Bytes bytes = corpus_[below(corpus_.size())];
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes; ++i) spoil_once(bytes);
  return bytes;
}

void Mutator::spoil(Bytes& bytes) {
  for (std::size_t i = 0; i < 1 + below(3); ++i) spoil_once(bytes);
}

void Mutator::spoil_once(Bytes& bytes) {
  if (bytes.empty()) return splice(bytes);
  const std::size_t at = below(bytes.size());
  const std::size_t length = std::min(1 + below(64), bytes.size() - at);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  switch (below(7)) {
    case 0:
      bytes[at] ^= std::byte{1} << below(8);
      break;
    case 1:
      std::generate(begin, end, [&] { return static_cast<std::byte>(random_()); });
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.erase(begin, end);
      break;
    case 4: {
      const Bytes again(begin, end);
      bytes.insert(begin, again.begin(), again.end());
      break;
    }
    case 5:
      splice(bytes);
      break;
    default:
      put_number(bytes);
  }
}

void Mutator::put_number(Bytes& bytes) {
  const std::uint64_t number = kNumbers[below(kNumbers.size())];
  const std::size_t size = std::size_t{1} << below(4);
  if (bytes.size() < size) return;
  // Fields are mostly aligned to multiples of their size.
  std::size_t at = below(bytes.size() - size + 1);
  if (below(4) != 0) at -= at % size;
  std::memcpy(bytes.data() + at, &number, size);
}

void Mutator::splice(Bytes& bytes) {
  const Bytes& other = corpus_[below(corpus_.size())];
  if (other.empty()) return;
  const std::size_t from = below(other.size());
  const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
  const auto at = static_cast<std::ptrdiff_t>(below(bytes.size() + 1));
  bytes.insert(bytes.begin() + at, begin, other.end());
}

void fuzz(std::uint64_t rounds, std::vector<Bytes> corpus,
          void (*one_round)(Mutator&, std::uint64_t round)) {
  const char* wish = std::getenv("RINGSIDE_FUZZ_SECONDS");
  const std::int64_t seconds = wish != nullptr ? std::atoll(wish) : 0;
  const char* again = std::getenv("RINGSIDE_FUZZ_SEED");
  const std::uint64_t seed = again != nullptr ? std::strtoull(again, nullptr, 10)
                             : seconds > 0    ? static_cast<std::uint64_t>(mono_now_ns())
                                              : std::uint64_t{20261121};
  if (seconds > 0) std::cout << "looking for " << seconds << " s with seed " << seed << std::endl;
  Mutator mutator(std::move(corpus), seed);
  const std::int64_t until_ns = mono_now_ns() + seconds * 1'000'000'000;
  for (std::uint64_t round = 0; seconds > 0 ? mono_now_ns() < until_ns : round < rounds; ++round)
    one_round(mutator, round);
}

}  // namespace ringside::support
