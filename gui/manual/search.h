// Finds the sections of the manual in which some words stand. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gui/manual/manual.h"

namespace ringside::manual {

struct Found {
  const Page* page = nullptr;  ///< lives as long as the manual
  Section section;
  std::string excerpt;    ///< some words around the first that was found
  std::size_t words = 0;  ///< how many of the words that are searched for it contains
};

/// What is looked for: the words of a question in lower case, without those that every text has
/// ("how", "the") and without their ends, so that "ports" finds "port" and "fairness" "fair".
std::vector<std::string> search_words(std::string_view typed);

/// The sections that hold all of the words, or where none does those that hold most of them; best
/// first: a word in a heading counts more than one in the text, a whole word more than a part.
/// Nothing for no words.
std::vector<Found> search(const Manual& manual, std::string_view typed);
/// The sections of one topic that hold the words.
std::vector<Found> search(const Page& page, std::string_view typed);

}  // namespace ringside::manual
