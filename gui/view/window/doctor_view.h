// What the checks of this machine found, as tables: for `ringside doctor`, and for the sheet of the
// window, which has one of both kinds. Pure.
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
  Table table;           ///< a row per check: what, its result, what was found
  std::string progress;  ///< "5 All-reduce…"; empty: nothing goes on
  std::string problem;   ///< why there is nothing to show, or no report
  std::string report;    ///< the file to send; empty: none was written
  bool can_use_gpus = false;
};

/// What is known while checks go on and after them.
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
