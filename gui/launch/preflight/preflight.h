// Checks, before anything is started, for problems that would make a run fail or its figures
// worthless. The same list is used by the Launch page, `ringside run`, `ringside resume` and
// `ringside doctor`. Reads file sizes and free space; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/launch/host_activity.h"
#include "gui/launch/plan.h"

namespace ringside::launch {

enum class Verdict : std::uint8_t { kPass, kWarning, kFail };

/// Titles of the checks, for code that shows or tests them.
namespace titles {
inline constexpr const char* kData = "Data set";
inline constexpr const char* kWeights = "Initial weights";
inline constexpr const char* kRunFolder = "Run folder";
inline constexpr const char* kWorkingFolder = "Working folder";
inline constexpr const char* kProgram = "Program";
inline constexpr const char* kScript = "Script";
inline constexpr const char* kTorch = "PyTorch";
inline constexpr const char* kPackage = "ringside_rank";
inline constexpr const char* kDevicesFree = "Free devices";
inline constexpr const char* kDevicesAnswer = "Devices respond";
inline constexpr const char* kOrphans = "No orphaned ranks";
inline constexpr const char* kPorts = "Free ports";
inline constexpr const char* kMemory = "Host memory";
inline constexpr const char* kPrograms = "Program versions";
inline constexpr const char* kPlan = "Plan";
}  // namespace titles

struct Check {
  Verdict verdict = Verdict::kPass;
  std::string title;    ///< "Data set"
  std::string detail;   ///< what was found
  std::string hint;     ///< what to do; empty when nothing is to be done
  std::string command;  ///< shell command that does it; may be empty
};

/// Text in the form "what was found; what to do: `command`".
std::string result_text(const Check& check);
/// Text such as "1.6 GB".
std::string gigabytes_text(std::uint64_t bytes);

/// All checks. For a plan without runs, only those of the machine.
std::vector<Check> preflight(const Plan& plan, const HostActivity& around,
                             const std::filesystem::path& runs_dir);
/// Only the checks of files: programs, data, weights, the working folder and the run folder.
std::vector<Check> check_files(const Plan& plan, const std::filesystem::path& runs_dir,
                               const std::vector<ProgramAnswer>& programs = {});

/// Whether the files of a published set exist (plain or .gz) and plain ones have the published
/// size; for a generated set, whether it exists or its folder is writable.
Check check_data(const messages::DataSpec& data);
/// Whether model.init_from and a path in checkpoint.resume name existing files.
Check check_weights(const messages::RunSpec& spec);
/// Whether program.cwd is a folder that can be entered.
Check check_working_folder(const messages::ProgramSpec& program);
/// Checks of a custom program: whether it can be started, with the version of its interpreter if
/// files show it; whether a Python script exists and no module beside it has the name of our
/// package; and PyTorch, if that is beside the interpreter (if not, it may be elsewhere).
std::vector<Check> check_script(const messages::ProgramSpec& program);
/// Whether the folder (or its nearest existing parent) is writable and has enough space.
Check check_folder(const std::filesystem::path& folder, std::uint64_t least_bytes);
/// Whether no other run has the devices of the plan, and no other process computes on them.
Check check_devices_free(const Plan& plan, const HostActivity& around);
/// Whether the driver responds for the devices of the plan.
Check check_devices_alive(const Plan& plan, const Machine& machine);
/// Whether there are ranks of a run whose agent is gone.
Check check_orphans(const std::vector<Orphan>& orphans);
/// Whether this host has free ports on its loopback address, and whether the ranks that listen
/// there can tell who connects.
Check check_ports(bool knows_peer_owners);
/// Whether there is enough memory for the ranks of the plan.
Check check_memory(const Plan& plan, const Machine& machine);
/// Whether our programs exist and are of one version; if they were not asked, only whether they
/// exist.
Check check_programs(const std::vector<ProgramAnswer>& programs);

/// The first failed check as an error; success if none failed.
Result<void> refuse_failures(const std::vector<Check>& checks);

}  // namespace ringside::launch
