#include "protocol/base/shell_word.h"

#include <cctype>
#include <cstddef>

namespace ringside {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Splits one line into words.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  Result<std::vector<std::string>> split() {
    for (; at_ < line_.size() && problem_.empty(); ++at_) take(line_[at_]);
    end_word();
    if (!problem_.empty()) return bad_request(problem_);
    return std::move(words_);
  }

 private:
  void take(char c) {
    if (kSpace.find(c) != kSpace.npos) {
      end_word();
    } else if (c == '\'') {
      take_single();
    } else if (c == '"') {
      take_double();
    } else if (c == '\\') {
      take_escaped();
    } else {
      refuse_shell(c);
      add(c);
    }
  }

  void take_single() {
    const std::size_t end = line_.find('\'', at_ + 1);
    if (end == line_.npos) {
      problem_ = "The quote ' is not closed.";
      return;
    }
    word_ += line_.substr(at_ + 1, end - at_ - 1);
    begun_ = true;
    at_ = end;
  }

  // Within double quotes, a backslash escapes only the characters that a shell would interpret
  // there.
  void take_double() {
    constexpr std::string_view kEscaped = "\"\\$`";
    begun_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      char c = line_[at_];
      if (c == '\\' && at_ + 1 < line_.size() && kEscaped.find(line_[at_ + 1]) != kEscaped.npos) {
        c = line_[++at_];
      } else if (c == '$' || c == '`') {
        refuse_expansion(c);
      }
      word_ += c;
    }
    if (at_ >= line_.size()) problem_ = "The quote \" is not closed.";
  }

  void take_escaped() {
    if (at_ + 1 >= line_.size()) {
      problem_ = "The line ends with a \\ that escapes nothing.";
      return;
    }
    if (line_[++at_] != '\n') add(line_[at_]);  // a backslash before a line end continues the line
  }

  void refuse_shell(char c) {
    constexpr std::string_view kOperators = "|&;<>()";
    if (kOperators.find(c) != kOperators.npos) {
      problem_ = std::string(1, c) + " needs a shell, and none runs this line: leave it out, or " +
                 "quote it to pass it on.";
    } else if (c == '~' && !begun_) {
      problem_ = "~ is not expanded: write the folder in full, or quote it to pass it on.";
    } else if (c == '$' || c == '`') {
      refuse_expansion(c);
    }
  }

  // A $ before anything but a name is literal, as in a shell.
  void refuse_expansion(char c) {
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
    const bool names = std::isalnum(static_cast<unsigned char>(next)) != 0 ||
                       std::string_view("_{(@*#?!$-").find(next) != std::string_view::npos;
    if (c == '$' && !names) return;
    problem_ = std::string(1, c) + " is not expanded, no shell runs this line: write the value, " +
               "or put it in single quotes to pass it on.";
  }

  void add(char c) {
    word_ += c;
    begun_ = true;
  }

  void end_word() {
    if (begun_) words_.push_back(std::move(word_));
    word_.clear();
    begun_ = false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool begun_ = false;  ///< also true for an empty word: ''
  std::string problem_;
};

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

Result<std::vector<std::string>> split_words(std::string_view line) {
  return Splitter(line).split();
}

}  // namespace ringside
