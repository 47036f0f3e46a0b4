// The files that a program of a person consists of besides its command line: its script, the
// modules beside it that it imports, the settings files in its arguments, and the packages of its
// Python. Kept with each run, so that a script that was edited since is not taken for the same
// work. Looks at files only; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/program_files.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

/// Where the agent will find a program of this name, by the rules of its spawner; empty: nowhere.
std::filesystem::path located_program(const messages::ProgramSpec& program,
                                      const std::string& name);

bool is_python_program(const std::filesystem::path& program);

/// Index behind the option of Python itself at `at`, with its value; `at` where none stands there.
std::size_t behind_python_option(const std::vector<std::string>& argv, std::size_t at);

/// Index of what stands behind the options of the interpreter at `python`: a script, "-m", "-c" or
/// "-".
std::size_t behind_python_options(const std::vector<std::string>& argv, std::size_t python);

/// The script among the arguments of an interpreter; empty: a module, a command, or none.
std::string script_in(const std::vector<std::string>& argv);

/// What the files of a program hold, beside what stands for it.
struct ProgramSource {
  runlog::ProgramFiles files;
  std::map<std::string, std::string> texts{};     ///< by path, as in `files`
  std::map<std::string, std::string> left_out{};  ///< why there is no text, by path
  std::filesystem::path python{};                 ///< empty: another program
  std::set<std::string> packages{};  ///< "torch-2.11.0.dist-info", and the path of its Python
};
ProgramSource program_source(const messages::ProgramSpec& program);
runlog::ProgramFiles program_files(const messages::ProgramSpec& program);

/// "train.py was edited since", "it is not known ..."; empty: the same on both sides.
std::string other_files(const runlog::ProgramFiles& then, const runlog::ProgramFiles& now);

/// Holds earlier runs against what their programs consist of today, and looks at the files of a
/// program once, however many runs have it. One thread; made anew for each search.
class ProgramsToday {
 public:
  /// Why what the program of an earlier run would do today is not what it did; empty: it is the
  /// same, or our own trainer.
  std::string changed_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

 private:
  /// Working folder, argument vector, environment.
  using Key = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;
  std::map<Key, runlog::ProgramFiles> seen_;
};

/// ProgramsToday::changed_since() for a single run.
std::string changed_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

/// Says only what is known to have changed, for a run that a person names.
std::string edited_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

}  // namespace ringside::launch
