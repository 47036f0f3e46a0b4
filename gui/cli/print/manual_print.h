// The manual on a terminal and as JSON. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gui/cli/print/json.h"
#include "gui/manual/search.h"

namespace ringside::cli {

/// What it is printed on.
struct Paper {
  std::size_t width = 80;  ///< of a line; examples stay whole, and with them a line may be wider
  bool styled = false;     ///< bold and underlined, else backticks stand around code
};

/// A line for each topic: its name and what it is about.
std::string topics_text(const manual::Manual& manual, const Paper& paper);
/// A section, or the whole of a page: headings, text below them in lines, examples as they are.
std::string section_text(const manual::Page& page, const manual::Section& section,
                         const Paper& paper);
/// The results of a search: the command that prints the section, its heading, and an excerpt.
std::string found_text(std::span<const manual::Found> found, const Paper& paper);

/// topic, title, about, and sections with slug, title and level.
Json topics_json(const manual::Manual& manual);
/// A page as in topics_json(), and its blocks, each with its kind and content.
Json page_json(const manual::Page& page, const manual::Section& section);
Json found_json(std::span<const manual::Found> found);

}  // namespace ringside::cli
