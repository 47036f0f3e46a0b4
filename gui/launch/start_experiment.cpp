#include "gui/launch/start_experiment.h"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

#include "gui/launch/detached.h"
#include "gui/launch/places.h"
#include "protocol/base/byte_file.h"
#include "protocol/wire/agent_card.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

constexpr std::int64_t kComeUpNs = 20'000'000'000;
constexpr std::size_t kLogTailBytes = 2000;

// Ids are made of the second and chance. Those of one experiment must ascend, so that `last` is the run that was asked
// for and not its baseline: a smaller one is given back and drawn again.
Result<RunFolder> folder_after(const std::string& previous, const fs::path& runs_dir, const Clock& clock) {
  for (;;) {
    auto folder = runlog::create_run_folder(runs_dir, clock);
    if (!folder || folder->id() > previous) return folder;
    std::error_code ignored;
    fs::remove(folder->path(), ignored);
  }
}

void remove_unused(const std::vector<RunFolder>& folders) {
  std::error_code ignored;
  for (const auto& folder : folders) {
    if (!fs::exists(folder.log_path(0), ignored)) fs::remove_all(folder.path(), ignored);
  }
}

std::string tail_of(const fs::path& path) {
  auto text = read_text(path);
  if (!text || text->empty()) return "it said nothing";
  while (text->ends_with('\n')) text->pop_back();
  return text->size() <= kLogTailBytes ? *text : "..." + text->substr(text->size() - kLogTailBytes);
}

bool has_begun(const RunFolder& folder) {
  const auto card = wire::read_card(folder.agent_path());
  return card && wire::is_alive(*card);
}

// The agent writes agent.json before it runs anything; a very short run may be over, and the file gone, before we look.
Result<void> wait_for_agent(const RunFolder& first, std::int32_t pid) {
  const std::int64_t deadline_ns = mono_now_ns() + kComeUpNs;
  const std::uint64_t started_ticks = wire::process_start_ticks(pid);
  while (mono_now_ns() < deadline_ns) {
    if (has_begun(first)) return {};
    const std::uint64_t ticks = wire::process_start_ticks(pid);
    if (ticks == 0 || ticks != started_ticks) {
      std::error_code ignored;
      if (fs::exists(first.log_path(0), ignored)) return {};
      return failure("the agent ended before it began: " + tail_of(first.agent_log_path()));
    }
    const timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return failure("the agent (pid " + std::to_string(pid) + ") did not begin within " +
                 std::to_string(kComeUpNs / 1'000'000'000) + " s: " + tail_of(first.agent_log_path()));
}

}  // namespace

Result<std::vector<RunFolder>> make_folders(const Plan& plan, const fs::path& runs_dir, const Clock& clock) {
  std::vector<RunFolder> folders;
  std::string baseline;
  for (const auto& run : plan.runs) {
    auto folder = folder_after(folders.empty() ? "" : folders.back().id(), runs_dir, clock);
    if (!folder) {
      remove_unused(folders);
      return pass(folder);
    }
    folders.push_back(*folder);
    messages::RunSpec spec = run.spec;
    if (run.is_baseline) baseline = folder->id();
    if (!run.is_baseline && spec.baseline.mode == "run") spec.baseline.run = baseline;
    if (const auto written = write_text_atomically(folder->spec_path(), messages::to_toml(spec)); !written) {
      remove_unused(folders);
      return pass(written);
    }
  }
  return folders;
}

Result<Experiment> start_experiment(const Plan& plan, const fs::path& runs_dir, const Clock& clock) {
  const auto agent = find_program("ringside-agent");
  if (!agent) return pass(agent);
  auto folders = make_folders(plan, runs_dir, clock);
  if (!folders) return pass(folders);
  std::vector<std::string> argv{agent->string()};
  for (const auto& folder : *folders) argv.push_back(folder.path().string());
  auto pid = start_detached(argv, folders->front().agent_log_path());
  if (pid) {
    if (auto begun = wait_for_agent(folders->front(), *pid); !begun) pid = pass(begun);
  }
  if (!pid) {
    remove_unused(*folders);
    return pass(pid);
  }
  return Experiment{std::move(*folders), *pid};
}

}  // namespace ringside::launch
