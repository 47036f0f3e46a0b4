// `ringside conformance -- COMMAND...`: checks whether a program in any language behaves as a rank.
#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/doctor/conformance_run.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {
namespace {

struct ConformanceOptions : CommonOptions {
  std::vector<std::string> command;
  int ranks = 2;
  int limit_s = 60;
};

view::Tone tone_of(doctor::Verdict verdict) {
  if (verdict == doctor::Verdict::kPass) return view::Tone::kOk;
  return verdict == doctor::Verdict::kFail ? view::Tone::kError : view::Tone::kDim;
}

view::Table rules_table(const std::vector<doctor::RuleResult>& results) {
  view::Table table{"conformance", "Conformance", {{"check"}, {"verdict"}, {"told"}}};
  table.heads = false;
  for (const auto& result : results) {
    const std::string verdict(name_of(result.verdict));
    view::add_row(table, {view::text_cell(std::string(result.kind.title)),
                          view::text_cell(verdict, tone_of(result.verdict)),
                          view::text_cell(one_line(result.told))});
  }
  return table;
}

Json rules_json(const std::vector<doctor::RuleResult>& results) {
  Json json = {{"conforms", doctor::conforms(results)}, {"checks", Json::array()}};
  for (const auto& result : results) {
    json["checks"].push_back(
        {{"name", result.kind.name}, {"verdict", name_of(result.verdict)}, {"told", result.told}});
  }
  return json;
}

Result<int> examine_command(const ConformanceOptions& options) {
  const Interrupts interrupts;
  const auto machine = RINGSIDE_TRY(launch::read_machine());
  const doctor::ConformanceRequest request{options.command, options.ranks,
                                           static_cast<double>(options.limit_s),
                                           [&interrupts] { return interrupts.any(); }};
  const auto results = doctor::try_conformance(machine, request);
  if (interrupts.any()) return gave_up(interrupts, "the checks were not finished");
  if (!results) return pass(results);
  print(stdout, options.json ? dump(rules_json(*results), 2) + "\n"
                             : table_text(rules_table(*results), wants_color(stdout),
                                          static_cast<std::size_t>(columns_of(stdout))));
  return doctor::conforms(*results) ? 0 : 1;
}

}  // namespace

void add_conformance(Command& app) {
  auto options = std::make_shared<ConformanceOptions>();
  Command command = app.add_command(
      "conformance", "Does a program in any language speak as a rank has to? Starts it twice");
  command.add_option("COMMAND", options->command, "The program and its arguments, behind --")
      .required();
  command.add_option("--ranks N", options->ranks, "So many of it at a time").range(1, 64);
  command.add_option("--limit SECONDS", options->limit_s, "Each start is given up after so long")
      .range(1, 86400);
  add_json(command, *options, "One JSON object");
  command.footer(
      "For example: ringside conformance -- ./my_rank --steps 100. No run of it is kept. The exit "
      "code is 1 when a\ncheck failed; the rules are those of protocol/messages/FORMAT.md and "
      "protocol/wire/FORMAT.md.");
  command.action([options] { return examine_command(*options); });
}

}  // namespace ringside::cli
