// Results of the checks of this machine as tables: for `ringside doctor`, and for the sheet of the
// window, which has both kinds in one. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/doctor/check.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/view/table.h"

namespace ringside::view {

/// title, verdict, detail; hint and command for scripts.
Table machine_checks_table(std::span<const launch::Check> checks);

Tone tone_of(doctor::Outcome outcome);

struct DoctorView {
  Table table;           ///< a row per check: title, result, findings
  std::string progress;  ///< "5 All-reduce…"; empty: none is running
  std::string problem;   ///< why there are no results, or no report
  std::string report;    ///< file to send; empty: none was written
  bool can_use_gpus = false;
};

/// Facts during and after the checks.
struct DoctorFacts {
  std::vector<launch::Check> machine;
  std::vector<doctor::CheckResult> training;
  std::string progress;
  std::string problem;
  std::string report;
  bool has_gpus = false;
};

DoctorView build_doctor(const DoctorFacts& facts);

}  // namespace ringside::view
