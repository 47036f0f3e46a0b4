// Runs whose program Ringside did not start: their records were taken from files that another tool
// writes. Such a run names as its program the command that took them. Pure.
#pragma once

#include <string>

#include "protocol/base/printable.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// The settings of a run that was taken from `path`. Neither name nor path need be UTF-8, but what
/// is written of them.
inline RunSpec watched_spec(const std::string& name, const std::string& path, std::int64_t ranks) {
  const auto shown = [](const std::string& text) {
    return is_utf8(text) ? text : printable_line(text);
  };
  RunSpec spec;
  spec.name = shown(name);
  spec.program.argv = {"ringside", "watch", shown(path)};
  spec.program.instrument = false;
  spec.devices.kind = "auto";  // not known
  spec.devices.world_size = ranks;
  return spec;
}

inline bool is_watched(const RunSpec& spec) {
  const auto& argv = spec.program.argv;
  return argv.size() == 3 && argv[0] == "ringside" && argv[1] == "watch";
}

/// The number that people see for the step 0 of a run: ours count from 1; those of another tool's
/// files have the numbers that stand there.
inline std::int64_t first_step_number(const RunSpec& spec) { return is_watched(spec) ? 0 : 1; }

}  // namespace ringside::messages
