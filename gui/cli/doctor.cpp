// `ringside doctor`: what this machine offers, where things lie, what is missing.
#include "gui/cli/commands.h"
#include "gui/cli/json.h"
#include "gui/cli/terminal.h"
#include "gui/launch/machine.h"
#include "gui/launch/paths.h"
#include "gui/launch/preflight.h"
#include "gui/runs/find_run.h"
#include "gui/view/number_format.h"
#include "protocol/base/user_folders.h"

namespace ringside::cli {
namespace {

struct Examination {
  Result<launch::Machine> machine;
  std::vector<launch::ProgramAnswer> programs;
  std::vector<launch::Check> checks;
  std::filesystem::path runs_dir;
  Result<std::filesystem::path> assets;
  Result<std::filesystem::path> data;

  /// Training is possible; the window may be missing.
  bool healthy() const { return machine && assets && launch::refuse_failures(checks); }
};

// The same checks as before a run, with no run in mind.
Examination examine(const CommonOptions& options) {
  Examination found{launch::read_machine(), launch::ask_programs(),  {},
                    options.runs_folder(),  launch::assets_folder(), default_data_folder()};
  launch::Surroundings around =
      launch::look_around(found.machine ? *found.machine : launch::Machine());
  around.programs = found.programs;
  found.checks = launch::preflight({}, around, found.runs_dir);
  for (launch::Check& check : found.checks)
    check.detail = runs::name_runs(std::move(check.detail), found.runs_dir);
  return found;
}

const char* word_of(launch::Verdict verdict) {
  if (verdict == launch::Verdict::kPass) return "ok";
  return verdict == launch::Verdict::kWarning ? "warning" : "problem";
}

Json doctor_json(const Examination& found) {
  Json json = {{"version", RINGSIDE_VERSION}, {"healthy", found.healthy()}};
  json["programs"] = Json::array();
  for (const auto& program : found.programs) {
    json["programs"].push_back(
        {{"name", program.name}, {"version", program.version}, {"problem", program.problem}});
  }
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
  json["checks"] = Json::array();
  for (const auto& check : found.checks) {
    json["checks"].push_back({{"title", check.title},
                              {"verdict", word_of(check.verdict)},
                              {"detail", check.detail},
                              {"hint", check.hint},
                              {"command", check.command}});
  }
  return json;
}

class Lines {
 public:
  explicit Lines(bool color) : color_(color) {}
  void good(const std::string& label, const std::string& text) {
    add(label, painted("ok", view::Tone::kOk, color_), text);
  }
  void note(const std::string& label, const std::string& text) {
    add(label, painted("–", view::Tone::kDim, color_), text);
  }
  void bad(const std::string& label, const std::string& text) {
    add(label, painted("missing", view::Tone::kError, color_), text);
  }
  void check(const launch::Check& check) {
    const auto tone = check.verdict == launch::Verdict::kPass      ? view::Tone::kOk
                      : check.verdict == launch::Verdict::kWarning ? view::Tone::kWarning
                                                                   : view::Tone::kError;
    add(check.title, painted(word_of(check.verdict), tone, color_), told(check));
  }
  std::string text() const { return table_text(rows_, {false, false, false}); }

 private:
  void add(const std::string& label, const std::string& word, const std::string& text) {
    rows_.push_back({label, word, one_line(text)});
  }
  bool color_;
  std::vector<std::vector<std::string>> rows_;
};

void add_machine(Lines& lines, const launch::Machine& machine) {
  for (const auto& gpu : machine.gpus) {
    lines.good("GPU " + std::to_string(gpu.index),
               gpu.name + ", " + view::gib_text(static_cast<double>(gpu.memory_total_bytes)) +
                   ", " + gpu.uuid + (gpu.pids.empty() ? "" : ", in use"));
  }
  if (machine.gpus.empty())
    lines.note("GPUs", machine.driver_problem.empty() ? "none; ranks run on the CPU with Gloo"
                                                      : machine.driver_problem);
  if (!machine.driver.empty())
    lines.good("driver", machine.driver + ", CUDA up to " + machine.cuda);
  lines.good("CPU",
             machine.cpu_name + ", " + view::plural(machine.cores, "core", "cores") + " usable");
  if (machine.memory_total_bytes > 0) {
    lines.good("memory",
               view::gib_text(static_cast<double>(machine.memory_available_bytes)) + " of " +
                   view::gib_text(static_cast<double>(machine.memory_total_bytes)) + " free");
  }
}

int doctor(const CommonOptions& options) {
  const auto found = examine(options);
  if (options.json) {
    print(stdout, dump(doctor_json(found), 2) + "\n");
    return found.healthy() ? 0 : 1;
  }
  Lines lines(wants_color(stdout));
  lines.good("ringside", RINGSIDE_VERSION);
  for (const auto& program : found.programs) {
    if (program.problem.empty()) {
      lines.good(program.name, program.version);
    } else {
      lines.bad(program.name, program.problem);
    }
  }
  if (found.machine) {
    add_machine(lines, *found.machine);
  } else {
    lines.bad("devices", found.machine.error().message);
  }
  lines.good("runs", found.runs_dir.string());
  if (found.data) {
    lines.good("data", found.data->string());
  } else {
    lines.bad("data", found.data.error().message);
  }
  if (found.assets) {
    lines.good("presets", (*found.assets / "presets").string());
  } else {
    lines.bad("presets", found.assets.error().message);
  }
  Lines checks(wants_color(stdout));
  for (const auto& check : found.checks) checks.check(check);
  print(stdout, lines.text() + "\n" + checks.text());
  return found.healthy() ? 0 : 1;
}

}  // namespace

void add_doctor(Command& app) {
  auto options = std::make_shared<CommonOptions>();
  Command command =
      app.add_command("doctor", "Check devices, versions, folders and all that a launch needs");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.action([options] { return doctor(*options); });
}

}  // namespace ringside::cli
