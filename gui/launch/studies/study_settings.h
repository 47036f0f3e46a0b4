// Turns the request for a study into its settings: one recipe on several numbers of devices, with
// the batch kept per device (weak) or globally (strong), and variants of it. Pure: the machine is
// passed in.
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

/// Devices of a setting, and the number of nodes that they are spread over.
struct WorldSize {
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
  auto operator<=>(const WorldSize&) const = default;
};

/// Text such as "4", or on several nodes "2x3": nodes x devices of each.
std::string world_text(const WorldSize& world);

/// A variant such as "dp" or a precision, on this many devices of one node.
struct StudyVariant {
  std::string word;
  std::int64_t devices = 0;  ///< 0: the study's largest number on one node
  bool operator==(const StudyVariant&) const = default;
};

/// The assignments of one setting in a study of settings, such as "optimizer.lr=0.01".
using Combination = std::vector<std::string>;

struct StudyRequest {
  std::vector<WorldSize> world;  ///< ascending; 1, the baseline, is always measured
  std::int64_t repeats = 3;
  bool one_setting = false;  ///< only the unchanged recipe, with its own baseline
  bool weak = false;
  bool strong = false;  ///< if neither is set: as batch.meaning of the recipe
  std::vector<StudyVariant> variants;
  /// Measured instead of the above, but with the same repeats, on the recipe's own number of
  /// devices.
  std::vector<Combination> combinations{};
  /// Specs for these combinations if they are custom commands, which differ in more than settings.
  std::vector<messages::RunSpec> recipes{};
};

/// Parse "1,2,4,2x3" and "bf16,dp@4". A bad request names the part that is wrong: not a number, 0,
/// one given twice, more devices than a run can have.
Result<std::vector<WorldSize>> parse_world(std::string_view text);
Result<std::vector<StudyVariant>> parse_variants(std::string_view text);

struct PlannedSetting {
  std::string key;                       ///< "weak-4" or "weak-2x2", as in a study
  messages::RunSpec spec;                ///< devices settled; no name and no baseline
  std::vector<std::string> differences;  ///< from the baseline, beyond what the key says: sentences
};

struct PlannedSettings {
  std::vector<PlannedSetting> settings;  ///< the baseline first
  std::vector<std::string> warnings;
  std::string fallback;  ///< as in a plan
};

/// The settings of a study of `recipe`. All use the same kind of device, with as many threads each
/// as at the largest number of devices on one host. A bad request says what cannot run, and why.
Result<PlannedSettings> plan_settings(const messages::RunSpec& recipe, const StudyRequest& request,
                                      const Machine& machine);

/// The name of a run in a study: "demo · weak 4 · 2/3".
std::string run_name(const std::string& title, const std::string& series, const WorldSize& world,
                     std::int64_t repeat, std::int64_t repeats);

}  // namespace ringside::launch
