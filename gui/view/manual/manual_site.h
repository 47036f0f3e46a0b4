// The manual as a self-contained web site: a page for each topic, an index, the style, and a search
// that runs in the browser. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/manual/manual.h"

namespace ringside::view {

struct SiteFile {
  std::string name;  ///< "slurm.html"
  std::string text;
};

/// A mark in the pages of such a site and no others, so that an export replaces only pages of
/// earlier exports.
inline constexpr const char* kSiteMark = "<meta name=\"generator\" content=\"ringside help\">";

/// "index.html" first.
std::vector<SiteFile> manual_site(const manual::Manual& manual);

}  // namespace ringside::view
