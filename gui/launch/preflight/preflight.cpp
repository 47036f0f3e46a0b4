#include "gui/launch/preflight/preflight.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "gui/launch/paths.h"
#include "gui/launch/preflight/fast.h"
#include "protocol/base/shell_word.h"
#include "protocol/host/peer_owner.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLeastDiskBytes = 100'000'000;

Check no_room(const fs::path& place) {
  return {Verdict::kFail,
          titles::kRunFolder,
          "cannot write into " + place.string() + ": " + std::strerror(errno),
          "choose another folder with --runs-dir or RINGSIDE_RUNS_DIR",
          {}};
}

}  // namespace

std::string result_text(const Check& check) {
  std::string text = check.detail;
  if (!check.hint.empty()) text += "; " + check.hint;
  if (!check.command.empty()) text += ": `" + check.command + "`";
  return text;
}

Check check_weights(const messages::RunSpec& spec) {
  const std::string title = titles::kWeights;
  const std::string& resume = spec.checkpoint.resume;
  const bool from_file = !resume.empty() && resume != "none" && resume != "auto";
  std::error_code ignored;
  for (const auto& [key, file] :
       {std::pair<std::string, std::string>{"model.init_from", spec.model.init_from},
        {"checkpoint.resume", from_file ? resume : ""}}) {
    if (file.empty() || fs::is_regular_file(file, ignored)) continue;
    return {Verdict::kFail, title, key + " = \"" + file + "\" is not a file here",
            "the checkpoints of a run lie in its folder, under checkpoints; this prints the folder",
            "ringside show RUN"};
  }
  const bool none = spec.model.init_from.empty() && !from_file;
  return {Verdict::kPass, title, none ? "none is set" : "every file that is set", {}, {}};
}

Check check_working_folder(const messages::ProgramSpec& program) {
  const std::string title = titles::kWorkingFolder;
  // Older runs have no such setting: they use the folder in which they are resumed.
  if (program.cwd.empty()) return {Verdict::kPass, title, "this one", {}, {}};
  std::error_code ignored;
  const bool there = ::access(program.cwd.c_str(), X_OK) == 0;
  const int error = there ? ENOTDIR : errno;
  if (there && fs::is_directory(program.cwd, ignored))
    return {Verdict::kPass, title, program.cwd, {}, {}};
  return {Verdict::kFail,
          title,
          "program.cwd = \"" + program.cwd + "\" cannot be entered: " + std::strerror(error),
          "set program.cwd to the folder in which the program is to run",
          {}};
}

Check check_folder(const fs::path& folder, std::uint64_t least_bytes) {
  const std::string title = titles::kRunFolder;
  const fs::path place = existing_ancestor(folder);
  if (::access(place.c_str(), W_OK | X_OK) != 0) return no_room(place);
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) {
    return {Verdict::kFail,
            title,
            place.string() + " is not a folder",
            "choose another one with --runs-dir or RINGSIDE_RUNS_DIR",
            {}};
  }
  struct statvfs space {};
  if (::statvfs(place.c_str(), &space) != 0) return {Verdict::kPass, title, place.string(), {}, {}};
  // File systems such as /proc let root write but store nothing.
  if (space.f_blocks == 0) {
    std::string probe = (place / ".ringside-XXXXXX").string();
    if (::mkdtemp(probe.data()) == nullptr) return no_room(place);
    ::rmdir(probe.c_str());
    return {Verdict::kPass, title, place.string(), {}, {}};
  }
  const std::uint64_t free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const std::string found = gigabytes_text(free_bytes) + " free at " + place.string();
  const std::string show = "du -sh " + shell_word(folder.string()) + "/*";
  if (free_bytes < least_bytes) {
    return {Verdict::kFail, title, found + ", " + gigabytes_text(least_bytes) + " are needed",
            "delete old runs, or choose another folder with --runs-dir; this shows their sizes",
            show};
  }
  if (free_bytes < 10 * least_bytes)
    return {Verdict::kWarning, title, found, "delete old runs; this shows their sizes", show};
  return {Verdict::kPass, title, found, {}, {}};
}

Check check_programs(const std::vector<ProgramAnswer>& programs) {
  constexpr const char* kTitle = titles::kPrograms;
  constexpr const char* kHint = "build them all";
  for (const char* name : {"ringside-agent", "ringside-trainer"}) {
    if (const auto found = find_program(name); !found)
      return {Verdict::kFail, kTitle, found.error().message, {}, {}};
  }
  for (const ProgramAnswer& program : programs) {
    const bool needed = program.name == "ringside-agent" || program.name == "ringside-trainer";
    const Verdict verdict = needed ? Verdict::kFail : Verdict::kWarning;
    if (!program.problem.empty())
      return {verdict, kTitle, program.name + ": " + program.problem, kHint, "./dev build"};
    if (!program.version.ends_with(std::string(" ") + RINGSIDE_VERSION)) {
      return {verdict, kTitle,
              program.name + " reports \"" + program.version + "\", this is " + RINGSIDE_VERSION,
              kHint, "./dev build"};
    }
  }
  return {
      Verdict::kPass, kTitle, program_folder().string() + ", version " + RINGSIDE_VERSION, {}, {}};
}

std::vector<Check> check_files(const Plan& plan, const fs::path& runs_dir,
                               const std::vector<ProgramAnswer>& programs) {
  std::vector<Check> checks;
  const bool ours = !plan.runs.empty() && plan.runs.back().spec.program.argv.empty();
  if (ours) {
    const auto& spec = plan.runs.back().spec;
    if (spec.model.name != "none") checks.push_back(check_data(spec.data));
    checks.push_back(check_weights(spec));
  } else if (!plan.runs.empty()) {
    const auto& program = plan.runs.back().spec.program;
    checks.push_back(check_working_folder(program));
    // Files in a missing working folder are not checked.
    if (checks.back().verdict == Verdict::kPass) {
      for (Check& check : check_script(program)) checks.push_back(std::move(check));
    }
  }
  if (ours || plan.runs.empty()) checks.push_back(check_programs(programs));
  checks.push_back(check_folder(runs_dir, kLeastDiskBytes));
  return checks;
}

std::vector<Check> preflight(const Plan& plan, const HostActivity& around,
                             const fs::path& runs_dir) {
  if (const auto can = check_can_start(); !can)
    return {{Verdict::kFail, titles::kPrograms, can.error().message, {}, {}}};
  std::vector<Check> checks{check_devices_free(plan, around),
                            check_devices_alive(plan, around.machine),
                            check_orphans(around.orphans), check_ports(knows_peer_owners())};
  for (Check& check : check_files(plan, runs_dir, around.programs))
    checks.push_back(std::move(check));
  checks.push_back(check_memory(plan, around.machine));
  if (auto speed = check_speed(plan, around.machine)) checks.push_back(std::move(*speed));
  for (const auto& warning : plan.warnings)
    checks.push_back({Verdict::kWarning, titles::kPlan, warning, {}, {}});
  return checks;
}

Result<void> refuse_failures(const std::vector<Check>& checks) {
  for (const auto& check : checks) {
    if (check.verdict == Verdict::kFail) return bad_request(result_text(check));
  }
  return {};
}

}  // namespace ringside::launch
