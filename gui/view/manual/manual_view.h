// Contents of the sheet of the manual: the list of topics or of search results, and the open page.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/manual/manual.h"
#include "gui/view/manual/manual_places.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kManual = "Help";
inline constexpr const char* kSearchManual = "##search the manual";
inline constexpr const char* kManualBack = "Back##manual";
inline constexpr const char* kManualTopics = "Topics##manual";
inline constexpr const char* kCloseManual = "Close##manual";
}  // namespace label

struct ManualEntry {
  std::string title;
  std::string aside;  ///< of a search result: its topic
  std::string words;  ///< of a search result: text around the match
  ManualPlace place;
  int level = 0;  ///< 1: a section of the topic above
  bool on = false;
};

struct ManualView {
  std::vector<ManualEntry> entries;
  std::string no_entries;              ///< shown if there are none
  const manual::Page* page = nullptr;  ///< null: `empty` is shown instead
  std::string title;
  std::string empty;
  bool failed = false;  ///< `empty` is an error
};

/// `typed`: the search; empty: none, and all topics are listed.
ManualView build_manual_view(const ManualInput& input, std::string_view typed,
                             const ManualPlace& at);

}  // namespace ringside::view
