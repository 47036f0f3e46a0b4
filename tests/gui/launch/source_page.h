// The tables of facts as the page that users read beside the presets: assets/presets/SOURCES.md.
#pragma once

#include <string>
#include <vector>

#include "tests/gui/launch/source_facts.h"

namespace ringside::testing {

/// The facts of E0 to E4, one experiment after the other.
std::vector<std::vector<SourceRecipe>> facts_by_experiment();

std::string source_page();

}  // namespace ringside::testing
