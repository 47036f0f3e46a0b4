#include "gui/runs/catalogue.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "gui/place/run_place.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/missing_logs.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/stopped_agent.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/runlog/copy_mark.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

std::int64_t global_batch_of(const messages::RunSpec& spec) {
  const std::int64_t ranks = std::max<std::int64_t>(spec.devices.world_size, 1);
  return spec.batch.meaning == "global" ? spec.batch.size / ranks * ranks : spec.batch.size * ranks;
}

// The arguments of an interpreter identify it better than its name: "python3 train.py".
std::string recipe_of(const messages::RunSpec& spec) {
  const auto& argv = spec.program.argv;
  if (argv.empty()) return spec.model.name + " · " + spec.data.name;
  std::string recipe = fs::path(argv[0]).filename().string();
  if (const std::string script = messages::program_name(argv); script != recipe)
    return recipe + " " + script;
  if (argv.size() > 1 && !argv[1].starts_with('-'))
    recipe += " " + fs::path(argv[1]).filename().string();
  return recipe;
}

/// Why the log has no state of a run that has begun; empty: the run has not begun.
std::string why_no_state(const RunSummary& run) {
  std::error_code ignored;
  if (!fs::exists(run.folder.path(), ignored)) return "its run folder is gone";
  if (fs::exists(run.folder.log_path(0), ignored))
    return "its log was cut off: it holds no state of the run any more";
  if (!run.folder.logged_nodes().empty())
    return "the log of node 0 is missing, which records the state of the run: it never began "
           "there, or "
           "the folder was copied incompletely";
  return has_begun(run.folder) ? "its log is missing: the folder was copied incompletely" : "";
}

/// Whether the folder is a copy with only the settings, which is enough for lists: its log is
/// copied when somebody opens the run.
bool has_settings_alone(const runlog::RunFolder& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.path(), error), end; !error && it != end;
       it.increment(error)) {
    if (it->path() != folder.spec_path() && it->path().filename() != runlog::kCopyMarkFile)
      return false;
  }
  return !error && runlog::is_copy(folder);
}

/// When data of a copy last arrived: its ctime, which programs cannot set. Modification times are
/// copied from the other machine, whose clock may differ.
std::optional<std::int64_t> arrived_wall_ns(const runlog::RunFolder& folder) {
  std::optional<std::int64_t> newest;
  for (const Node node : folder.logged_nodes()) {
    struct stat status {};
    if (::stat(folder.log_path(node).c_str(), &status) != 0) continue;
    const std::int64_t ns = wall_ns_of(times_of(status).changed);
    newest = std::max(newest.value_or(ns), ns);
  }
  return newest;
}

/// Age of the newest record.
double silent_s(const RunSummary& summary) {
  std::int64_t seen_ns = summary.figures.last_seen_wall_ns;
  const bool elsewhere = summary.presence == AgentPresence::kElsewhere;
  if (elsewhere && runlog::is_copy(summary.folder))
    seen_ns = arrived_wall_ns(summary.folder).value_or(seen_ns);
  return static_cast<double>(SystemClock().wall_ns() - seen_ns) * 1e-9;
}

Seen seen(const RunSummary& run) {
  Seen seen{run.figures.state, run.presence, silent_s(run), run.report};
  if (run.presence == AgentPresence::kAlive) seen.stopped_pid = stopped_agent(run.folder);
  const bool left = run.presence == AgentPresence::kGone || run.presence == AgentPresence::kLeft;
  if (run.figures.state || !left) return seen;
  seen.not_copied = has_settings_alone(run.folder);
  seen.no_record = why_no_state(run);
  return seen;
}

}  // namespace

Result<messages::RunSpec> read_spec(const runlog::RunFolder& folder) {
  const auto text = RINGSIDE_TRY(read_text(folder.spec_path()));
  auto spec = messages::parse_run_spec(text, folder.spec_path().string());
  if (!spec)
    spec.error().message +=
        " (settings of a run are written by ringside: by a newer one, or they "
        "were changed or damaged since)";
  return spec;
}

RunSummary read_folder(const ListedRun& run) {
  RunSummary summary{.folder = run.folder,
                     .number = run.number,
                     .name = {},
                     .labels = read_labels(run.folder),
                     .spec = {},
                     .recipe = {},
                     .state = {},
                     .figures = {},
                     .problem = {}};
  // The agent is checked before the log is read, so that one that ends in between does not count as
  // vanished.
  summary.presence = agent_presence(run.folder);
  summary.report = place::place_report(run.folder);
  if (auto spec = read_spec(run.folder)) {
    summary.spec = std::move(*spec);
    summary.baseline = baseline_id(run.folder, summary.spec);
    summary.name = messages::display_name(summary.spec);
    summary.foreign = !summary.spec.program.argv.empty();
    summary.recipe = recipe_of(summary.spec);
    summary.ranks = summary.spec.devices.world_size;
    if (!summary.foreign) summary.global_batch = global_batch_of(summary.spec);
  } else {
    summary.name = run.folder.id();
    summary.problem = spec.error().message;
    summary.spec_read = false;
  }
  if (!summary.labels.name.empty()) summary.name = summary.labels.name;
  return summary;
}

void add_figures(RunSummary& summary, RunFigures figures) {
  summary.figures = std::move(figures);
  // A script may start its ranks itself.
  if (summary.foreign) summary.ranks = std::max(summary.ranks, summary.figures.ranks);
  if (summary.problem.empty()) summary.problem = summary.figures.problem;
  summary.state = shown_state(seen(summary));
  summary.state.detail =
      name_runs(std::move(summary.state.detail), summary.folder.path().parent_path());
}

RunSummary read_summary(const ListedRun& run) {
  RunSummary summary = read_folder(run);
  add_figures(summary, read_figures(run.folder, summary.spec));
  return summary;
}

Result<std::vector<RunSummary>> read_summaries(const fs::path& runs_dir) {
  const auto listed = RINGSIDE_TRY(list_runs(runs_dir));
  std::vector<RunSummary> summaries;
  summaries.reserve(listed.size());
  for (auto run = listed.rbegin(); run != listed.rend(); ++run)
    summaries.push_back(read_summary(*run));
  return summaries;
}

}  // namespace ringside::runs
