#include "gui/view/runs/run_filter.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/runs/run_columns.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return has_text(text, part); });
}

bool is_injected(const RunSummary& run) { return run.spec != nullptr && run.spec->inject.any(); }

/// Returns whether the word occurs in a text by which people know the run.
bool mentions(const RunSummary& run, const std::string& text) {
  if (has_text(label::kInjected, text) && is_injected(run)) return true;
  return has_text(run.title, text) || has_text(run.note, text) || has_text(run.id, text) ||
         has_text("#" + std::to_string(run.number), text) || any_has(run.tags, text) ||
         has_text(run.recipe, text) || has_text(run_cell(run, "state", 0).text, text);
}

constexpr std::string_view kIs = "is";

/// Returns the answer to `is:` and this word; empty for an unknown word.
std::optional<bool> is_so(const RunSummary& run, const std::string& what) {
  if (what == "tagged") return !run.own_tags.empty();
  if (what == "starred") return run.starred;
  if (what == "baseline") return run.is_baseline;
  if (what == label::kInjected) return is_injected(run);
  if (what == "live") return run.live;
  return std::nullopt;
}

/// An answer is yes or no, so that less and more mean nothing.
bool is_sign_of_is(Comparison sign) {
  return sign == Comparison::kHas || sign == Comparison::kEqual || sign == Comparison::kNotEqual;
}

bool fits_word(const RunSummary& run, const RunFilter::Word& word) {
  const std::string value = lower_case(word.test.value);
  if (value.empty() || value == "any") return true;
  if (word.column == kIs) {
    const auto answer = is_so(run, value);
    return answer && is_sign_of_is(word.test.comparison) &&
           *answer == (word.test.comparison != Comparison::kNotEqual);
  }
  if (word.column.empty()) return mentions(run, word.test.word);
  Cell cell = run_cell(run, word.column, 0);
  // A run that finished with a loss of NaN has that word in its row instead of "Finished".
  if (word.column == "state" && run.outcome == RunOutcome::kFinished) cell.value = cell.text;
  return fits(word.test, cell);
}

/// Reads a bare number above 1 in a percent column as percent, since nobody means 9,900 %.
void read_percent(RowTest& test) {
  const auto typed = typed_number(test.value);
  if (typed && *typed > 1 && !test.value.ends_with('%')) test.value += '%';
}

}  // namespace

RunFilter run_filter(std::span<const RunSummary> runs, std::string_view text) {
  RunFilter filter;
  for (RowTest& test : row_tests(text)) {
    RunFilter::Word word{std::move(test), {}};
    const std::string& name = word.test.key;
    if (lower_case(name) == kIs) {
      word.column = kIs;
      const std::string value = lower_case(word.test.value);
      if (!value.empty() && !is_so({}, value) && filter.problem.empty())
        filter.problem =
            "there is no is:" + value + ", but is:starred, tagged, baseline, injected and live";
      if (!is_sign_of_is(word.test.comparison) && filter.problem.empty())
        filter.problem = "is goes with : or !=, as in is:starred or is!=live";
    } else if (!name.empty()) {
      auto key = run_column_key(runs, name);
      if (key) word.column = std::move(*key);
      if (!key && filter.problem.empty()) filter.problem = key.error().message;
    }
    const bool of_column = !word.column.empty() && word.column != kIs;
    if (of_column && run_column(word.column).unit == "%") read_percent(word.test);
    filter.words.push_back(std::move(word));
  }
  return filter;
}

bool fits(const RunSummary& run, const RunFilter& filter) {
  return std::ranges::all_of(filter.words,
                             [&run](const auto& word) { return fits_word(run, word); });
}

namespace {

bool begins(std::string_view text, const std::string& lower) {
  return lower_case(text).starts_with(lower);
}

/// Offers keys that begin with the typed text, and settings whose last part does.
void offer_keys(std::span<const RunSummary> runs, const std::string& before,
                const std::string& typed, std::vector<FilterOffer>& offers) {
  const std::string lower = lower_case(typed);
  for (const ColumnOffer& column : column_offers(runs)) {
    if (offers.size() == kMostOffers) return;
    const std::string last = column.key.substr(column.key.rfind('.') + 1);
    if (!begins(column.key, lower) && !begins(last, lower) && !begins(column.label, lower))
      continue;
    const TableColumn about = run_column(column.key);
    const bool words = about.align == Align::kLeft;
    const std::string key = column.section == "Logged" ? column.label : column.key;
    if (key.find(' ') != std::string::npos) continue;
    offers.push_back({before + key + (words ? ":" : ">"), key,
                      column.section == "Run" ? column.label : about.hint});
  }
}

/// Offers the values that the runs have in this column, the most frequent first.
void offer_values(std::span<const RunSummary> runs, const std::string& before, const RowTest& typed,
                  std::vector<FilterOffer>& offers) {
  const auto key = run_column_key(runs, typed.key);
  if (!key) return;
  std::map<std::string, std::int64_t> counts;
  for (const RunSummary& run : runs) {
    const Cell cell = run_cell(run, *key, 0);
    const auto* const value = std::get_if<std::string>(&cell.value);
    const std::string word = value != nullptr && *key != "state" ? *value : cell.text;
    const bool known = !std::holds_alternative<std::monostate>(cell.value);
    if (known && !word.empty() && word.find(' ') == std::string::npos &&
        begins(word, lower_case(typed.value)))
      ++counts[word];
  }
  std::vector<std::pair<std::string, std::int64_t>> words(counts.begin(), counts.end());
  std::ranges::stable_sort(words, std::greater<>(), [](const auto& word) { return word.second; });
  const std::string head = typed.word.substr(0, typed.word.size() - typed.value.size());
  for (const auto& [word, count] : words) {
    if (offers.size() == kMostOffers) return;
    if (word != typed.value)
      offers.push_back({before + head + word + " ", head + word, plural(count, "run", "runs")});
  }
}

}  // namespace

std::vector<FilterOffer> filter_offers(std::span<const RunSummary> runs, const std::string& text) {
  std::vector<FilterOffer> offers;
  const std::string before = text.substr(0, text.rfind(' ') + 1);
  const std::string typed = text.substr(before.size());
  const auto tests = row_tests(typed);
  if (tests.empty()) return offers;
  const RowTest& test = tests.front();
  if (test.key.empty()) {
    offer_keys(runs, before, typed, offers);
  } else if (lower_case(test.key) == kIs) {
    for (const char* word : {"starred", "tagged", "baseline", label::kInjected, "live"})
      if (begins(word, lower_case(test.value)))
        offers.push_back({before + "is:" + word + " ", std::string("is:") + word, ""});
  } else {
    offer_values(runs, before, test, offers);
  }
  return offers;
}

}  // namespace ringside::view
