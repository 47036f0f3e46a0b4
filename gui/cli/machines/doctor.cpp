// `ringside doctor`: reports what this machine offers, where files are, and what is missing.
#include "gui/cli/commands.h"
#include "gui/cli/machines/doctor_checks.h"
#include "gui/cli/machines/doctor_links.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/doctor/examination.h"
#include "gui/launch/paths.h"
#include "gui/place/kinds.h"
#include "gui/view/table_cells.h"
#include "gui/view/window/doctor_view.h"

namespace ringside::cli {
namespace {

using view::text_cell;

Json answer_json(const launch::ProgramAnswer& answer) {
  return {{"name", answer.name},
          {"version", answer.version},
          {"torch", answer.torch},
          {"problem", answer.problem}};
}

Json doctor_json(const doctor::Examination& found) {
  Json json = {{"version", RINGSIDE_VERSION}, {"healthy", found.healthy()}};
  json["programs"] = Json::array();
  for (const auto& program : found.programs) json["programs"].push_back(answer_json(program));
  json["python"] = answer_json(found.python);
  json["devices"] = Json::array();
  if (found.machine) {
    for (const auto& gpu : found.machine->gpus) {
      json["devices"].push_back({{"index", gpu.index},
                                 {"uuid", gpu.uuid},
                                 {"name", gpu.name},
                                 {"memory_total_bytes", gpu.memory_total_bytes}});
    }
    json["cores"] = found.machine->cores;
    json["cpu"] = found.machine->cpu_name;
    json["driver"] = found.machine->driver;
    json["driver_problem"] = found.machine->driver_problem;
  }
  json["places"] = {{"programs", launch::program_folder().string()},
                    {"runs", found.runs_dir.string()},
                    {"data", found.data ? found.data->string() : ""},
                    {"assets", found.assets ? found.assets->string() : ""}};
  for (const place::Kind* kind : place::kinds()) json[kind->key] = kind->submits();
  json["checks"] = rows_json(view::machine_checks_table(found.checks));
  return json;
}

view::Cell ok_cell() { return text_cell("ok", view::Tone::kOk); }
view::Cell missing_cell() { return text_cell("missing", view::Tone::kError); }

void add(view::Table& facts, const std::string& name, const std::string& text,
         view::Cell there = ok_cell()) {
  view::add_row(facts, {text_cell(name), std::move(there), text_cell(text)});
}

void add_path(view::Table& facts, const char* name, const Result<std::filesystem::path>& path) {
  if (path) add(facts, name, path->string());
  if (!path) add(facts, name, path.error().message, missing_cell());
}

void add_answer(view::Table& facts, const launch::ProgramAnswer& answer, view::Cell if_missing) {
  const bool there = answer.problem.empty();
  add(facts, answer.name,
      there ? answer.version + (answer.torch.empty() ? "" : ", " + answer.torch) : answer.problem,
      there ? ok_cell() : std::move(if_missing));
}

void add_machine(view::Table& facts, const launch::Machine& machine) {
  for (const auto& gpu : machine.gpus) {
    add(facts, "GPU " + std::to_string(gpu.index),
        gpu.name + ", " + view::gib_text(static_cast<double>(gpu.memory_total_bytes)) + ", " +
            gpu.uuid + (gpu.pids.empty() ? "" : ", in use"));
  }
  if (machine.gpus.empty())
    add(facts, "GPUs",
        machine.driver_problem.empty() ? "none; ranks run on the CPU with Gloo"
                                       : machine.driver_problem,
        text_cell("–", view::Tone::kDim));
  if (!machine.driver.empty())
    add(facts, "driver", machine.driver + ", CUDA up to " + machine.cuda);
  add(facts, "CPU",
      machine.cpu_name + ", " + view::plural(machine.cores, "core", "cores") + " usable");
  if (machine.memory_total_bytes > 0) {
    add(facts, "memory",
        view::gib_text(static_cast<double>(machine.memory_available_bytes)) + " of " +
            view::gib_text(static_cast<double>(machine.memory_total_bytes)) + " free");
  }
}

view::Table facts_table(const doctor::Examination& found) {
  view::Table facts{"facts", "This machine", {{"name"}, {"there"}, {"text"}}};
  facts.heads = false;
  add(facts, "ringside", RINGSIDE_VERSION);
  for (const auto& program : found.programs) add_answer(facts, program, missing_cell());
  add_answer(facts, found.python, text_cell("–", view::Tone::kDim));  // the trainer needs none
  if (found.machine) add_machine(facts, *found.machine);
  if (!found.machine) add(facts, "devices", found.machine.error().message, missing_cell());
  add(facts, "runs", found.runs_dir.string());
  add_path(facts, "data", found.data);
  auto presets = found.assets;
  if (presets) *presets /= "presets";
  add_path(facts, "presets", presets);
  return facts;
}

int examine_here(const CommonOptions& options) {
  const auto found = doctor::examine_machine(options.runs_folder());
  const bool color = wants_color(stdout);
  print(stdout, options.json ? dump(doctor_json(found), 2) + "\n"
                             : table_text(facts_table(found), color) + "\n" +
                                   table_text(view::machine_checks_table(found.checks), color));
  return found.healthy() ? 0 : 1;
}

}  // namespace

void add_doctor(Command& app) {
  auto options = std::make_shared<CommonOptions>();
  auto checks = std::make_shared<ExamineOptions>();
  auto links = std::make_shared<LinksOptions>();
  Command command =
      app.add_command("doctor", "Check devices, versions, folders and all that a launch needs");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  Option train =
      command.add_flag("--train", checks->train,
                       "Short real runs on CPU slots: do sums, losses, times and ends hold?");
  Option gpu = command.add_flag("--gpu", checks->gpu, "All checks on the free GPUs; minutes long")
                   .excludes(train);
  Option probe = command
                     .add_flag("--links", links->links,
                               "Some seconds of all-reduce, and of copies that exchange nothing, "
                               "on the devices of a run; kept beside the runs")
                     .excludes(train)
                     .excludes(gpu);
  command
      .add_option("--preset", links->preset,
                  "With --links: whose devices and model (default: demo, on all free GPUs)")
      .type("PRESET|FILE.toml")
      .needs(probe);
  command.add_option("--set", links->sets, "With --links: change a setting of it (repeatable)")
      .type("KEY=VALUE")
      .repeatable()
      .needs(probe);
  command.add_flag("--quick", checks->quick, "Less of each check");
  command.add_option("--only", checks->only, "Checks by name: sums, ddp, timing, ...")
      .type("NAMES");
  command.add_option("--limit", checks->limit_s, "Ends each check after so long, as failed")
      .type("SECONDS")
      .range(1, 86400);
  command.check("--quick", [checks, links]() -> std::string {
    return checks->quick && !checks->wanted() && !links->links
               ? "--quick goes with --train, --gpu or --links"
               : "";
  });
  command.footer(
      "--train and --gpu write a report that can be sent and end with 1 when a check failed.");
  add_on(command, *options, "Of another machine");
  command.action_with_words([options, checks, links](const std::vector<std::string>& typed) {
    if (!options->on.empty())
      return run_remotely(*options, typed, CommandKind::kAct, links->preset);
    checks->json = options->json;
    if (links->links) {
      links->json = options->json;
      links->quick = checks->quick;
      links->limit_s = checks->limit_s;
      links->runs_dir = options->runs_folder();
      return probe_links(*links);
    }
    return checks->wanted() ? examine_training(*checks) : examine_here(*options);
  });
}

}  // namespace ringside::cli
