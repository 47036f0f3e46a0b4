// Renders the tables of facts as assets/presets/SOURCES.md, the page that users read.
#pragma once

#include <string>
#include <vector>

#include "tests/gui/launch/source_facts.h"

namespace ringside::testing {

/// The facts of E0 to E4, one experiment after the other.
std::vector<std::vector<SourceRecipe>> facts_by_experiment();

std::string source_page();

}  // namespace ringside::testing
