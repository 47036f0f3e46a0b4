#include "gui/session/export_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/export/attempt_tracker.h"
#include "gui/model/rank_model.h"
#include "gui/runs/missing_logs.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/shown_state.h"
#include "gui/session/asked_file.h"
#include "gui/session/report_runs.h"
#include "gui/session/trace/step_trace.h"
#include "gui/view/report/compare_page.h"
#include "gui/view/report/report_page.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_gap.h"
#include "protocol/runlog/run_reader.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

/// Forwards records and counts the lost ones, as a model would.
class LossCounter final : public messages::RecordSink {
 public:
  explicit LossCounter(messages::RecordSink& to) : to_(to) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    to_.accept(stamp, record);
    const bool agent = stamp.rank == kNoRank;
    model::count_record(senders_[{agent ? stamp.node : 0, stamp.rank}], stamp.seq, record);
    const auto* notice = std::get_if<messages::Notice>(&record);
    if (notice != nullptr && notice->code == runlog::kLogGap)
      told_ += runlog::log_gap_records(notice->text);
  }
  std::uint64_t lost() const {
    std::uint64_t lost = 0;
    for (const auto& [sender, counts] : senders_) lost += counts.lost;
    return std::max(told_, lost);
  }

 private:
  messages::RecordSink& to_;
  std::map<std::pair<Node, Rank>, model::SenderCounts> senders_;
  std::uint64_t told_ = 0;  ///< reported by the agent, for the times when it could not write
};

template <class Exporter>
auto read_through(Exporter& exporter, const runlog::RunFolder& folder,
                  const runlog::ReadWatch& watch, Attempts attempts)
    -> Result<Exported<typename decltype(exporter.finish())::value_type>> {
  using Summary = typename decltype(exporter.finish())::value_type;
  // The agent is checked before the log, so that one that ends in between does not count as gone.
  const auto presence = runs::agent_presence(folder);
  const bool left =
      presence == runs::AgentPresence::kGone || presence == runs::AgentPresence::kLeft;
  exporting::NewestAttempt newest;
  if (attempts == Attempts::kLast) {
    RINGSIDE_TRY(runlog::read_run(folder, newest, watch));
  }
  exporting::OneAttempt last(exporter, newest.attempt());
  LossCounter counter(attempts == Attempts::kLast ? static_cast<messages::RecordSink&>(last)
                                                  : exporter);
  runs::LogEndWatch end(counter);
  const auto log = RINGSIDE_TRY(runlog::read_run(folder, end, watch));
  auto summary = RINGSIDE_TRY(exporter.finish());
  const auto spec = runs::read_spec(folder);
  const runs::LogEnd ends = end.end();
  return Exported<Summary>{
      std::move(summary),
      {log, ends, left, counter.lost(), false,
       runs::missing_logs(folder, spec.value_or(messages::RunSpec()), ends.ranks_spoke)}};
}

}  // namespace

Result<Exported<exporting::CsvSummary>> export_csv(const runlog::RunFolder& folder,
                                                   const fs::path& to,
                                                   const exporting::CsvChoice& choice,
                                                   const runlog::ReadWatch& watch,
                                                   Attempts attempts, bool replace) {
  auto exporter = RINGSIDE_TRY(exporting::CsvExporter::create(to, folder.id(), choice, replace));
  return read_through(*exporter, folder, watch, attempts);
}

Result<Exported<exporting::TensorBoardSummary>> export_tensorboard(const runlog::RunFolder& folder,
                                                                   const fs::path& to,
                                                                   const runlog::ReadWatch& watch,
                                                                   Attempts attempts) {
  auto exporter = RINGSIDE_TRY(exporting::TensorBoardExporter::create(to, folder.id()));
  return read_through(*exporter, folder, watch, attempts);
}

Result<Exported<TraceSummary>> export_trace(const runlog::RunFolder& folder, const fs::path& to,
                                            analysis::StepRange steps, bool replace,
                                            const runlog::ReadWatch& watch) {
  RINGSIDE_TRY(make_way(to, replace));
  const auto spec = runs::read_spec(folder);
  const runs::ReadRun read = runs::read_run(folder, spec.value_or(messages::RunSpec()), watch);
  if (!read.problem.empty()) return failure(read.problem);
  const Step newest = analysis::newest_step(*read.model);
  if (newest < 0) return bad_request("the run has no steps yet");
  if (steps.count() == 0) steps = {std::max<Step>(0, newest + 1 - kTraceSteps), newest + 1};
  if (steps.begin > newest)
    return bad_request("--steps: the run's newest step is " + std::to_string(newest));
  const StepTrace trace = step_trace(*read.model, steps, folder.id());
  if (watch && !watch(1, 1)) return failure("the export was cancelled");
  RINGSIDE_TRY(write_text_atomically(to, trace.json));
  return Exported<TraceSummary>{{to.parent_path(),
                                 {{to.filename().string(), trace.events, trace.json.size()}},
                                 trace.steps,
                                 trace.events,
                                 trace.json.size()},
                                read.damage};
}

Result<ReportFile> export_report(const fs::path& runs_dir, const std::vector<std::string>& names,
                                 const fs::path& to, bool replace, const runlog::ReadWatch& watch) {
  // Checked before the work; the move at its end replaces whatever was created there meanwhile.
  RINGSIDE_TRY(make_way(to, replace));
  const auto read = RINGSIDE_TRY(ReportRuns::read(runs_dir, names, watch));
  const std::string page = view::report_page(read.runs(), written_text());
  if (watch && !watch(1, 1)) return failure("the report was cancelled");
  RINGSIDE_TRY(write_text_atomically(to, page));
  return ReportFile{to, page.size()};
}

Result<ReportFile> export_comparison(const std::vector<view::ComparedRun>& runs,
                                     const view::CompareChoice& choice,
                                     const std::vector<std::string>& figures, const fs::path& to,
                                     bool replace) {
  RINGSIDE_TRY(make_way(to, replace));
  const std::string page = view::compare_page(runs, choice, figures, written_text());
  RINGSIDE_TRY(write_text_atomically(to, page));
  return ReportFile{to, page.size()};
}

Result<ReportFile> export_runs(const fs::path& runs_dir, const std::vector<std::string>& ids,
                               const fs::path& to, const runlog::ReadWatch& watch) {
  for (const std::string& id : ids) {
    const auto written =
        export_csv(runlog::RunFolder(runs_dir / id), to / id, exporting::all_csv_tables(), watch);
    if (!written) return pass(written);
  }
  return export_report(runs_dir, ids, to / (ids.back() + ".html"), true, watch);
}

}  // namespace ringside::session
