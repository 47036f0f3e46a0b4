// Looks, before anything is started, for what would make a run fail or its figures worthless. One
// list for the Launch place, `ringside run`, `ringside resume` and `ringside doctor`. Reads file
// sizes and free space; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/surroundings.h"

namespace ringside::launch {

enum class Verdict : std::uint8_t { kPass, kWarning, kFail };

/// Titles of the checks, for those that draw, print or test them.
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
  std::string command;  ///< that does it, for a terminal; may be empty
};

/// "what was found; what to do: `command`".
std::string told(const Check& check);
/// "1.6 GB"
std::string gigabytes_text(std::uint64_t bytes);

/// Everything. A plan without runs asks about the machine alone.
std::vector<Check> preflight(const Plan& plan, const Surroundings& around,
                             const std::filesystem::path& runs_dir);
/// The part that asks only for files: programs, data, weights, the working and the run folder.
std::vector<Check> check_files(const Plan& plan, const std::filesystem::path& runs_dir,
                               const std::vector<ProgramAnswer>& programs = {});

/// Data files of a set that is read: each present (plain or .gz) and of the published size when
/// plain. A generated set is there, or the folder it would be made in can be written.
Check check_data(const messages::DataSpec& data);
/// model.init_from and a path in checkpoint.resume name files.
Check check_weights(const messages::RunSpec& spec);
/// program.cwd is a folder that can be entered.
Check check_working_folder(const messages::ProgramSpec& program);
/// A program of the person's own can be started, with the version of its interpreter where files
/// tell it; a script of Python is there, and no module beside it has the name of our package; and
/// PyTorch, where it lies beside the interpreter: that it does not means nothing.
std::vector<Check> check_script(const messages::ProgramSpec& program);
/// The folder (or the nearest one above it that exists) can be written and has room.
Check check_folder(const std::filesystem::path& folder, std::uint64_t least_bytes);
/// No other run has the devices of the plan, and no process of others computes on them.
Check check_devices_free(const Plan& plan, const Surroundings& around);
/// The driver answers for the devices of the plan.
Check check_devices_alive(const Plan& plan, const Machine& machine);
/// No rank is left over from a run whose agent is gone.
Check check_orphans(const std::vector<Orphan>& orphans);
/// Checks that this host still has free ports on its loopback address, and that the ranks which
/// listen there can tell who connects.
Check check_ports(bool knows_peer_owners);
/// There is memory for the ranks of the plan.
Check check_memory(const Plan& plan, const Machine& machine);
/// Our programs are there and of one version; where they were not asked, that they are there.
Check check_programs(const std::vector<ProgramAnswer>& programs);

/// The first failure as an error; nothing when none failed.
Result<void> refuse_failures(const std::vector<Check>& checks);

}  // namespace ringside::launch
