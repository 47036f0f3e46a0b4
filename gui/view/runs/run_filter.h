// Narrows runs to those that a person asks for: `lr>0.04 val>99 state:failed tag:x`, by any column
// that they can be listed by. The list of the window and `ringside list` read the same. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/runs/run_summary.h"
#include "gui/view/table_filter.h"

namespace ringside::view {

/// A filter whose words know their columns.
struct RunFilter {
  struct Word {
    RowTest test;
    std::string column;  ///< key; empty: the word may stand anywhere
  };
  std::vector<Word> words;
  std::string problem;  ///< about the first key that nothing is called; empty: none
};
RunFilter run_filter(std::span<const RunSummary> runs, std::string_view text);
bool fits(const RunSummary& run, const RunFilter& filter);

/// A way to go on with the word that is being typed at the end of a filter.
struct FilterOffer {
  std::string text;   ///< the filter then
  std::string word;   ///< what is new of it: "optimizer.lr"
  std::string about;  ///< "Learning rate", "4 runs"
};
inline constexpr std::size_t kMostOffers = 8;
std::vector<FilterOffer> filter_offers(std::span<const RunSummary> runs, const std::string& text);

}  // namespace ringside::view
