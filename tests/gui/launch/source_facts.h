// What the sources of the published experiments say, cell by cell, for the presets to be compared
// with: settings, figures with their clocks, and where a preset deviates on purpose and why. The
// facts stand here a second time and on their own, so that an edit of a preset cannot change them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside::testing {

enum class Origin {
  kPrinted,    ///< in the text or in its code as printed
  kCompanion,  ///< in the author's public code only
  kDerived,    ///< follows from what is printed
  kUnstated,   ///< not stated: our choice, and the preset says so in about.unstated
  kDeviates    ///< stated, and the preset has another value for the reason given
};

/// A setting of the recipe. Where it deviates `value` is the source's.
struct SourceCell {
  const char* key;
  const char* value;
  Origin origin = Origin::kPrinted;
  const char* why = "";
};

/// A published figure. `ranks` 0: for any number of devices.
struct SourceFigure {
  const char* what;
  long ranks;
  double value;
  bool derived = false;
  const char* clock = "unstated";
  const char* against = "one_device";
};

/// What no setting holds and is not as in the source, or not stated there: `note` is a note of the
/// preset, so that a reader of the figures sees it.
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

/// The facts of one experiment each; every preset of a published experiment is in one of them.
std::vector<SourceRecipe> facts_of_e0();
std::vector<SourceRecipe> facts_of_e1();
std::vector<SourceRecipe> facts_of_e2();
std::vector<SourceRecipe> facts_of_e3();
std::vector<SourceRecipe> facts_of_e4();

}  // namespace ringside::testing
