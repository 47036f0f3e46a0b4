#include "gui/cli/command/script_options.h"

#include <utility>

#include "gui/cli/print/terminal.h"
#include "gui/launch/launchers/script.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/shown_program.h"

namespace ringside::cli {
namespace {

/// The first given option that needs a command after --; empty if there is none.
std::string first_given(const ScriptOptions& options) {
  if (options.ranks > 0) return "--ranks";
  if (!options.devices.empty()) return "--devices";
  if (!options.baseline.empty()) return "--baseline";
  if (!options.cwd.empty()) return "--cwd";
  if (!options.as.empty()) return "--as";
  if (!options.environment.empty()) return "--env";
  if (options.restarts >= 0) return "--restarts";
  if (options.tty) return "--tty";
  return options.no_instrument ? "--no-instrument" : "";
}

/// Hides secrets in these settings, and reports on standard error that there were some.
std::vector<TitledSettings> hide_secrets(std::vector<TitledSettings> runs) {
  bool hidden = false;
  for (auto& [title, spec] : runs) {
    messages::ProgramSpec shown = messages::without_secrets(spec.program);
    hidden =
        hidden || shown.argv != spec.program.argv || shown.environment != spec.program.environment;
    spec.program = std::move(shown);
  }
  if (hidden) {
    print(stderr, "Note: " + std::string(kHiddenSecret) +
                      " replaces each secret in the command and its environment, " +
                      std::string(messages::kNoText) + " each byte that is not UTF-8\n");
  }
  return runs;
}

}  // namespace

void add_script_options(Command& command, ScriptOptions& options) {
  command.rest_behind_dashes(options.command);
  command
      .add_option("--devices N,N,...|cpu", options.devices,
                  "With -- COMMAND: numbers or UUIDs of GPUs, such as 0,1, or cpu")
      .not_empty("numbers or UUIDs of GPUs, or cpu");
  command
      .add_option(
          "--as torchrun|slurm|script", options.as,
          "With -- COMMAND: start it as torchrun does, as a Slurm task, or as a script that "
          "starts its ranks itself")
      .not_empty("torchrun, slurm or script");
  command.add_option("--cwd DIR", options.cwd, "With -- COMMAND: its working directory")
      .not_empty("a folder");
  command
      .add_option(
          "--env NAME=VALUE", options.environment,
          "With -- COMMAND: an environment variable for it, added to those of this terminal "
          "(repeatable)")
      .repeatable();
  command
      .add_option("--restarts N", options.restarts,
                  "With -- COMMAND: how often all ranks are restarted after a failure")
      .range(0, 1000);
  command.add_flag(
      "--tty", options.tty,
      "With -- COMMAND: make its standard input a terminal, for a program that asks for "
      "its size or settings; its input stays empty");
  command.add_flag(
      "--no-instrument", options.no_instrument,
      "With -- COMMAND: do not instrument Python; only what it reports itself is shown");
}

Result<void> check_script_options(const ScriptOptions& options, const std::string& what,
                                  const std::string& example) {
  const bool script = !options.command.empty();
  if (script && !what.empty()) {
    return bad_request("\"" + one_line(what) +
                       "\" and a command behind -- cannot be combined: ringside " + example +
                       " PRESET, or ringside " + example + " [OPTIONS] -- python train.py");
  }
  if (!script && what.empty()) {
    return bad_request("what is to run? A preset or a file: ringside " + example +
                       " demo; or a command: ringside " + example + " -- python train.py");
  }
  if (!script && (what.ends_with(".py") || what.ends_with(".sh"))) {
    return bad_request("\"" + one_line(what) +
                       "\" is a script: write the command behind --, as in "
                       "ringside " +
                       example + " -- " + (what.ends_with(".py") ? "python " : "bash ") +
                       one_line(shell_word(what)));
  }
  const std::string given = first_given(options);
  if (!script && !given.empty()) {
    return bad_request(given +
                       " goes with a command behind --; settings of a preset are changed "
                       "with --set (`ringside presets --settings` lists them)");
  }
  return {};
}

Result<messages::RunSpec> script_settings(const ScriptOptions& options, const std::string& name,
                                          const launch::Machine& machine) {
  launch::ScriptRequest request;
  request.command = options.command;
  if (options.ranks > 0) request.ranks = options.ranks;
  for (const std::string_view device : parts_of(options.devices, ','))
    request.devices.emplace_back(device);
  request.name = name;
  request.cwd = options.cwd;
  request.environment = options.environment;
  if (!options.as.empty())  // in front, so that --env can override it
    request.environment.insert(request.environment.begin(), "RINGSIDE_AS=" + options.as);
  if (options.tty) request.environment.emplace_back("RINGSIDE_TTY=1");
  request.baseline = options.baseline;
  if (options.restarts >= 0) request.restarts = options.restarts;
  request.instrument = !options.no_instrument;
  request.gpus = static_cast<std::int64_t>(machine.gpus.size());
  request.cores = machine.cores;
  request.ask = [](const launch::AccelerateQuestion& question) {
    print(stderr, "Asking Accelerate what this line starts ...\n");
    return launch::ask_accelerate(question);
  };
  std::vector<std::string> notes;
  auto spec = launch::script_spec(request, notes);
  if (!spec) return spec;
  for (const std::string& note : notes) print(stderr, "Note: " + one_line(note) + "\n");
  return spec;
}

void print_settings(const std::vector<TitledSettings>& runs) {
  for (const auto& [title, spec] : hide_secrets(runs))
    print(stdout, "# " + title + "\n" + messages::to_toml(spec) + "\n");
}

Json settings_json(const std::vector<TitledSettings>& runs) {
  Json rows = Json::array();
  for (const auto& [title, spec] : hide_secrets(runs))
    rows.push_back({{"title", title}, {"settings", spec_json(spec)}});
  return rows;
}

}  // namespace ringside::cli
