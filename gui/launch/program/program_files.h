// The files that a custom program consists of: its script, the modules beside it that it imports,
// the settings files in its arguments, and the packages of its Python. Recorded with each run, so
// that an edited script does not count as the same work. Only reads files; any thread.
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

/// Where the agent will find a program of this name, by the rules of its spawner; empty: not found.
std::filesystem::path located_program(const messages::ProgramSpec& program,
                                      const std::string& name);

bool is_python_program(const std::filesystem::path& program);

/// The script in an interpreter's command line; empty: it runs a module, a command, or nothing.
std::string script_in(const std::vector<std::string>& argv);

/// The texts of a program's files, in addition to their checksums.
struct ProgramSource {
  runlog::ProgramFiles files;
  std::map<std::string, std::string> texts{};     ///< by path, as in `files`
  std::map<std::string, std::string> left_out{};  ///< reasons why there is no text, by path
  std::filesystem::path python{};                 ///< empty: the program does not run in Python
  /// Names such as "torch-2.11.0.dist-info", and the path of the Python.
  std::set<std::string> packages{};
};
ProgramSource program_source(const messages::ProgramSpec& program);
runlog::ProgramFiles program_files(const messages::ProgramSpec& program);

/// Text such as "train.py was edited since" or "it is not known ..."; empty: both are the same.
std::string other_files(const runlog::ProgramFiles& then, const runlog::ProgramFiles& now);

/// Compares programs of earlier runs with their present files. Reads the files of a program once
/// for all runs that have it. One thread; created for each search.
class ProgramsToday {
 public:
  /// Why the program of an earlier run would not do the same today; empty: it would, or it is our
  /// own trainer.
  std::string changed_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

 private:
  /// Working folder, argument vector, environment.
  using Key = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;
  std::map<Key, runlog::ProgramFiles> seen_;
};

/// ProgramsToday::changed_since() for a single run.
std::string changed_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

/// Like changed_since(), but reports only certain changes, for a run that a person names.
std::string edited_since(const runlog::RunFolder& run, const messages::ProgramSpec& program);

}  // namespace ringside::launch
