// Writes the results of the checks and a description of the machine into a file that a person can
// send: without names of people, hosts or folders, and without keys. Any thread.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gui/doctor/doctor.h"

namespace ringside::doctor {

/// JSON with `checks` and `healthy`; unknown numbers are null.
nlohmann::ordered_json results_json(const std::vector<CheckResult>& results);

/// The results as JSON with the version, the time and a description of the machine.
std::string report_text(const launch::Machine& machine, const DoctorRequest& request,
                        const std::vector<CheckResult>& results, std::int64_t wall_ns);

/// Path: $XDG_STATE_HOME/ringside/doctor-train.json or doctor-gpu.json, or else in ~/.local/state.
/// Replaces an earlier report; only its owner may read it.
Result<std::filesystem::path> write_report(const launch::Machine& machine,
                                           const DoctorRequest& request,
                                           const std::vector<CheckResult>& results);

}  // namespace ringside::doctor
