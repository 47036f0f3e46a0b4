// The settings in a preset file: those of the recipe as it was published, and those of the quick
// scale, which are the same with some sections read over them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/run_spec.h"

namespace ringside::messages {

struct PresetSpec {
  RunSpec full;
  std::optional<RunSpec> quick;  ///< nothing where the file has no table [quick]
};

/// `others` are tables at the top of the file that are no settings and are read elsewhere. Fails as
/// parse_run_spec does, in [quick] too.
Result<PresetSpec> parse_preset_spec(std::string_view toml, std::string_view origin,
                                     const std::vector<std::string>& others);

}  // namespace ringside::messages
