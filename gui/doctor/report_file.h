// What the checks found on which machine, as a file that a person can send: no names of people,
// hosts or folders, no keys. Any thread.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gui/doctor/doctor.h"

namespace ringside::doctor {

/// `checks`, `healthy`; unknown numbers are null.
nlohmann::ordered_json results_json(const std::vector<CheckResult>& results);

/// The results as JSON with the version, the time and what the machine is.
std::string report_text(const launch::Machine& machine, const Wish& wish,
                        const std::vector<CheckResult>& results, std::int64_t wall_ns);

/// $XDG_STATE_HOME/ringside/doctor-train.json or doctor-gpu.json, else under ~/.local/state.
/// Replaces the one before; only its owner may read it.
Result<std::filesystem::path> write_report(const launch::Machine& machine, const Wish& wish,
                                           const std::vector<CheckResult>& results);

}  // namespace ringside::doctor
