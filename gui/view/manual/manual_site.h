// The manual as a site of files that need nothing beside them: a page for each topic, an index, the
// style, and a search that runs in the browser. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/manual/manual.h"

namespace ringside::view {

struct SiteFile {
  std::string name;  ///< "slurm.html"
  std::string text;
};

/// Marks the pages of such a site and no others, so that a later export replaces only what an
/// earlier one wrote.
inline constexpr const char* kSiteMark = "<meta name=\"generator\" content=\"ringside help\">";

/// "index.html" first.
std::vector<SiteFile> manual_site(const manual::Manual& manual);

}  // namespace ringside::view
