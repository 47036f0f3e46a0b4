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
  std::string foreign;   ///< why it is not such a file; empty: it is
  std::size_t used = 0;  ///< bytes that were taken

  /// The kinds of data left out, like "byte 40: a record is damaged (2)", separated by " | ".
  std::string left_out() const {
    std::string text;
    for (const watch::LeftOut& one : found.left_out)
      text += (text.empty() ? "" : " | ") + one.place + ": " + one.what + " (" +
              std::to_string(one.count) + ")";
    return text;
  }
  /// The values in order, like "loss@3=0.5 ...".
  std::string values() const {
    std::string text;
    for (const watch::Point& point : found.points) {
      if (point.of_step) continue;
      std::string number = std::to_string(point.value);
      if (number.find('.') != number.npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.ends_with('.')) number.pop_back();
      }
      text +=
          (text.empty() ? "" : " ") + point.name + "@" + std::to_string(point.step) + "=" + number;
    }
    return text;
  }
};

/// Reads the file as if it grew by `piece` bytes at a time.
inline Reading read_in_pieces(watch::Format format, std::string_view file, std::size_t piece,
                              bool at_end = false, watch::TableOptions options = {}) {
  const auto reader = watch::make_reader(format, std::move(options));
  Reading reading;
  for (std::size_t size = 0; size < file.size();) {
    size = std::min(size + piece, file.size());
    reading.used += reader->take(file.substr(reading.used, size - reading.used),
                                 at_end && size == file.size(), reading.found);
  }
  reading.foreign = reader->foreign();
  return reading;
}

inline Reading read_whole(watch::Format format, std::string_view file, bool at_end = false,
                          watch::TableOptions options = {}) {
  return read_in_pieces(format, file, std::max<std::size_t>(1, file.size()), at_end,
                        std::move(options));
}

}  // namespace ringside::testing
