// `ringside doctor`: reports what this machine offers, where files are, and what is missing.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/doctor/examination.h"
#include "gui/doctor/probe.h"
#include "gui/doctor/report_file.h"
#include "gui/launch/paths.h"
#include "gui/launch/plan.h"
#include "gui/launch/presets.h"
#include "gui/place/kinds.h"
#include "gui/runs/probe_file.h"
#include "gui/session/machines/machine_summary.h"
#include "gui/view/launch/launch_probe.h"
#include "gui/view/probe_words.h"
#include "gui/view/table_cells.h"
#include "gui/view/window/doctor_view.h"
#include "protocol/base/result.h"
#include "protocol/messages/model_catalog.h"

namespace ringside::cli {
namespace {

struct DoctorOptions : CommonOptions {
  bool train = false;
  bool gpu = false;
  bool links = false;
  bool quick = false;
  std::vector<std::string> only;
  std::string preset;  ///< for devices and model; empty: demo, on all free GPUs if there are any
  std::vector<std::string> sets;
  int limit_s = 0;  ///< 0: the probe's own limit

  bool examines() const { return train || gpu; }
};

/// Settings of the planned run with its devices resolved.
Result<messages::RunSpec> wanted_run(const DoctorOptions& options, const launch::Machine& machine) {
  const auto preset =
      RINGSIDE_TRY(launch::load_preset(options.preset.empty() ? "demo" : options.preset));
  auto spec = RINGSIDE_TRY(launch::settings_of(preset, options.quick && preset.file.spec.quick));
  std::vector<std::string> free;
  for (const launch::Gpu& gpu : machine.gpus) {
    if (gpu.pids.empty()) free.push_back(gpu.uuid);
  }
  if (options.preset.empty() && free.size() >= 2) {
    spec.devices.kind = "cuda";
    spec.devices.world_size = static_cast<std::int64_t>(free.size());
  }
  auto resolved = RINGSIDE_TRY(
      launch::resolve_spec(std::move(spec), launch::process_environment(), options.sets));
  return launch::settled(resolved, machine);
}

std::int64_t gradient_bytes_of(const messages::RunSpec& spec) {
  const auto parameters = view::model_parameters(spec);
  return parameters && spec.program.argv.empty() ? messages::gradient_bytes(*parameters) : 0;
}

Json json_of(const analysis::LinkProbe& probe, std::int64_t gradient_bytes,
             const std::string& advice) {
  Json sizes = Json::array();
  for (const auto& one : probe.sizes)
    sizes.push_back({{"size_bytes", one.size_bytes},
                     {"seconds", one.seconds},
                     {"bus_bytes_per_s", bus_bytes_per_s(probe, one)}});
  return {{"host", probe.devices.host},
          {"backend", probe.devices.backend},
          {"transport", probe.transport},
          {"gpus", probe.devices.gpus},
          {"ranks", probe.devices.ranks},
          {"threads", probe.devices.threads},
          {"sizes", std::move(sizes)},
          {"gradient_bytes", gradient_bytes > 0 ? Json(gradient_bytes) : Json()},
          {"expected_s", number_or_null(step_exchange_s(probe, gradient_bytes))},
          {"step", probe.step},
          {"alone_s", probe.alone_s},
          {"together_s", probe.together_s},
          {"ceiling", probe.ceiling},
          {"others_cores", probe.others_cores < 0 ? Json() : Json(probe.others_cores)},
          {"host_cores", probe.host_cores > 0 ? Json(probe.host_cores) : Json()},
          {"advice", advice}};
}

std::string text_of(const analysis::LinkProbe& probe, std::int64_t gradient_bytes,
                    const std::string& advice) {
  std::string text = tables_text({view::probe_table(probe)}, wants_color(stdout)) + "\n";
  if (gradient_bytes > 0) text += view::expected_text(probe, gradient_bytes) + "\n";
  text += view::ceiling_text(probe) + " (" + probe.step + ")\n";
  return advice.empty() ? text : text + advice + "\n";
}

/// Prints the result and saves it beside the runs; returns 1 if there is none.
Result<int> probe_links(const DoctorOptions& options) {
  const Interrupts interrupts;
  const auto cancelled = [&interrupts] { return interrupts.any(); };
  const auto machine = RINGSIDE_TRY(launch::read_machine(cancelled));
  const auto spec = RINGSIDE_TRY(wanted_run(options, machine));
  doctor::ProbeRequest request{spec};
  request.quick = options.quick;
  request.cancelled = cancelled;
  if (options.limit_s > 0) request.limit_s = options.limit_s;
  const bool waits_visibly = is_terminal(stderr) && !options.json;
  if (waits_visibly) print(stderr, "Probing, some seconds …");
  const auto probe = doctor::probe_links(machine, request);
  if (waits_visibly) print(stderr, "\r\x1b[K");
  if (interrupts.any()) return gave_up(interrupts, "the probe was not finished");
  if (!probe) return pass(probe);
  const auto summary = session::summary_of(launch::inspect_host(machine), options.runs_folder());
  const std::string advice = view::link_advice(view::LaunchForm(spec), summary);
  const std::int64_t bytes = gradient_bytes_of(spec);
  print(stdout, options.json ? dump(json_of(*probe, bytes, advice), 2) + "\n"
                             : text_of(*probe, bytes, advice));
  RINGSIDE_TRY(runs::keep_probe(options.runs_folder(), *probe));
  return 0;
}

std::string line_of(const doctor::CheckResult& result, bool color) {
  const std::string outcome = fmt::format("{:<7}", name_of(result.outcome));
  return fmt::format("{:>2}  {:<17}  {}  {:>5.1f} s  {}\n", result.kind.number, result.kind.title,
                     painted(outcome, view::tone_of(result.outcome), color), result.seconds,
                     one_line(result_text(result)));
}

/// Prints a line per finished check, or one JSON object; returns 1 if a check failed.
Result<int> examine_training(const DoctorOptions& options) {
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

Result<int> examine_here(const CommonOptions& options) {
  RINGSIDE_TRY(launch::check_can_start());
  const auto found = doctor::examine_machine(options.runs_folder());
  const bool color = wants_color(stdout);
  print(stdout, options.json ? dump(doctor_json(found), 2) + "\n"
                             : table_text(facts_table(found), color) + "\n" +
                                   table_text(view::machine_checks_table(found.checks), color));
  return found.healthy() ? 0 : 1;
}

}  // namespace

void add_doctor(Command& app) {
  auto options = std::make_shared<DoctorOptions>();
  Command command =
      app.add_command("doctor", "Check devices, versions, folders and all that a launch needs");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  Option train =
      command.add_flag("--train", options->train,
                       "Short real runs on CPU slots: do sums, losses, times and ends hold?");
  Option gpu = command.add_flag("--gpu", options->gpu, "All checks on the free GPUs; minutes long")
                   .excludes(train);
  Option probe = command
                     .add_flag("--links", options->links,
                               "Some seconds of all-reduce, and of copies that exchange nothing, "
                               "on the devices of a run; kept beside the runs")
                     .excludes(train)
                     .excludes(gpu);
  command
      .add_option("--preset PRESET|FILE.toml", options->preset,
                  "With --links: whose devices and model (default: demo, on all free GPUs)")
      .needs(probe);
  command
      .add_option("--set KEY=VALUE", options->sets,
                  "With --links: change a setting of it (repeatable)")
      .repeatable()
      .needs(probe);
  command.add_flag("--quick", options->quick, "Less of each check");
  command.add_option("--only NAMES", options->only, "Checks by name: sums, ddp, timing, ...");
  command
      .add_option("--limit SECONDS", options->limit_s, "Ends each check after so long, as failed")
      .range(1, 86400);
  command.check("--quick", [options]() -> std::string {
    return options->quick && !options->examines() && !options->links
               ? "--quick goes with --train, --gpu or --links"
               : "";
  });
  command.footer(
      "--train and --gpu write a report that can be sent and end with 1 when a check failed.");
  add_on(command, *options, "Of another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (!options->on.empty())
      return run_remotely(*options, typed, CommandKind::kAct, options->preset);
    if (options->links) return probe_links(*options);
    return options->examines() ? examine_training(*options) : examine_here(*options);
  });
}

}  // namespace ringside::cli
