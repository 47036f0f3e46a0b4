#include "gui/cli/machines/slurm_run.h"

#include <cstdint>
#include <optional>

#include "gui/cli/print/terminal.h"
#include "gui/cli/watch.h"
#include "gui/launch/paths.h"
#include "gui/place/run_place.h"
#include "gui/runs/catalogue.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/options.h"
#include "gui/slurm/steps.h"
#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"

namespace ringside::cli {
namespace {

bool has_agent(const runlog::RunFolder& folder) {
  const auto presence = runs::presence_beside(runs::agent_presence(folder), place::news_of(folder));
  return presence == runs::AgentPresence::kAlive || presence == runs::AgentPresence::kElsewhere;
}

/// One run of those that were started, from the queue to its end.
class JobWatch {
 public:
  JobWatch(const launch::Started& started, std::size_t index, const launch::PlannedRun& run,
           const Interrupts& interrupts, const std::string& on_alert, std::int32_t since_attempt)
      : folder_(started.folders[index]),
        behind_(started.folders.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                started.folders.end()),
        interrupts_(interrupts),
        on_alert_(on_alert),
        since_attempt_(since_attempt) {
    plan_.runs.push_back(run);
  }

  void follow() {
    while (!interrupts_.leaving()) {
      if (has_agent(folder_)) {
        watch_runs({{folder_}, 0}, plan_, interrupts_, on_alert_, since_attempt_, behind_);
        // If Slurm restarts the job, its log is read from the beginning, and what was printed of
        // earlier attempts is not printed twice.
        since_attempt_ = folder_.attempts();
        told_.clear();
      } else if (has_ended()) {
        return;
      } else {
        wait_on();
      }
    }
  }

 private:
  /// A place may start a run again that was ended by a signal: its next answer tells.
  bool is_sure(const runs::RunSummary& run, const std::optional<launch::News>& news) const {
    const auto& state = run.figures.state;
    if (!news || !state || launch::is_over(news->phase) || interrupts_.count() > 0) return true;
    const bool may_go_on = state->state != messages::State::kFinished;
    return !may_go_on || news->told_wall_ns > state->wall_ns;
  }

  /// The log is read again only when something in the folder or the queue has changed.
  bool has_ended() {
    place::refresh(folder_.path().parent_path(), [this] { return interrupts_.leaving(); });
    const auto news = place::news_of(folder_);
    const std::uint64_t bytes = folder_.log_bytes();
    if (looked_ && news == news_ && bytes == bytes_) return ended_;
    looked_ = true;
    news_ = news;
    bytes_ = bytes;
    const auto run = runs::read_summary({folder_, 0});
    ended_ = run.state.ended && !has_agent(folder_) && is_sure(run, news);
    if (!ended_ && run.state.detail != told_) {
      told_ = run.state.detail;
      print(stderr, (run.state.word == "queued" ? "Queued " : "Starting ") + one_line(told_) +
                        ". Ctrl-C takes it out of the queue.\n");
    }
    return ended_;
  }

  void wait_on() {
    if (interrupts_.count() > passed_on_) {
      passed_on_ = interrupts_.count();
      take_out(behind_);
      const auto asked = place::ask_stop(folder_, wire::StopMode::kNow);
      if (!asked) report(asked.error());
    }
    pause_ns(200'000'000);
  }

  runlog::RunFolder folder_;
  std::vector<runlog::RunFolder> behind_;
  launch::Plan plan_;
  const Interrupts& interrupts_;
  const std::string& on_alert_;
  std::int32_t since_attempt_;
  std::optional<launch::News> news_;
  std::uint64_t bytes_ = 0;
  std::string told_;
  int passed_on_ = 0;
  bool looked_ = false;
  bool ended_ = false;
};

slurm::Options typed(const SlurmOptions& options) {
  slurm::Options typed = options.typed;
  typed.nodes = options.nodes;
  typed.gpus_per_node = options.gpus_per_node;
  return typed;
}

}  // namespace

void add_slurm_options(Command& command, SlurmOptions& options) {
  command.add_flag(
      "--slurm", options.on,
      "As a job of Slurm: an agent on each node, the ranks beside it; the baseline and each run of "
      "a study are jobs of their own. Inside an allocation (salloc, a job's script): as its steps");
  for (const slurm::TextOption& one : slurm::kTextOptions) {
    command.add_option(slurm::option_of(one), options.typed.*one.value, one.help).type("TEXT");
  }
  command.add_option("--nodes", options.nodes, "With --slurm: nodes, as devices.nodes")
      .type("N")
      .range(1, 4096);
  command
      .add_option("--gpus-per-node", options.gpus_per_node,
                  "With --slurm: GPUs, with a rank for each")
      .type("N")
      .range(1, 64);
  command
      .add_option("--sbatch-option", options.typed.more,
                  "Any other option of sbatch, e.g. mem=8G or no-requeue (repeatable)")
      .type("NAME[=VALUE]")
      .repeatable();
}

place::PlacePtr place_of(const SlurmOptions& options, const launch::Cancelled& cancelled) {
  if (!options.on) return place::here();
  return place::on_slurm(typed(options), slurm::ask_allocation(cancelled));
}

std::string allocation_note(const SlurmOptions& options) {
  const auto allocation = slurm::own_allocation();
  if (options.on || !allocation || allocation->nodes < 2) return {};
  return "this is inside Slurm job " + allocation->job + " on " +
         std::to_string(allocation->nodes) +
         " nodes, and the run stays on this machine; --slurm takes them all";
}

Result<void> check_slurm_options(const SlurmOptions& options) {
  if (!options.on) {
    if (typed(options) == slurm::Options{}) return {};
    return bad_request("options of Slurm need --slurm");
  }
  RINGSIDE_TRY(slurm::check_options(typed(options)));
  RINGSIDE_TRY(slurm::own_allocation() ? launch::find_on_path("srun") : slurm::find_sbatch());
  return {};
}

Result<int> print_dry_run(const std::vector<TitledSettings>& runs,
                          const Result<std::vector<place::Preview>>& shown, bool json) {
  if (!json) print_settings(runs);
  if (!shown) return pass(shown);
  if (json) {
    Json told{{"runs", settings_json(runs)}};
    for (const place::Preview& one : *shown) told["jobs"].push_back(one.argv);
    print(stdout, dump(told) + "\n");
    return 0;
  }
  for (const place::Preview& one : *shown)
    print(stdout, "# " + one.title + "\n" + shell_words(one.argv) + "\n");
  // The script on the first node of each job, the same for all.
  if (!shown->empty())
    print(stdout, "\n# " + std::string(slurm::kScriptFile) + "\n" + slurm::kScript);
  return 0;
}

void tell_jobs(const launch::Started& started) {
  for (const auto& folder : started.folders) {
    const auto file = slurm::read_job_file(folder);
    if (!file) continue;
    const std::string what = file->is_step ? "Inside Slurm job " + file->job + " is run "
                                           : "Slurm has job " + file->job + " for run ";
    print(stderr, what + folder.id() + ".\n");
  }
}

void stay(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
          const std::string& on_alert, std::int32_t since_attempt) {
  if (started.folders.empty()) return;
  if (started.on_tasks || !place::news_of(started.folders.front()))
    return watch_runs(started, plan, interrupts, on_alert, since_attempt);
  for (std::size_t i = 0; i < started.folders.size(); ++i)
    JobWatch(started, i, plan.runs[i], interrupts, on_alert, since_attempt).follow();
}

}  // namespace ringside::cli
