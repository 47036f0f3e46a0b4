#include "gui/launch/program/made_again.h"

#include <system_error>

#include "gui/launch/program/program_files.h"
#include "protocol/host/files.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutside = "outside";

/// Path of a stored file in the new folder, relative to it.
fs::path place_of(const fs::path& name) {
  return name.is_absolute() ? kOutside / name.relative_path() : name;
}

Result<void> write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    return failure("the folder " + path.parent_path().string() +
                   " cannot be made: " + error.message());
  return write_text_atomically(path, text, 0644);
}

Result<void> make_empty(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return bad_request("the folder " + folder.string() + " cannot be made: " + error.message());
  if (!fs::is_empty(folder, error) || error)
    return bad_request("there is something in " + folder.string() +
                       " already; give a folder that is new or empty");
  return {};
}

/// The command line with the absolute path of the program, which is not moved, and the new paths of
/// the stored files that it names.
std::vector<std::string> moved(const std::vector<std::string>& argv, const SavedProgram& kept,
                               const fs::path& cwd) {
  std::vector<std::string> words = argv;
  if (words[0].find('/') != words[0].npos) words[0] = (cwd / words[0]).lexically_normal().string();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t begin = words[i].find('=') + 1;  // npos + 1 is 0
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(cwd / words[i].substr(begin), error);
    if (error) continue;
    for (const auto& [name, text] : kept.files) {
      if (fs::weakly_canonical(cwd / name, error) == whole)
        words[i].replace(begin, words[i].npos, place_of(name).string());
    }
  }
  return words;
}

}  // namespace

ProgramChanges changes_since(const runlog::RunFolder& run, const SavedProgram& kept,
                             const messages::ProgramSpec& program) {
  ProgramChanges changes;
  const ProgramSource now = program_source(program);
  changes.unknown = now.files.unknown;
  if (!changes.unknown.empty()) return changes;
  // Checksums are compared, since the stored texts have no secrets in them.
  for (const auto& [name, mark] : runlog::noted_program_files(run).parts) {
    if (name == messages::kPackagesPart) continue;
    const auto today = now.files.parts.find(name);
    if (today == now.files.parts.end()) {
      changes.gone.push_back(name);
    } else if (today->second != mark) {
      changes.edited.push_back(name);
    }
  }
  auto versions = versions_of(now.packages);
  for (const auto& [name, version] : kept.packages) {
    const auto today = versions.extract(name);
    const std::string other = today.empty() ? std::string() : today.mapped();
    if (other != version) changes.packages.push_back({name, version, other});
  }
  for (const auto& [name, version] : versions) changes.packages.push_back({name, "", version});
  return changes;
}

Result<fs::path> write_again(const SavedProgram& kept, messages::RunSpec spec,
                             const fs::path& folder) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder));
  for (const auto& [name, text] : kept.files) {
    if (place_of(name).lexically_normal().string().starts_with(".."))
      return bad_request("a kept file leads out of the folder: " + name);
  }
  RINGSIDE_TRY(make_empty(whole));
  for (const auto& [name, text] : kept.files)
    RINGSIDE_TRY(write_file(whole / place_of(name), text));
  if (!spec.program.argv.empty()) {
    spec.program.argv = moved(spec.program.argv, kept, spec.program.cwd);
    spec.program.cwd = whole.string();
  }
  RINGSIDE_TRY(write_text_atomically(whole / "run.toml", messages::to_toml(spec)));
  return whole / "run.toml";
}

}  // namespace ringside::launch
