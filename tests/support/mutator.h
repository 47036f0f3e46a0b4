// Makes invalid input from valid input: flips, cuts, duplicates, splices, and extreme numbers. The
// same seed gives the same sequence, so that a failure can be reproduced. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ringside::support {

using Bytes = std::vector<std::byte>;

class Mutator {
 public:
  /// `corpus` contains at least one input; it is copied.
  Mutator(std::vector<Bytes> corpus, std::uint64_t seed);

  /// Returns an entry of the corpus with one to eight changes.
  Bytes next();
  /// Changes these bytes slightly.
  void spoil(Bytes& bytes);
  /// Returns a random number below `limit`, which must be positive.
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  void spoil_once(Bytes& bytes);
  void put_number(Bytes& bytes);
  void splice(Bytes& bytes);

  std::vector<Bytes> corpus_;
  std::mt19937_64 random_;
};

/// Calls one_round repeatedly: `rounds` times in ctest, or for RINGSIDE_FUZZ_SECONDS if that is
/// set, with a new seed, which is printed and can be repeated with RINGSIDE_FUZZ_SEED.
void fuzz(std::uint64_t rounds, std::vector<Bytes> corpus,
          void (*one_round)(Mutator&, std::uint64_t round));

}  // namespace ringside::support
