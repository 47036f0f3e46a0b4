// Checks whether a custom program can be started: it exists, its interpreter is known, and the
// script is a file. Only reads files, since asking an interpreter may take seconds.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "gui/launch/preflight/preflight.h"
#include "gui/launch/program/program_files.h"
#include "protocol/base/shell_word.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

/// The value in the first line of the file that begins with `key`: the text after the equals sign,
/// without blanks and quotes.
std::string value_in(const fs::path& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    std::erase_if(line, [](char c) { return c == ' ' || c == '\'' || c == '"' || c == '\r'; });
    return line.substr(std::min(line.find('=') + 1, line.size()));
  }
  return {};
}

/// Text such as "3.11" from "python3.11"; empty: the name has no version.
std::string version_in_name(const std::string& name) {
  constexpr std::string_view kPython = "python";
  if (!name.starts_with(kPython)) return {};
  const std::string version = name.substr(kPython.size());
  const bool digits = std::ranges::all_of(
      version, [](char c) { return c == '.' || std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return digits && version.find('.') != version.npos ? version : "";
}

/// The version from a virtual environment's settings, or else from the name that the link leads to;
/// empty: the files do not say.
std::string python_version(const fs::path& program) {
  const fs::path settings = program.parent_path().parent_path() / "pyvenv.cfg";
  // The text is "3.11.2", or from version_info "3.11.2.final.0".
  if (const std::string version = value_in(settings, "version"); !version.empty())
    return version.substr(0, version.find(".f"));
  std::error_code error;
  const fs::path whole = fs::canonical(program, error);
  return error ? "" : version_in_name(whole.filename().string());
}

/// The version of the torch package beside the interpreter, with its path; empty: it may be
/// elsewhere.
std::string torch_beside(const fs::path& program, const std::string& version) {
  const fs::path prefix = program.parent_path().parent_path();
  // Python "3.11.2" has its packages in the folder python3.11.
  const std::size_t minor = version.find('.', std::min(version.find('.') + 1, version.size()));
  const std::string python = "python" + version.substr(0, minor);
  for (const fs::path& packages :
       {prefix / "lib" / python / "site-packages", prefix / "local/lib" / python / "dist-packages",
        prefix / "lib/python3/dist-packages"}) {
    const std::string found = value_in(packages / "torch/version.py", "__version__");
    if (!found.empty()) return found + " in " + packages.string();
  }
  return {};
}

Check check_program(const messages::ProgramSpec& program, const fs::path& file) {
  const std::string& name = program.argv.front();
  if (file.empty()) {
    return {Verdict::kFail,
            titles::kProgram,
            "there is no program " + name + " in PATH",
            name == "python" && !located_program(program, "python3").empty()
                ? "here it is called python3"
                : "write its full path",
            {}};
  }
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return {Verdict::kFail, titles::kProgram, file.string() + " is a folder", {}, {}};
  if (::access(file.c_str(), X_OK) != 0) {
    const bool there = fs::exists(file, ignored);
    return {Verdict::kFail, titles::kProgram,
            file.string() + " cannot be run: " + std::strerror(there ? EACCES : ENOENT),
            there ? "begin the command with its interpreter, or make it executable" : "",
            there ? "chmod +x " + shell_word(file.string()) : ""};
  }
  if (!is_python_program(file)) return {Verdict::kPass, titles::kProgram, file.string(), {}, {}};
  const std::string version = python_version(file);
  return {Verdict::kPass,
          titles::kProgram,
          file.string() + (version.empty() ? "" : ", Python " + version),
          {},
          {}};
}

Check check_script_file(const std::string& script, const fs::path& cwd) {
  std::error_code ignored;
  const fs::path file = cwd / script;
  if (::access(file.c_str(), R_OK) == 0)
    return {Verdict::kPass, titles::kScript, file.string(), {}, {}};
  const bool there = fs::exists(file, ignored);
  return {Verdict::kFail,
          titles::kScript,
          file.string() + (there ? " cannot be read" : " is not there"),
          there ? "" : "its path counts from the folder in which the program runs",
          {}};
}

/// Checks for a module of our package's name in the folder that Python searches first: that of the
/// script, or else the working folder.
std::optional<Check> check_hidden_package(const std::string& script, const fs::path& cwd) {
  std::error_code ignored;
  const fs::path file = script.empty() ? fs::path() : fs::weakly_canonical(cwd / script, ignored);
  const fs::path folder = script.empty() ? cwd : file.parent_path();
  for (const fs::path& module : {folder / "ringside_rank.py", folder / "ringside_rank"}) {
    if (!fs::exists(module, ignored)) continue;
    return Check{
        Verdict::kWarning,
        titles::kPackage,
        module.string() +
            " has the name of the package that instruments Python, and one hides the other",
        "rename it",
        {}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Check> check_script(const messages::ProgramSpec& program) {
  const fs::path file = located_program(program, program.argv.front());
  std::vector<Check> checks{check_program(program, file)};
  if (checks.front().verdict != Verdict::kPass || !is_python_program(file)) return checks;
  const std::string script = script_in(program.argv);
  if (!script.empty()) checks.push_back(check_script_file(script, program.cwd));
  if (auto hidden = check_hidden_package(script, program.cwd)) checks.push_back(std::move(*hidden));
  if (std::string torch = torch_beside(file, python_version(file)); !torch.empty())
    checks.push_back({Verdict::kPass, titles::kTorch, std::move(torch), {}, {}});
  return checks;
}

}  // namespace ringside::launch
