// Notices and the lines ranks wrote, as rows. The caller gives the bytes of the files; lines are
// found and filtered here. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

struct LogLine {
  std::string time;     ///< "14:32:07.912", empty where not known
  Rank rank = kNoRank;  ///< kNoRank: launcher
  messages::Severity severity = messages::Severity::kInfo;
  std::string text;
  std::int64_t at_ns = 0;
};

/// What a rank wrote to one of its streams, newest part.
struct RankText {
  Rank rank = kNoRank;  ///< kNoRank: the agent's own log
  bool is_error_stream = false;
  std::string_view bytes;
  bool begins_inside_line = false;  ///< the first line may be half: left out
};

struct LogChoice {
  bool all = true;
  Rank rank = kNoRank;  ///< when not all
  messages::Severity lowest = messages::Severity::kInfo;
  std::string filter;  ///< text, case ignored; /regex/ when between slashes
  std::size_t most_lines = 2000;
  bool operator==(const LogChoice&) const = default;
};

struct LogTab {
  Rank rank = kNoRank;
  bool all = false;
  std::string label;  ///< "All ranks", "Rank 2", "Launcher"
  std::size_t warnings = 0;
};

struct LogView {
  std::vector<LogTab> tabs;
  std::vector<LogLine> lines;  ///< oldest first
  std::string hidden;          ///< "1,204 earlier lines", empty
  std::string filter_error;    ///< a pattern that cannot be read
  Sentence empty;
};

/// Events of the run as lines: notices, state changes, epochs, checkpoints; ordered by time.
std::vector<LogLine> event_lines(const model::RunModel& model);
LogView build_log(const model::RunModel& model, std::span<const RankText> texts,
                  const LogChoice& choice);

/// Lines of raw bytes: cut at '\n', '\r' as the last overwrite, escape sequences and control bytes
/// removed, broken UTF-8 replaced.
std::vector<std::string> clean_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most);

/// The newest notices and what they say, for the notices panel.
struct NoticesView {
  std::vector<LogLine> lines;  ///< newest first
  std::string count;           ///< "3 notices", "4,096 of 9,120 notices"
  Sentence empty;
};
NoticesView build_notices(const model::RunModel& model);

}  // namespace ringside::view
