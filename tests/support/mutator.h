// Makes bad input out of good: flips, cuts, doubles, splices, and numbers that lengths dislike. The
// same seed gives the same sequence, so a failure can be made again. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ringside::support {

using Bytes = std::vector<std::byte>;

class Mutator {
 public:
  /// `corpus` holds at least one input; it is copied.
  Mutator(std::vector<Bytes> corpus, std::uint64_t seed);

  /// An entry of the corpus with one to eight changes.
  Bytes next();
  /// Changes these bytes a little.
  void spoil(Bytes& bytes);
  /// A random number below `limit`, which is above 0.
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  void spoil_once(Bytes& bytes);
  void put_number(Bytes& bytes);
  void splice(Bytes& bytes);

  std::vector<Bytes> corpus_;
  std::mt19937_64 random_;
};

/// How long a test may look for bad input: `rounds` for ctest, or RINGSIDE_FUZZ_SECONDS when that
/// is set, with a seed of its own that is printed and that RINGSIDE_FUZZ_SEED repeats. Calls
/// one_round until then.
void fuzz(std::uint64_t rounds, std::vector<Bytes> corpus,
          void (*one_round)(Mutator&, std::uint64_t round));

}  // namespace ringside::support
