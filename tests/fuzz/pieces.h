// Shared by the targets for foreign files: the result is the same whether a file is read at once or
// as it grows.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "gui/watch/file_reader.h"
#include "tests/fuzz/input.h"

namespace ringside::fuzz {

struct Taken {
  watch::Findings found;
  std::string problem;
  std::size_t used = 0;
};

template <class Reader>
Taken take_in_pieces(std::string_view file, std::size_t piece) {
  Reader reader;
  Taken taken;
  for (std::size_t size = 0; size < file.size() && taken.problem.empty();) {
    size = std::min(size + piece, file.size());
    const auto used = reader.take(file.substr(taken.used, size - taken.used), false, taken.found);
    if (!used) taken.problem = used.error().message;
    if (used) taken.used += *used;
  }
  return taken;
}

template <class Reader>
void compare_pieces(std::string_view file, std::size_t piece) {
  const Taken whole = take_in_pieces<Reader>(file, file.size());
  const Taken pieces = take_in_pieces<Reader>(file, piece);
  require(whole.problem == pieces.problem);
  require(whole.found.points.size() == pieces.found.points.size());
  require(whole.found.exit_code == pieces.found.exit_code);
  for (std::size_t i = 0; i < whole.found.points.size(); ++i) {
    require(whole.found.points[i].name == pieces.found.points[i].name);
    require(whole.found.points[i].step == pieces.found.points[i].step);
    require(whole.found.points[i].name.size() <= 4 * watch::kMaxNameBytes);
  }
}

}  // namespace ringside::fuzz
