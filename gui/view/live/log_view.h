// Notices and the output of ranks, as rows. The caller passes the bytes of the files; lines are
// split and filtered here. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/run_context.h"
#include "gui/view/words.h"
#include "protocol/runlog/output_times.h"

namespace ringside::view {

/// Names of tabs, and texts that are shown if there are no lines.
namespace label {
inline constexpr const char* kAllRanks = "All ranks";
inline constexpr const char* kLauncher = "Launcher";
inline constexpr const char* kSearching = "Searching…";
inline constexpr const char* kNoOutput = "No output yet.";
inline constexpr const char* kNoMatchingLine = "No lines match the filter.";
// The menu of the lines.
inline constexpr const char* kCopyLines = "Copy (Ctrl C)";
inline constexpr const char* kCopyTimed = "Copy with time, rank and stream";
inline constexpr const char* kSelectLines = "Select all";
inline constexpr const char* kSaveLines = "Save these lines to a file";
inline constexpr const char* kSaveLinesTip =
    "Save the lines that are shown to a file. Select lines with the mouse to copy them";
}  // namespace label

/// The tone of the text from this byte on, as set by an escape sequence.
struct ColorSpan {
  std::size_t begin = 0;
  Tone tone = Tone::kText;
  bool strong = false;

  bool operator==(const ColorSpan&) const = default;
};

/// The stream of a line. kNone: an event of the run, or the agent's own log.
enum class LogStream : std::uint8_t { kNone, kOut, kErr };
const char* name_of(LogStream stream);

/// Means no single node.
inline constexpr Node kNoNode = -1;

struct LogLine {
  std::string time;     ///< "14:32:07.912", empty if unknown
  Rank rank = kNoRank;  ///< kNoRank: launcher
  Node node = kNoNode;  ///< node of its rank or agent
  messages::Severity severity = messages::Severity::kInfo;
  std::string text;
  std::int64_t at_ns = 0;
  std::vector<ColorSpan> color;  ///< ascending; empty: the tone of its severity
  bool routine = false;          ///< a state that recurs in every epoch: not an event
  bool day = false;              ///< only the date for the lines below
  LogStream stream = LogStream::kNone;
  std::uint64_t key = 0;  ///< identifies it among all lines, whatever its index
};

/// The newest part of the output of a rank in one of its streams.
struct RankText {
  Rank rank = kNoRank;  ///< kNoRank: the agent's own log
  bool is_error_stream = false;
  std::string_view bytes;
  bool begins_inside_line = false;  ///< the first line may be incomplete and is left out
  std::uint64_t begin = 0;          ///< of `bytes` in the file
  std::span<const runlog::OutputMark> marks = {};  ///< how much the agent had seen at which time
};

/// When the agent saw the byte before `end` of a stream; 0: unknown.
std::int64_t seen_wall_ns(const RankText& text, std::uint64_t end);

struct LogChoice {
  bool all = true;
  Rank rank = kNoRank;  ///< if not all
  Node node = kNoNode;  ///< if all: only those of this node
  messages::Severity lowest = messages::Severity::kInfo;
  std::string filter;  ///< text, case ignored; /regex/ when between slashes
  std::size_t most_lines = 2000;
  bool operator==(const LogChoice&) const = default;
};

struct LogTab {
  Rank rank = kNoRank;
  bool all = false;
  std::string label;  ///< "All ranks", "Node 1", "Rank 2", "Launcher"
  std::size_t warnings = 0;
  /// The rank caused the failure, so that its last output is the place to look.
  bool failed = false;
  Node node = kNoNode;    ///< with `all`: of the tab's ranks and agent, if there are several
  std::string hint = {};  ///< under the mouse: rank_place; empty: none

  bool is_of(const LogChoice& choice) const {
    return all ? choice.all && choice.node == node : !choice.all && choice.rank == rank;
  }
};

/// The result of a search through the whole files, which may be far longer than the part that is
/// read of them otherwise.
struct LogSearch {
  struct Found {
    Rank rank = kNoRank;
    std::uint64_t line = 0;  ///< from 1
    std::string text;
    std::vector<ColorSpan> color = {};  ///< see LogLine
    bool is_error_stream = false;
  };
  std::string text;  ///< empty: no search
  bool running = false;
  std::vector<Found> found;  ///< in the order of the files; the last matches of each
  std::uint64_t matches = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};

struct LogView {
  std::vector<LogTab> tabs;
  std::vector<LogLine> lines;  ///< oldest first
  std::string hidden;          ///< "1,204 earlier lines", empty
  std::string filter_error;    ///< why a pattern is invalid
  std::string searched;     ///< "12 of 1,204 lines in 3 files, 1,024.0 MB read"; empty: no search
  bool can_search = false;  ///< there is a filter that can be searched for in the whole files
  Rank first_failed = kNoRank;  ///< cause of the failure; kNoRank: none failed, or only victims
  Sentence empty;
  std::uint64_t built = 0;  ///< set by the owner: a new number means new lines
};

/// Events of the run as lines: notices, state changes, epochs, checkpoints; ordered by time.
std::vector<LogLine> event_lines(const model::RunModel& model);
/// Builds the view. A date is inserted above each line whose day differs from that of the line
/// before, or, for the first line, from today; there are none if `today_wall_ns` is 0.
LogView build_log(const model::RunModel& model, std::span<const RankText> texts,
                  const LogChoice& choice, const LogSearch* search = nullptr,
                  std::int64_t today_wall_ns = 0);

/// A line as displayed, with the colours set by its escape sequences.
struct StyledLine {
  std::string text;
  std::vector<ColorSpan> color;
  std::size_t end = 0;  ///< end of its bytes in the input
};
std::vector<StyledLine> styled_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most);

/// Guesses the severity of a program's line from its words: "error", "warn", and a traceback with
/// its lines. Lines are passed in order.
class LevelGuess {
 public:
  messages::Severity of(std::string_view line);

 private:
  bool in_traceback_ = false;
};

/// Lines of raw bytes: cut at '\n', '\r' as the last overwrite, escape sequences and control bytes
/// removed, broken UTF-8 replaced.
std::vector<std::string> clean_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most);

}  // namespace ringside::view
