// Prints the manual on a terminal and as JSON. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gui/cli/print/json.h"
#include "gui/manual/search.h"

namespace ringside::cli {

struct Paper {
  std::size_t width = 80;  ///< of a line; examples are not wrapped and may be wider
  bool styled = false;     ///< bold and underlined text; otherwise backticks around code
};

/// One line for each topic: its name and what it is about.
std::string topics_text(const manual::Manual& manual, const Paper& paper);
/// A section, or the whole page: headings, wrapped text, and examples unchanged.
std::string section_text(const manual::Page& page, const manual::Section& section,
                         const Paper& paper);
/// The results of a search: the command that prints the section, its heading, and an excerpt.
std::string found_text(std::span<const manual::Found> found, const Paper& paper);

/// JSON with topic, title, about, and sections with slug, title and level.
Json topics_json(const manual::Manual& manual);
/// A page as in topics_json() with its blocks, each with its kind and content.
Json page_json(const manual::Page& page, const manual::Section& section);
Json found_json(std::span<const manual::Found> found);

}  // namespace ringside::cli
