#include "gui/cli/machines/doctor_checks.h"

#include <fmt/format.h>

#include "gui/cli/interrupts.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/doctor/report_file.h"
#include "gui/view/window/doctor_view.h"

namespace ringside::cli {
namespace {

std::string line_of(const doctor::CheckResult& result, bool color) {
  const std::string outcome = fmt::format("{:<7}", name_of(result.outcome));
  return fmt::format("{:>2}  {:<17}  {}  {:>5.1f} s  {}\n", result.kind.number, result.kind.title,
                     painted(outcome, view::tone_of(result.outcome), color), result.seconds,
                     one_line(result_text(result)));
}

}  // namespace

Result<int> examine_training(const ExamineOptions& options) {
  RINGSIDE_TRY(doctor::known_checks(options.only));
  const Interrupts interrupts;
  const auto machine = RINGSIDE_TRY(launch::read_machine());
  const doctor::DoctorRequest request{options.gpu, options.quick, options.only,
                                      static_cast<double>(options.limit_s),
                                      [&interrupts] { return interrupts.any(); }};
  const bool color = wants_color(stdout);
  const bool waits_visibly = is_terminal(stderr) && !options.json;
  const auto watch = [&](const doctor::CheckKind& kind, const doctor::CheckResult* result) {
    if (waits_visibly)
      print(stderr, result == nullptr ? fmt::format("{:>2}  {} …", kind.number, kind.title)
                                      : std::string("\r\x1b[K"));
    if (result == nullptr || options.json) return;
    print(stdout, line_of(*result, color));
    std::fflush(stdout);
  };
  const auto results = doctor::examine(machine, request, watch);
  if (interrupts.any()) return gave_up(interrupts, "the checks were not finished");
  const auto file = doctor::write_report(machine, request, results);
  if (options.json) {
    auto json = doctor::results_json(results);
    json["report"] = file ? Json(file->string()) : Json();
    print(stdout, dump(json, 2) + "\n");
  } else if (file) {
    print(stdout,
          "\nReport to send, without names of people, hosts or folders: " + file->string() + "\n");
  }
  if (!file) return pass(file);
  return doctor::healthy(results) ? 0 : 1;
}

}  // namespace ringside::cli
