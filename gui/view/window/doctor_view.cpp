#include "gui/view/window/doctor_view.h"

#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

Cell verdict_cell(launch::Verdict verdict) {
  if (verdict == launch::Verdict::kPass) return text_cell("ok", Tone::kOk);
  return verdict == launch::Verdict::kWarning ? text_cell("warning", Tone::kWarning)
                                              : text_cell("problem", Tone::kError);
}

// Both kinds of checks are in one list on the sheet.
Cell result_cell(doctor::Outcome outcome) {
  return text_cell(std::string(name_of(outcome)), tone_of(outcome));
}

Cell result_cell(launch::Verdict verdict) {
  if (verdict == launch::Verdict::kWarning) return verdict_cell(verdict);
  return result_cell(verdict == launch::Verdict::kPass ? doctor::Outcome::kPass
                                                       : doctor::Outcome::kFail);
}

void add_check(Table& table, const std::string& title, Cell result, const std::string& found) {
  Cell words = text_cell(found);
  words.hint = found;
  add_row(table, {text_cell(title), std::move(result), std::move(words)});
}

}  // namespace

Table machine_checks_table(std::span<const launch::Check> checks) {
  Table table{"checks", "Checks"};
  table.heads = false;
  for (const launch::Check& check : checks) {
    add_entries(table, {{{"title"}, text_cell(check.title)},
                        {{"verdict"}, verdict_cell(check.verdict)},
                        {{"detail"}, {check.detail, result_text(check)}},
                        hidden("hint", check.hint),
                        hidden("command", check.command)});
  }
  return table;
}

Tone tone_of(doctor::Outcome outcome) {
  if (outcome == doctor::Outcome::kPass) return Tone::kOk;
  return outcome == doctor::Outcome::kFail ? Tone::kError : Tone::kDim;
}

DoctorView build_doctor(const DoctorFacts& facts) {
  DoctorView view;
  view.table = {"doctor", "Doctor"};
  view.table.columns = {{"check", "Check", "", Align::kLeft, 130},
                        {"result", "Result", "", Align::kLeft, 70},
                        {"found", "Found", "", Align::kLeft, 480}};
  view.table.empty = {{"Looking at this machine…", Style::kWords}};
  for (const launch::Check& check : facts.machine)
    add_check(view.table, check.title, result_cell(check.verdict), result_text(check));
  for (const doctor::CheckResult& result : facts.training) {
    add_check(view.table,
              std::to_string(result.kind.number) + "  " + std::string(result.kind.title),
              result_cell(result.outcome), result_text(result));
  }
  view.progress = facts.progress;
  view.problem = facts.problem;
  view.report = facts.report;
  view.can_use_gpus = facts.has_gpus;
  return view;
}

}  // namespace ringside::view
