// `ringside doctor`: what this machine offers, where things lie, what is missing.
#include "gui/app/cli_json.h"
#include "gui/app/cli_terminal.h"
#include "gui/app/commands.h"
#include "gui/launch/child.h"
#include "gui/launch/machine.h"
#include "gui/launch/places.h"
#include "gui/launch/preflight.h"
#include "gui/view/number_format.h"
#include "protocol/base/user_folders.h"

namespace ringside::app {
namespace {

constexpr std::int64_t kVersionNs = 20'000'000'000;
constexpr std::uint64_t kLeastBytes = 100'000'000;

struct ProgramAnswer {
  std::string name;
  std::string version;  ///< first line of --version; empty when it does not work
  std::string problem;
};

ProgramAnswer ask_version(const std::string& name) {
  ProgramAnswer answer{name, {}, {}};
  const auto path = launch::find_program(name);
  if (!path) {
    answer.problem = path.error().message;
    return answer;
  }
  const auto captured = launch::capture({path->string(), "--version"}, kVersionNs);
  if (!captured) {
    answer.problem = captured.error().message;
  } else if (captured->exit_code != 0) {
    answer.problem =
        "exit code " + std::to_string(captured->exit_code) + ": " + one_line(captured->errors);
  } else {
    answer.version = captured->output.substr(0, captured->output.find('\n'));
  }
  return answer;
}

struct Examination {
  Result<launch::Machine> machine;
  std::vector<ProgramAnswer> programs;
  launch::Check runs_folder;
  std::filesystem::path runs_dir;
  Result<std::filesystem::path> assets;
  Result<std::filesystem::path> data;

  /// Training is possible; the window may be missing.
  bool healthy() const {
    return machine && assets && runs_folder.verdict != launch::Verdict::kFail &&
           programs[0].problem.empty() && programs[1].problem.empty();
  }
};

Examination examine(const CommonOptions& options) {
  const auto runs_dir = options.runs_folder();
  return {launch::read_machine(),
          {ask_version("ringside-agent"), ask_version("ringside-trainer"),
           ask_version("ringside-data"), ask_version("ringside-dashboard")},
          launch::check_folder(runs_dir, kLeastBytes),
          runs_dir,
          launch::assets_folder(),
          default_data_folder()};
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
  json["runs_folder"] = found.runs_folder.detail;
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
  if (found.runs_folder.verdict == launch::Verdict::kFail) {
    lines.bad("runs", found.runs_folder.detail);
  } else {
    lines.good("runs", found.runs_dir.string() + ", " + found.runs_folder.detail);
  }
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
  print(stdout, lines.text());
  return found.healthy() ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  auto* command = app.add_subcommand(
      "doctor", "Devices, versions, places, free disk: what works here and what is missing");
  add_json(*command, *options, "One JSON object");
  add_runs_dir(*command, *options);
  command->callback([options, &action] { action = [options] { return doctor(*options); }; });
}

}  // namespace ringside::app
