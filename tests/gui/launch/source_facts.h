// The statements of the published experiments' sources, cell by cell, that presets are compared
// with: settings, figures with their clocks, and deliberate deviations with reasons. They are a
// second, independent copy, so that an edit of a preset cannot change them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside::testing {

enum class Origin {
  kPrinted,    ///< in the text or in its code as printed
  kCompanion,  ///< only in the author's public code
  kDerived,    ///< follows from what is printed
  kUnstated,   ///< not stated: our choice, and the preset says so in about.unstated
  kDeviates    ///< stated, but the preset has another value for the given reason
};

/// A setting of the recipe. `value` is always the source's, also where the preset deviates.
struct SourceCell {
  const char* key;
  const char* value;
  Origin origin = Origin::kPrinted;
  const char* why = "";
};

/// A published figure. `ranks` 0: holds for any number of devices.
struct SourceFigure {
  const char* what;
  long ranks;
  double value;
  bool derived = false;
  const char* clock = "unstated";
  const char* against = "one_device";
};

/// A deviation, or something that the source does not state, that no setting expresses: `note` is a
/// note of the preset, so that readers of the figures see it.
struct SourceDeviation {
  const char* what;
  const char* note;
};

struct SourceRecipe {
  const char* preset;
  const char* launch;
  std::vector<SourceCell> cells;
  std::vector<SourceFigure> figures;
  std::vector<SourceDeviation> deviations;
};

/// The facts of one experiment each; they include every preset of a published experiment.
std::vector<SourceRecipe> facts_of_e0();
std::vector<SourceRecipe> facts_of_e1();
std::vector<SourceRecipe> facts_of_e2();
std::vector<SourceRecipe> facts_of_e3();
std::vector<SourceRecipe> facts_of_e4();

}  // namespace ringside::testing
