#include "gui/cli/print/live_text.h"

#include <array>
#include <string_view>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/progress.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/view/fairness_words.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/metric_cells.h"
#include "gui/view/number_format.h"

namespace ringside::cli {
namespace {

void add(std::string& line, const std::string& piece) {
  if (!line.empty()) line += "  ";
  line += piece;
}

std::string out_of(std::int64_t done, std::int64_t planned) {
  return view::count_text(done) + (planned > 0 ? "/" + view::count_text(planned) : "");
}

/// Figures of the baseline run, which was trained with this run or earlier.
runs::RunFigures baseline_figures(const std::vector<runs::RunSummary>& runs) {
  const auto& asked = runs.back();
  if (runs.front().folder.id() == runs::baseline_id(asked.folder, asked.spec))
    return runs.front().figures;
  const auto folder = runs::baseline_folder(asked.folder, asked.spec);
  if (!folder) return {};
  const auto spec = runs::read_spec(*folder);
  return spec ? runs::read_figures(*folder, *spec) : runs::RunFigures();
}

/// Why the speedup is worth less than it looks, or more; empty: it is fair, or that is unknown.
std::string unfair_line(const runs::RunSummary& run, bool color) {
  const auto baseline = runs::read_baseline(run.folder, run.spec);
  if (!baseline) return {};
  const auto read = runs::read_run(run.folder, run.spec);
  const auto verdict = view::fairness_verdict(*read.model, *baseline->model);
  if (!verdict.unfair()) return {};
  return painted(view::label::kNotFair + std::string(":"), verdict.tone, color) + " " +
         one_line(verdict.text) + "\n";
}

std::string speedup_line(const std::vector<runs::RunSummary>& runs, bool color) {
  const auto& asked = runs.back();
  const auto& figures = asked.figures;
  if (!(figures.speedup == figures.speedup)) {
    return figures.no_speedup.empty() ? "" : "No speedup: " + figures.no_speedup + "\n";
  }
  std::string line = "Speedup " +
                     painted(view::speedup_text(figures.speedup), view::Tone::kHigh, color) +
                     " on " + view::plural(asked.ranks, "rank", "ranks");
  const auto baseline = baseline_figures(runs);
  if (baseline.ranks > 1) line += " against " + std::to_string(baseline.ranks);
  line += ", efficiency " + view::percent_text(figures.efficiency);
  const double delta = figures.val_accuracy - baseline.val_accuracy;
  if (delta == delta) line += ", validation " + view::points_text(delta) + " against the baseline";
  return line + "\n" + unfair_line(asked, color);
}

}  // namespace

std::string progress_line(const model::RunModel& model, const view::RunContext& context) {
  const auto progress = analysis::progress(model, context.now_ns);
  std::string line;
  if (progress.steps_done == 0) {
    const auto& state = model.run_state();
    return state ? std::string(messages::name_of(state->state)) : "starting";
  }
  if (progress.epoch >= 0) add(line, "epoch " + out_of(progress.epoch + 1, progress.epochs));
  add(line, "step " + out_of(progress.steps_done, progress.steps_planned));
  const Step newest = model.newest_common_step();
  if (newest >= 0) {
    const auto& loss = model.mean_loss();
    const auto step = static_cast<std::size_t>(newest);
    if (loss.has(step)) add(line, "loss " + view::reported_text(loss, step, 3));
  }
  if (const auto pass = analysis::newest_validation(model))
    add(line, "val " + view::accuracy_text(pass->accuracy()));
  const double rate = analysis::throughput(model, analysis::recent_steps(model)).total_per_s;
  if (rate > 0) add(line, view::rate_text(rate) + " samples/s");
  if (progress.eta_s && *progress.eta_s >= 1)
    add(line, view::rough_duration_text(*progress.eta_s) + " left");
  return line;
}

std::string run_title(std::size_t index, std::size_t runs, bool is_baseline) {
  if (runs > 2) return "Run " + std::to_string(index + 1) + " of " + std::to_string(runs);
  return is_baseline ? "Baseline" : "Run";
}

std::string ended_line(std::size_t index, std::size_t runs, const std::string& name,
                       messages::State state, double took_s, std::optional<double> left_s) {
  std::string line = std::to_string(index + 1) + " of " + std::to_string(runs) + ": " +
                     one_line(name) + " " + std::string(messages::name_of(state)) + " after " +
                     view::rough_duration_text(took_s);
  if (left_s && *left_s > 0) line += "; about " + view::rough_duration_text(*left_s) + " left";
  return line + "\n";
}

std::string rank_table(const model::RunModel& model, const view::RunContext& context, bool color) {
  const view::Table table = view::rank_lines(model, context);
  return table.rows.empty() ? std::string() : table_text(table, color);
}

std::string failures_text(const std::vector<runs::RunSummary>& runs) {
  std::string text;
  for (const auto& run : runs) {
    if (run.state.word != "finished" && !run.state.detail.empty())
      text += runs::label_of(run) + " " + run.state.word + ": " + one_line(run.state.detail) + "\n";
    if (!run.figures.broken_loss.empty())
      text += runs::label_of(run) + ": " + run.figures.broken_loss + "\n";
    if (run.state.word == "finished" && !runs::succeeded(run))
      text += runs::label_of(run) +
              ": the loss at its end is NaN or Inf: it counts as failed, unless train.stop_on is "
              "\"never\"\n";
    if (run.state.word == "finished" && run.figures.steps == 0 && !run.spec.program.argv.empty()) {
      const auto read = runs::read_run(run.folder, run.spec);
      if (const std::string why = view::why_no_steps(*read.model); !why.empty())
        text += runs::label_of(run) + ": no step: " + one_line(why) + "\n";
    }
    if (run.figures.lost_records > 0)
      text += runs::label_of(run) + ": " + view::lost_records_text(run.figures.lost_records) + "\n";
  }
  return text;
}

std::string error_line(const session::AlertFacts& facts, bool color) {
  const auto name = [](analysis::AlertKind kind) { return analysis::info_of(kind).name; };
  // The failure of a rank is also in a notice of the agent.
  const bool told = facts.alert.starts_with("run_") ||
                    facts.alert == name(analysis::AlertKind::kLogProblem) ||
                    facts.alert == name(analysis::AlertKind::kRankFailed);
  if (facts.severity != messages::name_of(messages::Severity::kError) || told) return {};
  return painted(facts.severity, view::Tone::kError, color) + "  " + session::sentence_of(facts) +
         "\n";
}

std::string result_text(const std::vector<runs::RunSummary>& runs, bool color) {
  static constexpr std::array<std::string_view, 9> kPrinted{
      "number",        "name",          "world_size",   "global_batch", "state",
      "train_seconds", "samples_per_s", "val_accuracy", "final_loss"};
  std::string text = table_text(view::with_columns(run_table(runs), kPrinted), color) + "\n";
  text += failures_text(runs);
  text += speedup_line(runs, color);
  const auto& folder = runs.back().folder;
  const std::string where = where_found(folder.path().parent_path());
  if (!runs.back().spec.program.argv.empty())
    text += "Output  ringside tail " + folder.id() + where + "\n";
  text += "Folder  " + folder.path().string() + "\n";
  text += "CSV     ringside export " + folder.id() + " --csv DIR" + where + "\n";
  return text;
}

}  // namespace ringside::cli
