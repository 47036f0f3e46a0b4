// Watched runs: Ringside did not start their program, and their records come from files that
// another tool writes. The program of such a run is the command that imported it. Pure.
#pragma once

#include <string>

#include "protocol/base/printable.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// The settings of a run that was imported from `path`. Name and path may be any bytes; what is
/// stored of them is UTF-8.
inline RunSpec watched_spec(const std::string& name, const std::string& path, std::int64_t ranks) {
  const auto shown = [](const std::string& text) {
    return is_utf8(text) ? text : printable_line(text);
  };
  RunSpec spec;
  spec.name = shown(name);
  spec.program.argv = {"ringside", "watch", shown(path)};
  spec.program.instrument = false;
  spec.devices.kind = "auto";  // unknown
  spec.devices.world_size = ranks;
  return spec;
}

inline bool is_watched(const RunSpec& spec) {
  const auto& argv = spec.program.argv;
  return argv.size() == 3 && argv[0] == "ringside" && argv[1] == "watch";
}

/// The number displayed for step 0 of a run: 1 for our runs, 0 for other tools' files, whose own
/// numbers are kept.
inline std::int64_t first_step_number(const RunSpec& spec) { return is_watched(spec) ? 0 : 1; }

}  // namespace ringside::messages
