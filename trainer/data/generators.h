// The generators of the generated sets, each of which makes one labelled image from a random stream
// alone, and the table of generators by set. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/data/random.h"

namespace ringside::data {

inline constexpr std::size_t kDigitBytes = 28 * 28;
inline constexpr std::size_t kShapeBytes = 3 * 32 * 32;
/// Increased whenever a generator's pixels change; older folders are then generated again.
inline constexpr int kGeneratorVersion = 1;

/// A digit 0-9 as written by a pen: bright on dark, 28 x 28.
void generate_digit(Random& random, std::size_t label, std::span<std::uint8_t> pixels);

/// One of ten coloured shapes on a cluttered background: planes red, green, blue of 32 x 32.
void generate_shape(Random& random, std::size_t label, std::span<std::uint8_t> pixels);
const std::vector<std::string>& shape_names();

struct Generator {
  std::string_view name;  ///< name of the data set in the catalog, which has its shape and format
  void (*generate)(Random& random, std::size_t label, std::span<std::uint8_t> pixels);
  const std::vector<std::string>& (*class_names)();  ///< for CIFAR's batches.meta.txt
};
/// One row per generated set.
inline constexpr Generator kGenerators[] = {{"digits", generate_digit, nullptr},
                                            {"shapes", generate_shape, shape_names}};

}  // namespace ringside::data
