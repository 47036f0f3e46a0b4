// The commands of `ringside`: one function per command adds it to the command line. Parsing only
// fills options and sets `action`; main runs the action and exits with its value: 0 success, 1
// failed run, 2 bad request, 128 + signal number.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "gui/analysis/range.h"
#include "gui/cli/command/command.h"

namespace ringside::session {
struct ReportFile;
}

namespace ringside::cli {

void add_run(Command& app);
void add_sweep(Command& app);
void add_ab(Command& app);
void add_try(Command& app);
void add_resume(Command& app);
void add_watch(Command& app);
void add_import(Command& app);
void add_list(Command& app);
void add_show(Command& app);
void add_report(Command& app);
void add_compare(Command& app);
void add_gate(Command& app);
void add_what_if(Command& app);
void add_tail(Command& app);
void add_export(Command& app);
void add_stop(Command& app);
void add_stack(Command& app);
void add_profile(Command& app);
void add_timeline(Command& app);
void add_label(Command& app);
void add_tag(Command& app);
void add_rename(Command& app);
void add_delete(Command& app);
void add_rm(Command& app);
void add_restore(Command& app);
void add_reproduce(Command& app);
void add_data(Command& app);
void add_presets(Command& app);
void add_doctor(Command& app);
void add_top(Command& app);
void add_machines(Command& app);
void add_help(Command& app);
void add_completion(Command& app);
void add_conformance(Command& app);
void add_attach(Command& app);
void add_serve_stdio(Command& app);

/// All commands, in the order in which the help lists them.
inline constexpr std::array kCommands{
    add_run,      add_sweep,     add_ab,     add_try,        add_resume,      add_watch,
    add_import,   add_list,      add_show,   add_report,     add_compare,     add_gate,
    add_what_if,  add_tail,      add_export, add_stop,       add_stack,       add_profile,
    add_timeline, add_label,     add_tag,    add_rename,     add_delete,      add_rm,
    add_restore,  add_reproduce, add_attach, add_data,       add_presets,     add_doctor,
    add_top,      add_machines,  add_help,   add_completion, add_conformance, add_serve_stdio};

struct CommonOptions {
  std::string runs_dir;
  std::string run;  ///< as typed: id, unique beginning, `last`, #number or path
  bool json = false;
  std::string on;  ///< another machine, as typed; empty: this machine

  /// The folder from --runs-dir, or RINGSIDE_RUNS_DIR, or else the user's data folder.
  std::filesystem::path runs_folder() const;
};

/// Declares --runs-dir and checks its value. If it is absent, the value given to `ringside` itself
/// is used.
Option declare_runs_dir(Command& command, CommonOptions& options);
void add_runs_dir(Command& command, CommonOptions& options);
void add_json(Command& command, CommonOptions& options, const std::string& what);
void add_run_name(Command& command, CommonOptions& options);

/// Parses --steps such as "141-240", first to last step; an empty text selects no range.
Result<analysis::StepRange> steps_option(const std::string& text);

/// Prints the path and size of a written page; returns the exit code.
int tell_written(const session::ReportFile& file, bool json);

}  // namespace ringside::cli
