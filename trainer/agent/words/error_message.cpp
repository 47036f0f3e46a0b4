#include "trainer/agent/words/error_message.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "trainer/agent/words/exceptions.h"
#include "trainer/agent/words/printed_lines.h"

namespace ringside::agent {
namespace {

using Lines = std::vector<std::string>;
using Exceptions = std::vector<PrintedException>;
using Weight = PrintedException::Weight;
using Link = PrintedException::Link;

constexpr std::string_view kAdvice = "; its advice: \"";
constexpr std::size_t kLongestError = 300;
constexpr std::size_t kLongestOther = 240;   ///< for a cause, a continuation or advice
constexpr std::size_t kMostAfterwards = 20;  ///< lines after an exception that ended the program
constexpr std::size_t kPlainLines = 8;       ///< lines considered of a program without exceptions

std::string cut_words(std::string_view text, std::size_t longest) {
  std::string line = printable_line(trimmed(text));
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

void append(std::string& text, std::string_view line) {
  if (!text.empty()) text += ' ';
  text += trimmed(line);
}

bool is_stack_line(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("Exception raised from") || line.starts_with("frame #") ||
         line.starts_with("C++ CapturedTraceback") || line.starts_with("Current thread 0x") ||
         line.starts_with("@  ") || line.starts_with("PC: @");
}

bool ends_sentence(std::string_view line) {
  return !line.empty() && std::string_view(".!?)").find(line.back()) != line.npos;
}

// A message that is read line by line.
class Message {
 public:
  explicit Message(std::string_view head) : error_(without_sides(head)) {
    // The first line may contain advice after the error.
    for (std::size_t at = error_.find(". "); at != error_.npos; at = error_.find(". ", at + 1)) {
      if (!is_advice(error_.substr(at + 2))) continue;
      append(advice_, error_.substr(at + 2));
      open_ = !ends_sentence(advice_);
      error_.resize(at + 1);
      break;
    }
  }

  /// False when the message ended before this line.
  bool add(std::string_view line) {
    line = without_sides(line);
    if (line.empty()) {
      paragraph_ended_ = true;
      open_ = false;
      return true;
    }
    if (is_stack_line(line) || tells_end(line)) return false;
    open_ = open_ && !is_idle_line(line);
    const bool advice = open_ || is_advice(line);
    if (!advice && !error_.ends_with(':') && is_logged_error(line)) return false;
    if (advice) {
      append(advice_, line);
    } else if (error_.ends_with(':') && error_.size() < kLongestError) {
      paragraph_ended_ = false;
      if (!is_idle_line(line)) append(error_, line);
      joined_ = true;
      return true;
    } else if (is_idle_line(line)) {
      return is_rule(line);
    } else if (!paragraph_ended_) {
      append(joined_ && error_.size() < kLongestError ? error_ : more_, line);
    }
    open_ = advice && !ends_sentence(line);
    return true;
  }

  ErrorMessage words(Certainty saying) && {
    while (error_.ends_with(':')) error_.pop_back();
    return {cut_words(error_, kLongestError),
            cut_words(more_, kLongestOther),
            cut_words(advice_, kLongestOther),
            saying,
            {}};
  }

 private:
  static bool is_rule(std::string_view line) {
    return line.find_first_not_of("=-*_~# ") == line.npos;
  }

  std::string error_;
  std::string more_;
  std::string advice_;
  bool open_ = false;    // the advice continues in the next line
  bool joined_ = false;  // the head ended with a colon: its lines are joined to one list
  bool paragraph_ended_ = false;
};

ErrorMessage message_at(std::string_view head, const Lines& lines, std::size_t begin,
                        std::size_t end, Certainty saying) {
  Message message(head);
  for (std::size_t at = begin; at < end && message.add(lines[at]); ++at) {
  }
  return std::move(message).words(saying);
}

/// The exception that contains a line; end() if none.
Exceptions::const_iterator around_line(const Exceptions& all, std::size_t at) {
  return std::find_if(all.begin(), all.end(), [at](const PrintedException& one) {
    return at >= one.begin && at < one.body;
  });
}

/// The first line that is not blank; `end` if none.
template <class Line>
Line said_from(Line begin, Line end) {
  return std::find_if(begin, end, [](const std::string& line) { return !trimmed(line).empty(); });
}

// Whether the output from `at` on shows that the program continued. The rest of the message,
// frames, warnings and messages of other processes about their end do not count.
bool went_on(const Lines& lines, const Exceptions& all, std::size_t at) {
  while (at < lines.size() && !is_idle_line(lines[at])) ++at;
  std::size_t count = 0;
  for (; at < lines.size() && count <= kMostAfterwards; ++at) {
    const auto inside = around_line(all, at);
    if (inside != all.end()) {
      at = inside->body - 1;
    } else if (!is_idle_line(lines[at]) && !is_indented(lines[at]) && !is_advice(lines[at]) &&
               !is_stack_line(lines[at])) {
      ++count;
    }
  }
  return count > kMostAfterwards;
}

/// The last exception of a weight. If some only report another process, the exception of that
/// process.
std::optional<std::size_t> last_of(const Lines& lines, const Exceptions& all, Weight weight) {
  std::optional<std::size_t> reporter;
  std::optional<std::size_t> aborted;
  for (std::size_t i = all.size(); i-- > 0;) {
    const PrintedException& one = all[i];
    if (one.weight != weight || one.link == Link::kInsidePrevious) continue;
    if (!reporter && !aborted && went_on(lines, all, one.body)) return std::nullopt;
    if (one.reports_another) {
      if (!reporter) reporter = i;
    } else if (one.is_cpp && !aborted) {
      aborted = i;  // tearing down after a Python exception often ends in this one
    } else if (!one.is_cpp) {
      return i;
    }
  }
  return aborted ? aborted : reporter;
}

/// Adds the cause, such as "KeyError: 'x'", to the error that was raised because of it.
std::string with_cause(std::string error, const Exceptions& all, std::size_t chosen) {
  if (chosen + 1 < all.size() && all[chosen + 1].link == Link::kInsidePrevious) {
    while (error.ends_with(':') || error.ends_with('.')) error.pop_back();
    return error + ": " + cut_words(all[chosen + 1].head, kLongestOther);
  }
  std::size_t root = chosen;
  const auto leads_on = [&](std::size_t i) {
    return all[i].link == Link::kCauseOfNext || all[i].link == Link::kBeforeNext;
  };
  while (root > 0 && leads_on(root - 1)) --root;
  if (root == chosen || error.find(all[root].head) != error.npos) return error;
  return error + (all[root].link == Link::kCauseOfNext ? ", caused by " : ", while handling ") +
         cut_words(all[root].head, kLongestOther);
}

/// The device-side assertion that was printed before the host reported it: "Assertion `...`
/// failed."
std::string_view assertion_before(const Lines& lines, std::size_t at) {
  while (at-- > 0) {
    const std::string_view line = lines[at];
    const std::size_t begin = line.find("Assertion `");
    if (begin != line.npos) return line.substr(begin);
  }
  return {};
}

ErrorMessage words_of_exception(const Lines& lines, const Exceptions& all, std::size_t chosen) {
  const PrintedException& one = all[chosen];
  const std::size_t end = chosen + 1 < all.size() ? all[chosen + 1].begin : lines.size();
  ErrorMessage words = message_at(one.head, lines, one.body, end, Certainty::kError);
  words.collective = one.collective;
  if (one.head.find("device-side assert") != one.head.npos)
    words.more = cut_words(assertion_before(lines, one.begin), kLongestOther);
  words.error = with_cause(std::move(words.error), all, chosen);
  return words;
}

// Lines that are not blank, frames, warnings or part of an exception that was ruled out; newest
// first.
std::vector<std::size_t> plain_lines(const Lines& lines, const Exceptions& all) {
  std::vector<std::size_t> plain;
  for (std::size_t at = lines.size(); at-- > 0 && plain.size() < kPlainLines;) {
    const auto inside = around_line(all, at);
    if (inside != all.end()) {
      at = inside->begin;
    } else if (plain.empty() && is_advice(lines[at])) {
      continue;  // it follows the error that it is about
    } else if (!is_idle_line(lines[at]) && !is_stack_line(lines[at]) &&
               (!is_indented(lines[at]) || at == 0 || !is_idle_line(lines[at - 1]))) {
      plain.push_back(at);
    }
  }
  return plain;
}

ErrorMessage words_of_idle(const Lines& lines) {
  const auto last = said_from(lines.rbegin(), lines.rend());
  if (last == lines.rend()) return {};
  return {cut_words(*last, kLongestError), {}, {}, Certainty::kIdle, {}};
}

ErrorMessage words_of_plain(const Lines& lines, const Exceptions& all) {
  const auto plain = plain_lines(lines, all);
  if (plain.empty()) return words_of_idle(lines);
  const auto from = [&](std::size_t at, Certainty saying) {
    return message_at(lines[at], lines, at + 1, lines.size(), saying);
  };
  for (const std::size_t at : plain) {
    if (is_error_line(lines[at]) && !tells_end(lines[at])) return from(at, Certainty::kError);
  }
  // The first line of the last consecutive lines that reports a problem.
  std::optional<std::size_t> trouble;
  for (std::size_t i = 0; i < plain.size() && plain[i] + i == plain[0]; ++i) {
    const std::string& line = lines[plain[i]];
    if (tells_trouble(line) && !is_advice(line) && !tells_end(line)) trouble = plain[i];
  }
  if (trouble) return from(*trouble, Certainty::kTrouble);
  for (const std::size_t at : plain) {
    if (is_error_line(lines[at])) return from(at, Certainty::kError);
  }
  const auto last = std::find_if(plain.begin(), plain.end(),
                                 [&](std::size_t at) { return !is_advice(lines[at]); });
  return from(last == plain.end() ? plain[0] : *last, Certainty::kLine);
}

std::string rest_of(const ErrorMessage& words) {
  std::string text;
  if (!words.more.empty()) text += ", then \"" + words.more + '"';
  if (!words.advice.empty()) text.append(kAdvice).append(words.advice) += '"';
  return text;
}

/// A hint when the program needs something that a rank does not have.
std::string lacking(const ErrorMessage& words, std::string_view errors) {
  if (words.error.starts_with("EOFError: EOF when reading a line"))
    return "; a rank has no terminal: give it what it asks for as an option";
  constexpr std::string_view kNoTerminal = "Inappropriate ioctl for device";
  const bool itself = words.error.find(kNoTerminal) != words.error.npos;
  // The error of a program that parses the output of stty, which failed.
  const bool of_stty = words.error.starts_with("ValueError: not enough values") &&
                       errors.find(kNoTerminal) != errors.npos;
  if (words.saying != Certainty::kError || !(itself || of_stty)) return {};
  return "; it asks for a terminal: ringside run --tty makes standard input one";
}

/// The lines that torch marked with this rank, when several ranks wrote to one stream.
std::string marked_text(std::string_view text, const std::string& rank) {
  const std::string mark = "[rank" + rank + "]:";
  std::string own;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (text.starts_with(mark)) own += text.substr(0, end);
    text.remove_prefix(end);
  }
  return own;
}

}  // namespace

ErrorMessage find_error(std::string_view text) {
  const Lines lines = printed_lines(text);
  const Exceptions all = printed_exceptions(lines);
  const auto failed = std::find_if(all.rbegin(), all.rend(), [](const PrintedException& one) {
    return one.reports_another && !one.failed_rank.empty();
  });
  if (failed != all.rend()) {
    const std::string own = marked_text(text, failed->failed_rank);
    if (own.find("Traceback (most recent call last)") != own.npos) return find_error(own);
  }
  for (const Weight weight : {Weight::kMain, Weight::kAside}) {
    if (const auto chosen = last_of(lines, all, weight))
      return words_of_exception(lines, all, *chosen);
  }
  return words_of_plain(lines, all);
}

ErrorMessage words_of_message(std::string_view message) {
  if (message.find("Traceback (most recent call last)") != message.npos) return find_error(message);
  const Lines lines = printed_lines(message);
  const auto head = said_from(lines.begin(), lines.end());
  if (head == lines.end()) return {};
  const auto at = static_cast<std::size_t>(head - lines.begin());
  return message_at(*head, lines, at + 1, lines.size(), Certainty::kError);
}

std::string_view without_advice(std::string_view error_text) {
  return error_text.substr(0, error_text.find(kAdvice));
}

std::string error_text(const ErrorMessage& words) { return words.error + rest_of(words); }

QuotedError quoted_error(std::string_view errors, std::string_view output,
                         const std::string& where) {
  const ErrorMessage said = find_error(errors);
  const ErrorMessage printed =
      said.saying < Certainty::kTrouble ? find_error(output) : ErrorMessage();
  const bool printed_alone = said.saying <= Certainty::kIdle && printed.saying >= Certainty::kLine;
  const bool use_printed = printed_alone || printed.saying == Certainty::kError;
  const ErrorMessage& words = use_printed ? printed : said;
  if (words.error.empty()) return {};
  return {'"' + words.error + "\" (" + (words.saying <= Certainty::kLine ? "last line of " : "") +
              where + (use_printed ? "/stdout)" : "/stderr)") + rest_of(words) +
              lacking(words, errors),
          words.collective};
}

}  // namespace ringside::agent
