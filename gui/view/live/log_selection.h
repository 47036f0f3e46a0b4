// The selected part of a log, between two positions in its lines, and its text for the clipboard
// and for a file. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gui/view/live/log_view.h"

namespace ringside::view {

/// A position in a line. The key identifies the line after others were added or removed.
struct LogPlace {
  std::size_t line = 0;
  std::size_t byte = 0;  ///< index in its text
  std::uint64_t key = 0;
};

/// A range of bytes of a line, from `begin` to before `end`.
struct LogPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool goes_on = false;  ///< the selection continues in the next line
  bool operator==(const LogPart&) const = default;
};

struct LogSelection {
  LogPlace anchor;  ///< where it began
  LogPlace head;    ///< where it ends, before or after the anchor

  bool any() const { return anchor.line != head.line || anchor.byte != head.byte; }
  /// The part of a line of `size` bytes; nothing if the line is outside.
  std::optional<LogPart> part_of(std::size_t line, std::size_t size) const;
  /// Finds its lines again among the current ones; clears the selection if they are gone.
  void follow(std::span<const LogLine> lines);
};

/// The word around a byte; if that is a separator, only that character.
LogPart word_around(std::string_view text, std::size_t byte);

LogSelection whole_line(std::span<const LogLine> lines, std::size_t line);
LogSelection all_lines(std::span<const LogLine> lines);

/// "14:32:07.912  r2 stderr  out of memory": a line as written to a file.
std::string timed_text(const LogLine& line);
/// The selected text; if `timed`, whole lines with time, rank and stream before each.
std::string selected_text(std::span<const LogLine> lines, const LogSelection& selection,
                          bool timed);
/// "log_all.txt", "log_rank_2.txt": the name of a file with the lines of this tab.
std::string log_file_name(const LogChoice& choice);

}  // namespace ringside::view
