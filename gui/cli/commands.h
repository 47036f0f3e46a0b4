// The commands of `ringside`, one function each that adds it to the command line. Parsing only
// fills options and sets `action`; main runs the action, whose value is the exit code: 0 done, 1
// the run failed, 2 the request was wrong, 128 + signal.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace ringside::cli {

using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_resume(CLI::App& app, Action& action);
void add_tail(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_stop(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_presets(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

/// Options that most commands have.
struct CommonOptions {
  std::string runs_dir;
  std::string run;  ///< as typed: id, unique beginning, `last`, #number or path
  bool json = false;

  /// --runs-dir, else RINGSIDE_RUNS_DIR, else the user's data folder.
  std::filesystem::path runs_folder() const;
};

void add_runs_dir(CLI::App& command, CommonOptions& options);
void add_json(CLI::App& command, CommonOptions& options, const std::string& what);
void add_run_name(CLI::App& command, CommonOptions& options);

}  // namespace ringside::cli
