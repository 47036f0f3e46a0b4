#include "trainer/agent/words/exceptions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "protocol/base/text.h"
#include "trainer/agent/words/printed_lines.h"

namespace ringside::agent {
namespace {

using Lines = std::vector<std::string>;
using Weight = PrintedException::Weight;
using Link = PrintedException::Link;

constexpr std::string_view kTraceback = "Traceback (most recent call last)";
constexpr std::string_view kThrown = "terminate called after throwing an instance of '";
constexpr std::string_view kLibcxxThrown = "terminating due to uncaught exception of type ";
constexpr std::size_t kMostLeaves = 3;

bool begins_box(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("╭") || line.starts_with("+--") || line.starts_with("┌");
}

bool is_boxed(std::string_view line) {
  static constexpr std::array<std::string_view, 9> kBegins = {"│", "┃", "|", "╭", "╰",
                                                              "+", "┌", "└", "❱"};
  line = trimmed(line);
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](std::string_view begin) { return line.starts_with(begin); });
}

/// The last line before `at` that is not empty.
std::string_view said_before(const Lines& lines, std::size_t at) {
  while (at > 0 && trimmed(lines[at - 1]).empty()) --at;
  return at > 0 ? trimmed(lines[at - 1]) : std::string_view();
}

Weight weight_after(std::string_view before) {
  static constexpr std::array<std::string_view, 4> kIgnored = {
      "Exception ignored", "Error in atexit", "Error in sys.excepthook", "--- Logging error"};
  static constexpr std::array<std::string_view, 5> kAside = {
      "Exception in thread", "Exception in callback", "Task exception was never",
      "future:", "Process "};
  const auto begins = [&](std::string_view word) { return before.starts_with(word); };
  if (std::any_of(kIgnored.begin(), kIgnored.end(), begins)) return Weight::kIgnored;
  if (before.starts_with("ERROR:asyncio")) return Weight::kAside;
  const bool aside = std::any_of(kAside.begin(), kAside.end(), begins);
  // "Process Train-1:" is a heading; "Process 3 has 2 GiB in use" is not.
  if (aside && before.starts_with("Process ") && !before.ends_with(':')) return Weight::kMain;
  return aside ? Weight::kAside : Weight::kMain;
}

bool quotes_another(std::string_view line, std::string_view before) {
  return line.find("Original Traceback") != line.npos || before == "\"\"\"" ||
         (before.starts_with("-- Process") && before.ends_with("error:"));
}

bool reports_another(std::string_view head) {
  static constexpr std::array<std::string_view, 3> kNames = {
      "ChildFailedError", "CalledProcessError", "ProcessExitedException"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return head.find(name) != head.npos; });
}

/// The value in a row of torchrun's table, such as "rank       : 5 (local_rank: 5)".
std::string_view table_value(std::string_view line, std::string_view key) {
  line = trimmed(line);
  if (!line.starts_with(key)) return {};
  line = trimmed(line.substr(key.size()));
  return line.starts_with(':') ? trimmed(line.substr(1)) : std::string_view();
}

bool is_table_rule(std::string_view line) {
  return line.starts_with("---") || line.starts_with("===") || line.starts_with("***");
}

/// The collective that a stack frame names: "barrier" for torch's group functions; "backward", in
/// which DDP reduces.
std::string collective_of(std::string_view frame) {
  if (frame.find("_engine_run_backward") != frame.npos) return "backward";
  const std::size_t name = frame.rfind(", in ");
  const bool group = frame.find("distributed_c10d.py") != frame.npos && name != frame.npos;
  return group ? std::string(trimmed(frame.substr(name + 5))) : std::string();
}

/// The name in a notebook's line "ValueError      Traceback (most recent call last)"; otherwise
/// empty.
std::string_view named_before_traceback(std::string_view line) {
  const std::size_t end = line.find(' ');
  const std::size_t traceback = line.find(kTraceback);
  const bool alone = end != line.npos && traceback != line.npos && end > 0 && traceback > end + 1 &&
                     trimmed(line.substr(end, traceback - end)).empty();
  return alone ? line.substr(0, end) : std::string_view();
}

/// Whether the line is part of a frame, including loguru's markers and values.
bool is_of_frame(std::string_view line) {
  const std::string_view inner = trimmed(line);
  return is_indented(line) || inner.empty() || inner.starts_with("> File ");
}

/// Index of the exception's line after its frames; the number of lines when the text ends before
/// it.
std::size_t head_after(const Lines& lines, std::size_t at) {
  if (const std::string_view name = named_before_traceback(lines[at]); !name.empty()) {
    const auto is_head = [name](std::string_view line) {
      return line.starts_with(name) && (line.size() == name.size() || line[name.size()] == ':');
    };
    for (++at; at < lines.size() && !is_head(lines[at]);) ++at;
    return at;
  }
  if (begins_box(lines[at])) {
    for (++at; at < lines.size() && (is_boxed(lines[at]) || trimmed(lines[at]).empty());) ++at;
    return at;
  }
  for (++at; at < lines.size() && is_of_frame(lines[at]);) ++at;
  return at;
}

// rich wraps a message at the width of its box: the lines up to the next empty one are joined.
std::string joined_by_rich(const Lines& lines, std::size_t& at) {
  std::string text(trimmed(lines[at]));
  for (++at; at < lines.size() && !trimmed(lines[at]).empty() && !is_idle_line(lines[at]); ++at) {
    if (lines[at - 1].size() < 60) break;
    text.append(" ").append(trimmed(lines[at]));
  }
  return text;
}

// A line of an exception group without its margin; empty for separators of the members.
std::string without_margin(std::string_view line) {
  std::string_view rest = line;
  for (;;) {
    const std::string_view inner = trimmed(rest);
    if (inner.starts_with("+-") || inner.starts_with("+ ")) return {};
    if (!inner.starts_with('|')) return std::string(rest);
    rest = inner.substr(1);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
  }
}

// "ExceptionGroup: two (2 sub-exceptions): ValueError: a; KeyError: 'b'"; body is set to the line
// after the group.
PrintedException group_at(const Lines& lines, std::size_t at) {
  PrintedException group;
  group.begin = at;
  std::vector<std::string> leaves;
  bool frames = true;  // until the exception of this member was found
  std::size_t more = 0;
  for (++at; at < lines.size() && is_boxed(lines[at]); ++at) {
    const std::string line = without_margin(lines[at]);
    if (line.empty()) {
      frames = true;
      continue;
    }
    if (!frames || is_indented(line) || line.find(kTraceback) != line.npos) continue;
    frames = false;
    if (group.head.empty()) {
      group.head = line;
    } else if (line.find(" sub-exception") != line.npos) {
      continue;  // followed by its members
    } else if (leaves.size() < kMostLeaves) {
      leaves.push_back(line);
    } else {
      ++more;
    }
  }
  for (std::size_t i = 0; i < leaves.size(); ++i)
    group.head.append(i == 0 ? ": " : "; ").append(leaves[i]);
  if (more > 0) group.head += "; " + std::to_string(more) + " more";
  group.body = at;
  return group;
}

/// The first failure in torchrun's table after its exception, "rank 5: Signal 9 (SIGKILL) received
/// by PID 2630"; body is set to the line after the table.
std::string first_failure(const Lines& lines, PrintedException& report) {
  std::size_t row = report.body;
  while (row < lines.size() && trimmed(lines[row]).find("Root Cause") != 0) ++row;
  if (row == lines.size()) return {};
  std::string rank;
  std::string code;
  std::string why;
  bool frames = false;
  for (++row; row < lines.size() && !is_table_rule(lines[row]); ++row) {
    if (frames) {
      frames = !lines[row].starts_with("  ") || lines[row].starts_with("   ");
      if (!frames) why = trimmed(lines[row]);
      continue;
    }
    if (const auto value = table_value(lines[row], "rank"); !value.empty())
      rank = value.substr(0, value.find(' '));
    if (const auto value = table_value(lines[row], "exitcode"); !value.empty())
      code = value.substr(0, value.find(' '));
    for (const char* key : {"traceback", "msg"}) {
      if (const auto value = table_value(lines[row], key); !value.empty()) why = value;
    }
    frames = why.starts_with(kTraceback);
    if (why.find("Exception Group") == why.npos) continue;
    const PrintedException group = group_at(lines, row);
    why = group.head;
    row = group.body - 1;
  }
  if (row == lines.size() || rank.empty()) return {};
  report.body = row + 1;
  // An exit code alone says less than the rank's output; any other reason is that of the rank that
  // failed first, not of a victim.
  report.reports_another = why.empty() || why.find("To enable traceback") != why.npos;
  if (report.reports_another) why = "exit code " + code;
  report.failed_rank = rank;
  return "rank " + rank + ": " + why;
}

std::optional<PrintedException> python_at(const Lines& lines, std::size_t at) {
  const std::string_view before = said_before(lines, at);
  if (lines[at].find("Exception Group " + std::string(kTraceback)) != std::string::npos) {
    PrintedException group = group_at(lines, at);
    group.weight = weight_after(before);
    if (group.head.empty()) return std::nullopt;
    return group;
  }
  PrintedException found;
  found.begin = at;
  const bool rich = begins_box(lines[at]);
  std::size_t head = head_after(lines, at);
  if (head >= lines.size()) return std::nullopt;
  // Another process printed its traceback between these lines.
  if (lines[head].starts_with(kTraceback)) return std::nullopt;
  found.head = rich ? joined_by_rich(lines, head) : std::string(trimmed(lines[head++]));
  found.body = head;
  for (std::size_t frame = at; frame < head; ++frame) {
    if (auto collective = collective_of(lines[frame]); !collective.empty())
      found.collective = std::move(collective);
  }
  found.weight = weight_after(before);
  found.reports_another = reports_another(found.head);
  if (found.head.find("ChildFailedError") != found.head.npos) {
    if (const std::string first = first_failure(lines, found); !first.empty())
      found.head = found.head.substr(0, found.head.find(':')) + ": " + first;
  }
  if (quotes_another(lines[at], before)) found.link = Link::kInsidePrevious;
  return found;
}

// "terminate called after throwing an instance of 'X'", then "  what():  reason".
std::optional<PrintedException> cpp_at(const Lines& lines, std::size_t at) {
  const std::string_view line = lines[at];
  constexpr std::string_view kWhat = "what():";
  PrintedException found;
  found.is_cpp = true;
  found.begin = at;
  found.body = at + 1;
  if (const std::size_t thrown = line.find(kThrown); thrown != line.npos) {
    const std::string_view type = line.substr(thrown + kThrown.size());
    found.head = type.substr(0, type.find('\''));
    if (at + 1 >= lines.size() || !trimmed(lines[at + 1]).starts_with(kWhat)) return found;
    found.head.append(": ").append(trimmed(trimmed(lines[at + 1]).substr(kWhat.size())));
    found.body = at + 2;
    return found;
  }
  if (const std::size_t thrown = line.find(kLibcxxThrown); thrown != line.npos) {
    found.head = line.substr(thrown + kLibcxxThrown.size());
    return found;
  }
  if (trimmed(line).starts_with(kWhat)) {
    found.head = trimmed(trimmed(line).substr(kWhat.size()));
    return found;
  }
  if (!line.starts_with("Fatal Python error: ") && !line.starts_with("terminate called"))
    return std::nullopt;
  found.head = line;
  if (line.starts_with("terminate called")) found.weight = Weight::kAside;
  return found;
}

// How the exception before this line is linked to the next one.
Link link_at(std::string_view line) {
  if (line.find("was the direct cause of the following exception") != line.npos)
    return Link::kCauseOfNext;
  if (line.find("During handling of the above exception") != line.npos) return Link::kBeforeNext;
  return Link::kNone;
}

}  // namespace

std::vector<PrintedException> printed_exceptions(const std::vector<std::string>& lines) {
  std::vector<PrintedException> found;
  for (std::size_t at = 0; at < lines.size();) {
    if (const Link link = link_at(lines[at]); link != Link::kNone && !found.empty()) {
      found.back().link = link;
      ++at;
      continue;
    }
    const bool python = lines[at].find(kTraceback) != std::string::npos;
    auto exception = python ? python_at(lines, at) : cpp_at(lines, at);
    if (!exception) {
      ++at;
      continue;
    }
    at = exception->body;
    found.push_back(std::move(*exception));
  }
  return found;
}

}  // namespace ringside::agent
