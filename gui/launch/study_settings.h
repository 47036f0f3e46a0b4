// What a study is asked to measure, and the settings that follow from it: one recipe on several
// numbers of devices, its batch kept per device (weak) or in all (strong), and variants of it.
// Pure: the machine is handed in.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/machine.h"
#include "gui/launch/plan.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// Devices of a setting, and how many nodes they are spread over.
struct WorldSize {
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
  auto operator<=>(const WorldSize&) const = default;
};

/// "4"; on several nodes "2x3": nodes x devices of each.
std::string world_text(const WorldSize& world);

/// "dp" or a precision, on so many devices of one node.
struct StudyVariant {
  std::string word;
  std::int64_t devices = 0;  ///< 0: the largest of the study that are on one node
  bool operator==(const StudyVariant&) const = default;
};

/// Assignments such as "optimizer.lr=0.01" that a setting of a study of settings has.
using Combination = std::vector<std::string>;

struct StudyRequest {
  std::vector<WorldSize> world;  ///< ascending; 1, the baseline, is always measured
  std::int64_t repeats = 3;
  bool one_setting = false;  ///< nothing but the recipe as it is, with a baseline as it says
  bool weak = false;
  bool strong = false;  ///< neither: as batch.meaning of the recipe
  std::vector<StudyVariant> variants;
  /// Instead of all that but the repeats: these, on the recipe's own number of devices.
  std::vector<Combination> combinations{};
  /// Beside them, where they are commands of their own that the recipe cannot be made into.
  std::vector<messages::RunSpec> recipes{};
};

/// "1,2,4,2x3" and "bf16,dp@4". A bad request names the part that is wrong: no number, 0, one given
/// twice, more devices than a run can have.
Result<std::vector<WorldSize>> parse_world(std::string_view text);
Result<std::vector<StudyVariant>> parse_variants(std::string_view text);

struct PlannedSetting {
  std::string key;                       ///< "weak-4" or "weak-2x2", as in a study
  messages::RunSpec spec;                ///< devices settled; without a name or a baseline
  std::vector<std::string> differences;  ///< from the baseline, beyond what its key says: sentences
};

struct PlannedSettings {
  std::vector<PlannedSetting> settings;  ///< the baseline first
  std::vector<std::string> warnings;
  std::string fallback;  ///< as of a plan
};

/// The settings of a study of `recipe`. All use devices of the same kind, with as many threads each
/// as at the largest number of devices on one host. A bad request: what cannot run, and why.
Result<PlannedSettings> plan_settings(const messages::RunSpec& recipe, const StudyRequest& request,
                                      const Machine& machine);

/// What a run of a study is called: "demo · weak 4 · 2/3".
std::string run_name(const std::string& title, const std::string& series, const WorldSize& world,
                     std::int64_t repeat, std::int64_t repeats);

}  // namespace ringside::launch
