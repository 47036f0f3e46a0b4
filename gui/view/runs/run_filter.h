// Filters runs by words such as `lr>0.04 val>99 state:failed tag:x`, by any column of
// run_columns.h. The list in the window and `ringside list` use the same filter. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/runs/run_summary.h"
#include "gui/view/table_filter.h"

namespace ringside::view {

/// A filter whose words are matched to columns.
struct RunFilter {
  struct Word {
    RowTest test;
    std::string column;  ///< key; empty: the word may occur in any text of the run
  };
  std::vector<Word> words;
  std::string problem;  ///< about the first name that matches no column; empty: none
};
RunFilter run_filter(std::span<const RunSummary> runs, std::string_view text);
bool fits(const RunSummary& run, const RunFilter& filter);

/// A completion of the word that is being typed at the end of a filter.
struct FilterOffer {
  std::string text;   ///< the completed filter
  std::string word;   ///< the completed part: "optimizer.lr"
  std::string about;  ///< "Learning rate", "4 runs"
};
inline constexpr std::size_t kMostOffers = 8;
std::vector<FilterOffer> filter_offers(std::span<const RunSummary> runs, const std::string& text);

}  // namespace ringside::view
