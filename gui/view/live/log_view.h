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
#include "protocol/runlog/output_times.h"

namespace ringside::view {

/// Names of tabs, and texts that are shown if there are no lines.
namespace label {
inline constexpr const char* kAllRanks = "All ranks";
inline constexpr const char* kLauncher = "Launcher";
inline constexpr const char* kSearching = "Searching…";
inline constexpr const char* kNoOutput = "No output yet.";
inline constexpr const char* kNoMatchingLine = "No lines match the filter.";
inline constexpr const char* kNoNotices = "No notices.";
// The menu of the lines.
inline constexpr const char* kCopyLines = "Copy (Ctrl C)";
inline constexpr const char* kCopyTimed = "Copy with time, rank and stream";
inline constexpr const char* kSelectLines = "Select all";
inline constexpr const char* kSaveLines = "Save these lines to a file";
inline constexpr const char* kSaveLinesTip =
    "Save the lines that are shown to a file. Select lines with the mouse to copy them";
}  // namespace label

/// A tone in which the text is written from this byte on, as an escape sequence asked.
struct ColorSpan {
  std::size_t begin = 0;
  Tone tone = Tone::kText;
  bool strong = false;

  bool operator==(const ColorSpan&) const = default;
};

/// Where a rank wrote a line. kNone: an event of the run, or the agent's own log.
enum class LogStream : std::uint8_t { kNone, kOut, kErr };
const char* name_of(LogStream stream);

/// Stands in place of a node: no single one.
inline constexpr Node kNoNode = -1;

struct LogLine {
  std::string time;     ///< "14:32:07.912", empty where not known
  Rank rank = kNoRank;  ///< kNoRank: launcher
  Node node = kNoNode;  ///< of its rank or agent
  messages::Severity severity = messages::Severity::kInfo;
  std::string text;
  std::int64_t at_ns = 0;
  std::vector<ColorSpan> color;  ///< ascending; empty: the tone of its severity
  bool routine = false;          ///< a state that comes back in every epoch: no event
  bool day = false;              ///< only the date of the lines below
  LogStream stream = LogStream::kNone;
  std::uint64_t key = 0;  ///< tells it from the others, wherever it stands
};

/// What a rank wrote to one of its streams, newest part.
struct RankText {
  Rank rank = kNoRank;  ///< kNoRank: the agent's own log
  bool is_error_stream = false;
  std::string_view bytes;
  bool begins_inside_line = false;                 ///< the first line may be half: left out
  std::uint64_t begin = 0;                         ///< of `bytes` in the file
  std::span<const runlog::OutputMark> marks = {};  ///< when the agent saw how much of it
};

/// When the agent saw the byte before `end` of a stream; 0: nobody noted it.
std::int64_t seen_wall_ns(const RankText& text, std::uint64_t end);

struct LogChoice {
  bool all = true;
  Rank rank = kNoRank;  ///< when not all
  Node node = kNoNode;  ///< of all, those of this node alone
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
  bool failed = false;    ///< its rank is the cause: what it wrote last is the place to look
  Node node = kNoNode;    ///< with `all`: of its ranks and its agent; where there are several
  std::string hint = {};  ///< under the mouse: rank_place; empty: none

  bool is_of(const LogChoice& choice) const {
    return all ? choice.all && choice.node == node : !choice.all && choice.rank == rank;
  }
};

/// What a search through the whole files found; they may be far longer than what is read of them
/// otherwise.
struct LogSearch {
  struct Found {
    Rank rank = kNoRank;
    std::uint64_t line = 0;  ///< from 1
    std::string text;
    std::vector<ColorSpan> color = {};  ///< as of LogLine
    bool is_error_stream = false;
  };
  std::string text;  ///< empty: nothing is searched
  bool running = false;
  std::vector<Found> found;  ///< in the order of the files; the last ones of each
  std::uint64_t matches = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};

struct LogView {
  std::vector<LogTab> tabs;
  std::vector<LogLine> lines;  ///< oldest first
  std::string hidden;          ///< "1,204 earlier lines", empty
  std::string filter_error;    ///< a pattern that cannot be read
  std::string searched;     ///< "12 of 1,204 lines in 3 files, 1,024.0 MB read"; empty: no search
  bool can_search = false;  ///< a filter that can be looked for in the whole files
  Rank first_failed = kNoRank;  ///< the cause; kNoRank: no rank failed, or victims alone
  Sentence empty;
  std::uint64_t built = 0;  ///< set by who keeps it: another number, other lines
};

/// Events of the run as lines: notices, state changes, epochs, checkpoints; ordered by time.
std::vector<LogLine> event_lines(const model::RunModel& model);
/// A date stands above the first line of a day that is not the day before it in the log, or for the
/// first of them today; none where `today_wall_ns` is 0.
LogView build_log(const model::RunModel& model, std::span<const RankText> texts,
                  const LogChoice& choice, const LogSearch* search = nullptr,
                  std::int64_t today_wall_ns = 0);

/// A line as it is shown, with the colours that its escape sequences ask for.
struct StyledLine {
  std::string text;
  std::vector<ColorSpan> color;
  std::size_t end = 0;  ///< of its bytes, in those it was made from
};
std::vector<StyledLine> styled_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most);

/// What kind of line a program wrote, by its words: "error", "warn", a traceback and what belongs
/// to it. Lines are given in their order.
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

/// The newest notices and what they say, for the notices panel.
struct NoticesView {
  std::vector<LogLine> lines;  ///< newest first
  std::string count;           ///< "3 notices", "4,096 of 9,120 notices"
  Sentence empty;
};
NoticesView build_notices(const model::RunModel& model);

}  // namespace ringside::view
