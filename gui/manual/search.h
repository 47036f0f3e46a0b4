// Finds the sections of the manual that contain some words. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gui/manual/manual.h"

namespace ringside::manual {

struct Found {
  const Page* page = nullptr;  ///< valid as long as the manual
  Section section;
  std::string excerpt;    ///< some words around the first match
  std::size_t words = 0;  ///< number of search words that it contains
};

/// The words to search for: those of a question in lower case, without words that every text has
/// ("how", "the") and without endings, so that "ports" finds "port" and "fairness" finds "fair".
std::vector<std::string> search_words(std::string_view typed);

/// The sections that contain all of the words, or else those that contain most of them, best first:
/// a word in a heading counts more than one in the text, and a whole word more than a part. Nothing
/// without words.
std::vector<Found> search(const Manual& manual, std::string_view typed);
/// The sections of one topic that contain the words.
std::vector<Found> search(const Page& page, std::string_view typed);

}  // namespace ringside::manual
