#include "gui/runs/run_figures.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/final_loss.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/analysis/stops.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/missing_logs.h"
#include "gui/runs/shown_state.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/watched.h"
#include "protocol/runlog/log_gap.h"
#include "protocol/runlog/program_files.h"
#include "protocol/runlog/run_reader.h"
#include "protocol/runlog/unsent_log.h"

namespace ringside::runs {
namespace {

void compare(runs::RunFigures& figures, const model::RunModel& model,
             const model::RunModel* baseline, bool ended) {
  if (baseline == nullptr) return;
  const auto compared = analysis::speedup(model, baseline, ended);
  if (compared.missing != analysis::NoSpeedup::kNone) {
    figures.no_speedup = compared.why;
    return;
  }
  figures.speedup = compared.speedup;
  figures.efficiency = compared.efficiency;
  figures.fair = analysis::is_fair(analysis::unfair(model, *baseline), model, *baseline);
}

// Start of the run: when the log and the agent begin, or, if the run had to wait, when it left the
// queue. 0 while it waits.
std::int64_t started_wall_ns(const model::RunModel& model, const runlog::LogIdentity& identity) {
  bool waited = false;
  for (const model::StateChange& change : model.run_states()) {
    const bool waits = change.state.state == messages::State::kQueued;
    if (!waits)
      return waited ? identity.wall_ns + change.at_ns - identity.mono_ns : identity.wall_ns;
    waited = true;
  }
  return waited ? 0 : identity.wall_ns;
}

// Origin of a broken loss, according to the gradients.
std::string where_it_began(const model::RunModel& model) {
  const auto gradient = analysis::broken_gradient(model);
  if (!gradient || gradient->ranks.size() != 1) return {};
  return ", begun in the gradient of rank " + std::to_string(gradient->ranks.front()) +
         " in step " + std::to_string(gradient->step + 1);
}

// One sentence about the first step, over all ranks, whose loss was NaN or Inf.
std::string broken_loss(const model::RunModel& model) {
  const auto broken = analysis::broken_loss(model);
  if (!broken) return {};
  const bool alone = broken->ranks.size() == 1;
  return "the loss first became NaN or Inf in step " +
         std::to_string(broken->step + messages::first_step_number(model.spec())) +
         (alone ? " of rank " + std::to_string(broken->ranks.front())
                : " of " + std::to_string(broken->ranks.size()) + " ranks") +
         "; " + std::to_string(broken->steps) + (broken->steps == 1 ? " step has" : " steps have") +
         " it" + where_it_began(model);
}

// Other tools may begin to count steps at any number and leave some out, so existing steps are
// counted.
std::int64_t steps_of_files(const model::RunModel& model) {
  std::uint64_t steps = 0;
  for (const Rank rank : model.ranks()) steps = std::max(steps, model.rank(rank)->steps_reported);
  return static_cast<std::int64_t>(steps);
}

// The larger of two numbers: records reported lost in a gap of the log, and records missing from
// the ranks' sequence numbers. The second are part of the first, as far as they can be seen.
std::uint64_t lost_records(const model::RunModel& model) {
  std::uint64_t told = 0;
  for (const auto& entry : model.notices()) {
    if (entry.notice.code == runlog::kLogGap) told += runlog::log_gap_records(entry.notice.text);
  }
  return std::max(told, model.lost_records());
}

// Points of the small chart beside a run in a list.
std::vector<float> spark_of(const model::Series& loss) {
  constexpr std::size_t kPoints = 48;
  std::vector<float> points;
  const std::size_t size = loss.size();
  const std::size_t count = std::min(size, kPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * size / count;
    const auto mean = loss.sum(begin, std::max(begin + 1, (i + 1) * size / count));
    if (mean.count > 0) points.push_back(static_cast<float>(mean.mean()));
  }
  return points;
}

// The most logged names that a list keeps per run; the charts show all of them.
constexpr std::size_t kMostLogged = 256;

std::map<std::string, double> logged_of(const model::ScalarStore& scalars) {
  std::map<std::string, double> logged;
  for (const model::ScalarName& name : scalars.names()) {
    if (logged.size() == kMostLogged) break;
    logged[name.name()] = name.latest().value;
  }
  return logged;
}

// Adds the records that ranks of the newest attempt could not send. A live agent adds them to the
// log itself.
void read_unsent(const runlog::RunFolder& folder, model::RunModel& model) {
  const std::int32_t attempt = folder.attempts() - 1;
  for (const Rank rank : folder.ranks_with_unsent(attempt)) {
    const model::RankModel* known = model.rank(rank);
    const bool heard = known != nullptr && known->hello && known->hello->attempt == attempt;
    [[maybe_unused]] const auto read =
        runlog::read_unsent(folder.unsent_path(attempt, rank),
                            {folder.id(), messages::node_of_rank(model.spec(), rank), rank,
                             heard ? known->counts.next_seq : 0},
                            model);
  }
}

}  // namespace

bool ended_in_nan(const runs::RunFigures& figures) {
  return !std::isfinite(figures.final_loss) && !figures.broken_loss.empty();
}

bool succeeded(const runs::RunSummary& run) {
  return run.state.word == "finished" &&
         !(ended_in_nan(run.figures) && analysis::nan_is_failure(run.spec));
}

std::string label_of(const runs::RunSummary& run) {
  return run.number > 0 ? "#" + std::to_string(run.number) : run.folder.id();
}

ReadRun read_run(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                 const runlog::ReadWatch& watch) {
  ReadRun run{spec, std::make_unique<model::RunModel>(spec), {}, {}, {}};
  run.model->set_program_parts(runlog::noted_program_files(folder).parts);
  const AgentPresence presence = agent_presence(folder);
  run.damage.left = presence == AgentPresence::kGone || presence == AgentPresence::kLeft;
  if (folder.logged_nodes().empty()) {
    run.damage.missing_nodes = missing_logs(folder, spec, false);
    return run;
  }
  auto reader = runlog::RunReader::open(folder);
  if (!reader) {
    run.problem = reader.error().message;
    return run;
  }
  constexpr std::uint64_t kBytesBetweenWatches = std::uint64_t{4} << 20;
  const std::uint64_t size = watch ? folder.log_bytes() : 0;
  LogEndWatch sink(*run.model);
  runlog::LogProgress& log = run.damage.log;
  while (!log.at_end && run.problem.empty()) {
    const auto progress =
        reader->poll(sink, watch ? kBytesBetweenWatches : runlog::LogReader::kNoLimit);
    if (!progress) {
      run.problem = progress.error().message;
      break;
    }
    log = *progress;
    if (watch && !watch(std::min(log.consumed_bytes, size), size))
      run.problem = "reading was cancelled";
  }
  if (log.at_end) log = reader->finish(sink);
  run.damage.end = sink.end();
  run.damage.missing_nodes = missing_logs(folder, spec, run.damage.end.ranks_spoke);
  run.identity = reader->identity();
  if (run.problem.empty() && agent_presence(folder) != AgentPresence::kAlive)
    read_unsent(folder, *run.model);
  run.damage.lost_records = lost_records(*run.model);
  const auto& notices = run.model->notices();
  run.damage.lost_more = std::ranges::any_of(
      notices, [](const auto& entry) { return entry.notice.code == messages::kNoGoodbye; });
  return run;
}

std::optional<runlog::RunFolder> baseline_folder(const runlog::RunFolder& folder,
                                                 const messages::RunSpec& spec) {
  const std::string id = baseline_id(folder, spec);
  if (id.empty() || id.find('/') != id.npos) return std::nullopt;
  runlog::RunFolder baseline(folder.path().parent_path() / id);
  std::error_code ignored;
  if (!std::filesystem::exists(baseline.spec_path(), ignored)) return std::nullopt;
  return baseline;
}

std::optional<ReadRun> read_baseline(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                                     const runlog::ReadWatch& watch) {
  const auto beside = baseline_folder(folder, spec);
  if (!beside) return std::nullopt;
  const auto its_spec = runs::read_spec(*beside);
  return its_spec ? std::optional(read_run(*beside, *its_spec, watch)) : std::nullopt;
}

runs::RunFigures figures_of(const model::RunModel& model, const runlog::LogIdentity& identity,
                            const model::RunModel* baseline) {
  runs::RunFigures figures;
  figures.state = model.run_state();
  if (!identity.run_id.empty()) {
    figures.started_wall_ns = started_wall_ns(model, identity);
    if (model.last_ns() != 0)
      figures.last_seen_wall_ns = identity.wall_ns + model.last_ns() - identity.mono_ns;
  }
  const auto times = analysis::run_times(model);
  figures.seconds = analysis::wall_seconds(model).value_or(runs::kUnknown);
  figures.train_seconds = times.training_s.value_or(runs::kUnknown);
  const double rate = analysis::throughput(model, analysis::timed_steps(model).range).total_per_s;
  if (rate > 0) figures.samples_per_s = rate;
  if (const auto last = analysis::newest_validation(model)) figures.val_accuracy = last->accuracy();
  if (const auto best = analysis::best_validation(model))
    figures.best_val_accuracy = best->accuracy();
  const Step newest = model.newest_common_step();
  figures.steps = messages::is_watched(model.spec()) ? steps_of_files(model) : newest + 1;
  figures.steps_planned = model.steps_planned();
  if (!model.attempts().empty()) figures.ranks = model.world_size();
  figures.final_loss = analysis::final_loss(model).loss;
  figures.broken_loss = broken_loss(model);
  figures.lost_records = lost_records(model);
  figures.loss = spark_of(model.mean_loss());
  figures.logged = logged_of(model.scalars());
  compare(figures, model, baseline, figures.state && messages::is_final(figures.state->state));
  return figures;
}

runs::RunFigures read_figures(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                              const runlog::ReadWatch& watch) {
  const ReadRun run = read_run(folder, spec, watch);
  const auto baseline = read_baseline(folder, spec, watch);
  auto figures = figures_of(*run.model, run.identity, baseline ? baseline->model.get() : nullptr);
  figures.problem = run.problem;
  return figures;
}

}  // namespace ringside::runs
