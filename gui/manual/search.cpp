#include "gui/manual/search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "protocol/base/text.h"

namespace ringside::manual {
namespace {

constexpr std::array<std::string_view, 26> kEverywhere{
    "a",  "an", "and", "are", "at", "by", "can", "do",   "does", "for",  "from", "how",  "i",
    "in", "is", "it",  "my",  "of", "on", "or",  "that", "the",  "this", "to",   "what", "with"};
constexpr std::size_t kExcerpt = 110;  // bytes

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80;
}

/// The stem of a word: "fairness", "exporting", "boxes" and "runs" without their endings.
std::string stem_of(std::string word) {
  const auto cut = [&word](std::string_view end, std::size_t least) {
    if (!word.ends_with(end) || word.size() < end.size() + least) return false;
    word.resize(word.size() - end.size());
    return true;
  };
  const bool plural = word.ends_with("xes") || word.ends_with("ches") || word.ends_with("shes");
  if (plural) {
    cut("es", 3);
  } else if (!word.ends_with("ss")) {
    cut("s", 3);
  }
  if (!cut("ness", 4) && !cut("ing", 4)) cut("ed", 4);
  return word;
}

/// 0: not found, 1: within a word, 2: at the beginning of a word, 3: a whole word or its plural.
int match(std::string_view text, std::string_view word) {
  int best = 0;
  for (std::size_t at = text.find(word); at != text.npos && best < 3;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    std::size_t end = at + word.size();
    if (end < text.size() && text[end] == 's') ++end;
    const bool ends = end >= text.size() || !is_letter(text[end]);
    best = std::max(best, begins ? (ends ? 3 : 2) : 1);
  }
  return best;
}

struct Candidate {
  Found found;
  int score = 0;
};

/// Whole words around `at`, within its line.
std::string excerpt_of(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).rfind('\n');
  const std::size_t first = before == text.npos ? 0 : before + 1;
  text = text.substr(first, text.find('\n', at) - first);
  at -= first;
  if (text.size() <= kExcerpt) return std::string(text);
  std::size_t begin = at > kExcerpt / 3 ? text.find(' ', at - kExcerpt / 3) : 0;
  if (begin > at) begin = at;
  if (begin > 0 && text[begin] == ' ') ++begin;
  std::size_t end = std::min(begin + kExcerpt, text.size());
  if (end < text.size()) end = text.rfind(' ', end);
  if (end == text.npos || end <= begin) end = text.size();
  return (begin > 0 ? "… " : "") + std::string(text.substr(begin, end - begin)) +
         (end < text.size() ? " …" : "");
}

Candidate judge(const Page& page, const Section& section, const std::vector<std::string>& words) {
  // The list of results shows the heading beside the excerpt, so it is skipped here.
  Section below = section;
  if (!section.slug.empty()) ++below.begin;
  const std::string text = plain(page, below);
  const std::string low = lower_case(text);
  const std::string heading = lower_case(section.title);
  const std::string title = lower_case(page.title + " " + page.topic);
  Candidate candidate{{&page, section, {}, 0}, 0};
  std::size_t first = low.size();
  for (const std::string& word : words) {
    constexpr std::array<int, 4> kText{0, 2, 5, 8};
    constexpr std::array<int, 4> kHeading{0, 15, 30, 40};
    constexpr std::array<int, 4> kTitle{0, 6, 14, 20};
    const auto of = [&word](const auto& worth, const std::string& where) {
      return worth[static_cast<std::size_t>(match(where, word))];
    };
    const int score = of(kText, low) + of(kHeading, heading) + of(kTitle, title);
    if (score > 0) ++candidate.found.words;
    candidate.score += score;
    first = std::min(first, low.find(word));
  }
  if (candidate.found.words > 0)
    candidate.found.excerpt = excerpt_of(text, first < low.size() ? first : 0);
  return candidate;
}

void judge_page(const Page& page, const std::vector<std::string>& words,
                std::vector<Candidate>& found) {
  for (const Section& section : main_sections(page)) {
    Candidate candidate = judge(page, section, words);
    if (candidate.found.words > 0) found.push_back(std::move(candidate));
  }
}

std::vector<Found> best_of(std::vector<Candidate> candidates) {
  std::size_t most = 0;
  for (const Candidate& one : candidates) most = std::max(most, one.found.words);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<Found> found;
  for (Candidate& one : candidates) {
    if (one.found.words == most) found.push_back(std::move(one.found));
  }
  return found;
}

}  // namespace

std::vector<std::string> search_words(std::string_view typed) {
  std::vector<std::string> all;
  std::string word;
  for (const char c : lower_case(typed) + " ") {
    // "--set", "last.toml" and "ssh://box" are words.
    if (c != ' ' && c != ',' && c != '?' && c != '"' && c != '\t' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      all.push_back(std::exchange(word, {}));
    }
  }
  std::vector<std::string> words;
  std::copy_if(all.begin(), all.end(), std::back_inserter(words), [](const std::string& one) {
    return std::find(kEverywhere.begin(), kEverywhere.end(), one) == kEverywhere.end();
  });
  if (words.empty()) words = std::move(all);
  for (std::string& one : words) one = stem_of(std::move(one));
  return words;
}

std::vector<Found> search(const Manual& manual, std::string_view typed) {
  const auto words = search_words(typed);
  std::vector<Candidate> found;
  for (const Page& page : manual.pages) judge_page(page, words, found);
  return best_of(std::move(found));
}

std::vector<Found> search(const Page& page, std::string_view typed) {
  std::vector<Candidate> found;
  judge_page(page, search_words(typed), found);
  return best_of(std::move(found));
}

}  // namespace ringside::manual
