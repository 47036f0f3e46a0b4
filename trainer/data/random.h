// Random numbers for the generators, implemented here because the standard distributions differ
// between libraries. Value type. Uses only +, -, *, / and sqrt on doubles, which IEEE 754 defines
// exactly.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace ringside::data {

/// SplitMix64 (Steele, Lea, Flood, 2014), keyed by the generated object, so that image i does not
/// depend on the number of images.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t index)
      : state_(mix(mix(mix(seed) + stream) + index)) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  /// 0 .. bound - 1
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((next() >> 33) % bound); }
  /// low <= value < high
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  /// Bell-shaped with standard deviation 1 and limits of +-3.5: the sum of four uniform numbers
  /// (Irwin-Hall).
  double bell() {
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) sum += uniform(-1.0, 1.0);
    return sum * 0.8660254037844386;  // sqrt(3/4): a uniform number in -1..1 has variance 1/3
  }
  /// (cos, sin) of a random angle without trigonometric functions: a point in the disc, projected
  /// to its edge.
  std::pair<double, double> direction() {
    for (;;) {
      const double x = uniform(-1.0, 1.0);
      const double y = uniform(-1.0, 1.0);
      const double square = x * x + y * y;
      if (square > 0.01 && square <= 1.0) return {x / std::sqrt(square), y / std::sqrt(square)};
    }
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace ringside::data
