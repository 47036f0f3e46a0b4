#include "gui/launch/start/start.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "gui/launch/detached.h"
#include "gui/launch/paths.h"
#include "gui/launch/preset_file.h"
#include "gui/launch/program/saved_program.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/base/secrets.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/noted_runs.h"
#include "protocol/runlog/whole_argv.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

// Time after a cancellation until the agent is asked to end, and then until it is killed. An agent
// that starts up within the first period is asked to stop over the wire, like a running one.
constexpr std::int64_t kStopTimeoutNs = 2'000'000'000;
constexpr std::size_t kLogTailBytes = 2000;

// The newest existing id with the same second as `id`.
std::string newest_of_second(const fs::path& runs_dir, const std::string& id) {
  const std::string second = id.substr(0, id.find('-'));
  std::string newest;
  std::error_code error;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name != id && name.starts_with(second)) newest = std::max(newest, name);
  }
  return newest;
}

// Ids consist of the second and a random part. A new one must sort after those of its second, so
// that the numbers of earlier runs stay and `last` is the requested run and not its baseline: a
// smaller id is given back and drawn again.
Result<LockedFolder> newest_folder(const fs::path& runs_dir, const Clock& clock) {
  std::error_code ignored;
  for (;;) {
    auto folder = RINGSIDE_TRY(runlog::create_run_folder(runs_dir, clock));
    if (folder.id() < newest_of_second(runs_dir, folder.id())) {
      fs::remove(folder.path(), ignored);
      continue;
    }
    auto lock = runlog::FolderLock::take(folder);
    if (lock) return LockedFolder{std::move(folder), std::move(*lock)};
    fs::remove_all(folder.path(), ignored);
    return pass(lock);
  }
}

std::vector<RunFolder> folders_of(const std::vector<LockedFolder>& runs) {
  std::vector<RunFolder> folders;
  for (const LockedFolder& run : runs) folders.push_back(run.folder);
  return folders;
}

std::string tail_of(const fs::path& path) {
  auto text = read_text(path);
  if (!text || text->empty()) return "it printed nothing";
  while (text->ends_with('\n')) text->pop_back();
  return text->size() <= kLogTailBytes ? *text : "..." + text->substr(text->size() - kLogTailBytes);
}

// Waits for agent.json in the last folder. The agent writes it into every folder before it runs
// anything and removes them in the same order; the reason why a run waits is in its log before
// that. A very short run may already be over, but has left its log.
Result<void> wait_for_agent(const std::vector<RunFolder>& folders, std::int32_t pid, Node node,
                            const Cancelled& cancelled, std::int64_t come_up_ns = kComeUpNs) {
  std::int64_t unwanted_ns = 0;  // time of the cancellation
  const std::int64_t deadline_ns = mono_now_ns() + come_up_ns;
  const std::uint64_t started_ticks = wire::process_start_ticks(pid);
  const RunFolder& last = folders.back();
  const auto agent_log = folders.front().agent_log_path(node);
  while (mono_now_ns() < deadline_ns) {
    const std::uint64_t ticks = wire::process_start_ticks(pid);
    const auto endpoint = wire::read_agent_endpoint(last.agent_path(node));
    if (endpoint && wire::is_alive(*endpoint)) return {};
    if (ticks == 0 || ticks != started_ticks) {
      std::error_code ignored;
      if (fs::exists(last.log_path(node), ignored)) return {};
      return failure("the agent exited before the run started: " + tail_of(agent_log));
    }
    if (unwanted_ns == 0 && cancelled && cancelled()) unwanted_ns = mono_now_ns();
    if (unwanted_ns != 0 && mono_now_ns() - unwanted_ns > kStopTimeoutNs)
      ::kill(pid, mono_now_ns() - unwanted_ns > 2 * kStopTimeoutNs ? SIGKILL : SIGTERM);
    pause_ns(2'000'000);
  }
  return failure("the agent (pid " + std::to_string(pid) + ") did not start the run within " +
                 std::to_string(come_up_ns / 1'000'000'000) + " s: " + tail_of(agent_log));
}

/// Settings in their stored form; the program's secrets are stored separately.
Result<std::string> settings_of(messages::RunSpec spec, const RunFolder& folder) {
  auto hidden = RINGSIDE_TRY(runlog::without_secrets(folder, spec.program));
  spec.program = std::move(hidden);
  std::string settings = messages::to_toml(spec);
  if (is_utf8(settings)) return settings;
  return bad_request("a path or a name in the settings is not UTF-8, in which they are stored: \"" +
                     printable_line(spec.program.cwd) + "\"; give it another name");
}

/// Refuses settings that inject a fault, which may be in a recipe from somebody else, unless that
/// was allowed.
Result<void> check_fault_allowed(const messages::RunSpec& spec) {
  const char* allowed = std::getenv(messages::kAllowFaults);
  if (!spec.inject.any() || (allowed != nullptr && std::string_view(allowed) == "1")) return {};
  return bad_request("inject.fault = \"" + spec.inject.fault + "\" makes a fault on purpose; set " +
                     messages::kAllowFaults +
                     "=1 in the environment to allow it, or leave the section [inject] out");
}

/// Devices in the settings of a run; defaults if they cannot be read, since the agent then reports
/// the error.
messages::DevicesSpec devices_of(const RunFolder& folder) {
  const auto text = read_text(folder.spec_path());
  auto spec = text ? messages::parse_run_spec(*text, folder.spec_path().string())
                   : Result<messages::RunSpec>(pass(text));
  return spec ? std::move(spec->devices) : messages::DevicesSpec();
}

bool is_on_several_nodes(const LockedFolder& run) { return devices_of(run.folder).nodes > 1; }

/// The runs whose other nodes are also on this host.
std::vector<RunFolder> with_virtual_nodes(const std::vector<RunFolder>& runs, Node node) {
  std::vector<RunFolder> found;
  for (const RunFolder& run : runs) {
    const messages::DevicesSpec devices = devices_of(run);
    if (devices.virtual_nodes && node < devices.nodes) found.push_back(run);
  }
  return found;
}

/// Starts the agents of all virtual nodes but the first, which is running.
Result<void> start_virtual_nodes(const fs::path& agent, const std::vector<RunFolder>& runs,
                                 const Cancelled& cancelled) {
  for (Node node = 1;; ++node) {
    const auto folders = with_virtual_nodes(runs, node);
    if (folders.empty()) return {};
    std::vector<std::string> argv{agent.string(), "--node", std::to_string(node)};
    for (const RunFolder& folder : folders) argv.push_back(folder.path().string());
    const auto pid = RINGSIDE_TRY(start_detached(argv, folders.front().agent_log_path(node)));
    if (auto begun = wait_for_agent(folders, pid, node, cancelled); !begun) return begun;
  }
}

/// Waits for the agent of node 0, then starts those of virtual nodes. If one of them does not
/// start, the run is ended.
Result<void> wait_for_all(const fs::path& agent, const std::vector<RunFolder>& runs,
                          std::int32_t pid, const Cancelled& cancelled, bool on_tasks) {
  const std::uint64_t ticks = wire::process_start_ticks(pid);
  const std::int64_t come_up_ns = on_tasks ? kTasksComeUpNs : kComeUpNs;
  if (auto begun = wait_for_agent(runs, pid, 0, cancelled, come_up_ns); !begun) return begun;
  auto others = start_virtual_nodes(agent, runs, cancelled);
  if (!others && ticks != 0 && wire::process_start_ticks(pid) == ticks) ::kill(pid, SIGTERM);
  return others;
}

/// Passes the locks on to the agent, so that they are held without interruption.
Result<std::int32_t> start_agent(const fs::path& agent, const Plan& plan,
                                 const std::vector<LockedFolder>& runs) {
  std::vector<std::string> argv{agent.string()};
  if (!plan.fallback.empty()) argv.insert(argv.end(), {"--warning", plan.fallback});
  if (plan.keep_going) argv.emplace_back("--keep-going");
  if (plan.on_tasks) argv.emplace_back("--tasks");
  // Agents of the other nodes are started by hand or by the cluster.
  if (std::ranges::any_of(runs, is_on_several_nodes)) argv.insert(argv.end(), {"--node", "0"});
  for (const auto& run : runs) argv.push_back(run.folder.path().string());
  argv.emplace_back("--locks");
  std::vector<int> passed;
  for (const auto& run : runs) passed.push_back(run.lock.descriptor());
  for (const int fd : passed) argv.push_back(std::to_string(fd));
  const auto log = runs.front().folder.agent_log_path();
  return plan.on_tasks ? start_child(argv, log, passed) : start_detached(argv, log, passed);
}

}  // namespace

void remove_unused(const std::vector<RunFolder>& folders) {
  std::error_code ignored;
  for (const auto& folder : folders) {
    if (!fs::exists(folder.log_path(0), ignored)) fs::remove_all(folder.path(), ignored);
  }
}

Result<std::vector<LockedFolder>> make_folders(const Plan& plan, const fs::path& runs_dir,
                                               const Clock& clock) {
  for (const auto& run : plan.runs) {
    RINGSIDE_TRY(check_fault_allowed(run.spec));
  }
  runlog::forget_deleted_runs();
  std::vector<LockedFolder> runs;
  std::string baseline;
  for (const auto& run : plan.runs) {
    auto made = newest_folder(runs_dir, clock);
    if (!made) {
      remove_unused(folders_of(runs));
      return pass(made);
    }
    runs.push_back(std::move(*made));
    const RunFolder& folder = runs.back().folder;
    messages::RunSpec spec = run.spec;
    if (run.is_baseline) baseline = folder.id();
    if (!run.is_baseline && spec.baseline.mode == "run") spec.baseline.run = baseline;
    const auto settings = settings_of(spec, folder);
    auto written = settings ? write_text_atomically(folder.spec_path(), *settings)
                            : Result<void>(pass(settings));
    if (written) keep_program(folder, spec.program);
    const bool own = !run.preset_name.empty();
    const std::string& preset = own ? run.preset_name : plan.preset_name;
    if (written && !preset.empty()) {
      written = write_text_atomically(
          preset_copy_path(folder.path(), preset),
          hide_secrets(own ? run.preset_text : plan.preset_text,
                       secrets_of(spec.program.argv, spec.program.environment)));
    }
    if (!written) {
      remove_unused(folders_of(runs));
      return pass(written);
    }
  }
  return runs;
}

Result<Started> restart_run(const RunFolder& folder, const std::optional<messages::RunSpec>& spec,
                            const Cancelled& cancelled,
                            const std::function<Result<void>()>& on_tasks) {
  const auto agent = RINGSIDE_TRY(find_program("ringside-agent"));
  auto lock = RINGSIDE_TRY(runlog::FolderLock::take(folder));
  // The file is of a dead agent; it is removed, since a held lock means that its agent can be
  // asked.
  std::error_code ignored;
  fs::remove(folder.agent_path(), ignored);
  if (spec) {
    RINGSIDE_TRY(write_text_atomically(folder.spec_path(), messages::to_toml(*spec)));
  }
  const std::int32_t attempt = folder.attempts();
  std::vector<LockedFolder> runs;
  runs.push_back({folder, std::move(lock)});
  Plan plan;
  plan.on_tasks = on_tasks != nullptr;
  if (plan.on_tasks) {
    RINGSIDE_TRY(on_tasks());
  }
  const auto pid = RINGSIDE_TRY(start_agent(agent, plan, runs));
  runs.clear();  // lets an agent that dies release the lock
  RINGSIDE_TRY(wait_for_all(agent, {folder}, pid, cancelled, plan.on_tasks));
  // A short attempt may be over by now; one that never began has left no folder.
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  const bool there = endpoint && wire::is_alive(*endpoint);
  if (!there && folder.attempts() == attempt)
    return failure("the agent exited before the run started: " + tail_of(folder.agent_log_path()));
  return Started{{folder}, pid, plan.on_tasks};
}

Result<Started> start_folders(std::vector<LockedFolder> runs, const Plan& plan,
                              const Cancelled& cancelled) {
  std::vector<RunFolder> folders = folders_of(runs);
  const auto agent = RINGSIDE_TRY(find_program("ringside-agent"));
  const auto pid = RINGSIDE_TRY(start_agent(agent, plan, runs));
  runs.clear();  // lets an agent that dies release the locks
  RINGSIDE_TRY(wait_for_all(agent, folders, pid, cancelled, plan.on_tasks));
  for (const RunFolder& folder : folders)
    runlog::note_run(folder.path().parent_path(), {folder.id(), folder.id()});
  return Started{std::move(folders), pid, plan.on_tasks};
}

}  // namespace ringside::launch
