// Reads bytes with one of the readers, in pieces of any size.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "gui/watch/file_tail.h"

namespace ringside::testing {

struct Reading {
  watch::Findings found;
  std::string problem;   ///< empty: none
  std::size_t used = 0;  ///< bytes that were taken
};

/// As a file that grows by `piece` bytes at a time.
inline Reading read_in_pieces(watch::Format format, std::string_view file, std::size_t piece,
                              bool at_end = false) {
  const auto reader = watch::make_reader(format);
  Reading reading;
  for (std::size_t size = 0; size < file.size();) {
    size = std::min(size + piece, file.size());
    const auto taken = reader->take(file.substr(reading.used, size - reading.used),
                                    at_end && size == file.size(), reading.found);
    if (!taken) {
      reading.problem = taken.error().message;
      return reading;
    }
    reading.used += *taken;
  }
  return reading;
}

inline Reading read_whole(watch::Format format, std::string_view file, bool at_end = false) {
  return read_in_pieces(format, file, file.size(), at_end);
}

}  // namespace ringside::testing
