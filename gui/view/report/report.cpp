#include "gui/view/report/report.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/arrivals.h"
#include "gui/analysis/evaluation.h"
#include "gui/analysis/findings/detectors.h"
#include "gui/analysis/metric_figures.h"
#include "gui/analysis/step_parts.h"
#include "gui/analysis/work.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/fairness_words.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/group_table.h"
#include "gui/view/live/node_map.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/metric_cells.h"
#include "gui/view/probe_words.h"
#include "gui/view/report/arithmetic_table.h"
#include "gui/view/report/memory_table.h"
#include "gui/view/report/report_parts.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/view/words.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

constexpr std::size_t kShownRanks = 16;
Cell lr_cell(double lr) { return number_cell(lr, lr_text); }

Table epochs_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table = table_about(run, "epochs", "By epoch, learning rate as its steps used it");
  table.columns = {number_column("epoch", "epoch"),
                   number_column("lr_first", "lr"),
                   number_column("lr_last", "to"),
                   number_column("updates", "updates"),
                   number_column("train_loss", "train loss"),
                   number_column("train_accuracy", "train acc"),
                   number_column("val_loss", "val loss"),
                   number_column("val_accuracy", "val acc"),
                   number_column("val_correct", "right"),
                   number_column("val_counted", "of"),
                   number_column("train_seconds", "train", "s"),
                   number_column("evaluate_seconds", "eval", "s")};
  for (const auto& train : analysis::passes(model, messages::Phase::kTrain)) {
    const auto lr = analysis::lr_used(model, train.epoch);
    const auto val = analysis::pass_of(model, messages::Phase::kValidate, train.epoch);
    Step updates = 0;
    for (const Rank rank : model.ranks()) {
      const auto* entry = model.rank(rank)->epoch(messages::Phase::kTrain, train.epoch);
      if (entry != nullptr) updates = std::max<Step>(updates, entry->report.steps);
    }
    add_row(table,
            {count_cell(train.epoch + 1), lr_cell(lr.first), lr_cell(lr.last), count_cell(updates),
             number_cell(train.loss, loss_long_text), share_cell(train.accuracy()),
             number_cell(val ? val->loss : kUnknownNumber, loss_long_text),
             share_cell(val ? val->accuracy() : kUnknownNumber),
             val && val->correct >= 0 ? count_cell(val->correct) : unknown_cell(),
             val ? known_count_cell(val->counted) : unknown_cell(), seconds_cell(train.seconds),
             seconds_cell(val ? val->seconds : kUnknownNumber)});
  }
  return table;
}

/// All evaluations of a program that evaluates several times in an epoch; the table of epochs has
/// only the newest.
Table evaluations_table(const ReportRun& run) {
  Table table = table_about(run, "evaluations", "Every evaluation");
  table.columns = {number_column("epoch", "epoch"),
                   {"phase", ""},
                   number_column("after_step", "after step"),
                   number_column("loss", "loss"),
                   number_column("accuracy", "accuracy"),
                   number_column("correct", "right"),
                   number_column("counted", "of"),
                   number_column("seconds", "took", "s")};
  const auto& model = *run.model;
  for (const auto phase : {messages::Phase::kValidate, messages::Phase::kTest}) {
    const auto all = analysis::all_passes(model, phase);
    if (all.size() == analysis::passes(model, phase).size()) continue;
    for (const auto& one : all) {
      add_row(table, {count_cell(one.epoch + 1), word_cell(std::string(messages::name_of(phase))),
                      count_cell(one.last_step + 1), number_cell(one.loss, loss_long_text),
                      share_cell(one.accuracy()),
                      one.correct >= 0 ? count_cell(one.correct) : unknown_cell(),
                      known_count_cell(one.counted), seconds_cell(one.seconds)});
    }
  }
  return table;
}

Table losses_table(const ReportRun& run) {
  Table table = table_about(run, "rank_losses",
                            "Loss of each rank over its own samples, before any reduction");
  table.columns = {number_column("epoch", "epoch")};
  const auto& model = *run.model;
  if (model.world_size() < 2) return table;
  const auto ranks = model.ranks().first(std::min(model.ranks().size(), kShownRanks));
  for (const Rank rank : ranks)
    table.columns.push_back(number_column("rank_" + std::to_string(rank), rank_label(rank)));
  table.columns.push_back(number_column("gap", "spread"));
  for (const auto& epoch : analysis::losses_by_epoch(model)) {
    std::vector<Cell> row{count_cell(epoch.epoch + 1)};
    for (const Rank rank : ranks) {
      const auto found =
          std::ranges::find_if(epoch.ranks, [&](const auto& one) { return one.rank == rank; });
      row.push_back(
          number_cell(found == epoch.ranks.end() ? kUnknownNumber : found->loss, loss_long_text));
    }
    row.push_back(number_cell(epoch.gap, loss_long_text));
    add_row(table, std::move(row));
  }
  if (ranks.size() < model.ranks().size())
    table.notes.push_back("The spread is over all " + count_text(model.world_size()) + " ranks.");
  return table;
}

Table ranks_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table = table_about(run, "ranks", "Ranks, where they ran, and their steps");
  table.columns = {{"rank", "rank"},
                   number_column("node", "node"),
                   {"host", "host"},
                   {"device", "device"},
                   {"backend", "backend"},
                   number_column("step_p50_ms", "p50", "ms"),
                   number_column("step_p95_ms", "p95", "ms"),
                   number_column("idle_seconds", "idle", "s"),
                   number_column("idle_share", "idle"),
                   number_column("loss_scale", "loss scale"),
                   number_column("skipped_steps", "skipped")};
  const auto idle = analysis::idle_times(model);
  const auto timed = analysis::timed_steps(model);
  for (std::size_t i = 0; i < model.ranks().size(); ++i) {
    const auto& rank = *model.rank(model.ranks()[i]);
    const auto steps = analysis::step_times(model, rank.rank, timed.range);
    const auto ms = [](double ns) {
      return std::isnan(ns) ? unknown_cell() : Cell{ns / 1e6, decimal_text(ns / 1e6, 2)};
    };
    const auto figure = [&](model::Metric metric) {
      const auto& info = model::info_of(metric);
      return metric_cell(rank, info, {rank.newest_step, {}});
    };
    const std::string device =
        !rank.hello
            ? ""
            : rank.hello->device_name + (rank.hello->device_index < 0
                                             ? ""
                                             : " " + std::to_string(rank.hello->device_index));
    add_row(table,
            {rank_cell(rank.rank), count_cell(rank.node),
             word_cell(rank.hello ? rank.hello->host : ""), word_cell(device),
             word_cell(rank.hello ? rank.hello->backend : ""), ms(steps.p50_ns), ms(steps.p95_ns),
             seconds_cell(idle[i].idle_seconds), number_cell(idle[i].share(), percent1_text),
             figure(model::Metric::kLossScale), figure(model::Metric::kSkipped)});
  }
  std::vector<Cell> links;
  for (const Rank rank : model.ranks())
    links.push_back(word_cell(link_to_next(model, *model.rank(rank))));
  if (std::ranges::any_of(links, [](const Cell& cell) { return cell.text != kDash; })) {
    table.columns.push_back({"link", "link to next"});
    for (std::size_t i = 0; i < links.size(); ++i)
      table.rows[i].cells.push_back(std::move(links[i]));
  }
  if (timed.left_out > 0)
    table.notes.push_back("Step times leave out the first " + count_text(timed.left_out) +
                          " steps. Idle: share of the evaluated epochs in which the rank waited "
                          "for others to evaluate.");
  return table;
}

/// A row for each node; for a run on several nodes.
Table nodes_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table =
      build_node_table(model, build_rank_table(model, {}).table, run.damage.missing_nodes);
  table.run = run.id;
  if (table.rows.size() < 2 && model.spec().devices.nodes < 2) table.rows.clear();
  return table;
}

Table links_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table = table_about(run, "links", "How its GPUs reach each other, as nvidia-smi names it");
  table.columns = {number_column("node", "node"), {"from", "from"}, {"to", "to"}, {"link", "link"}};
  const auto devices = model.devices();
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      const auto& from = devices[a];
      const auto& to = devices[b];
      if (from.node != to.node) continue;
      const auto& link = model.link(from.node, from.latest.device_uuid, to.latest.device_uuid);
      if (link.empty()) continue;
      add_row(table,
              {count_cell(from.node), text_cell("GPU " + std::to_string(from.latest.device_index)),
               text_cell("GPU " + std::to_string(to.latest.device_index)), text_cell(link)});
    }
  }
  return table;
}

/// Adds the rest of a step that no part covers, such as an all-reduce that the program calls
/// itself, so that the columns add up.
void add_rest_column(const model::RunModel& model, analysis::StepRange timed, Table& table) {
  const auto parts = analysis::step_parts(model, timed);
  const auto known = [](const analysis::StepParts& rank) {
    return std::ranges::count(rank.known, true) > 1;
  };
  if (std::ranges::none_of(parts, known)) return;
  const auto cell = [&](const analysis::StepParts& rank) {
    return number_cell(rank.mean_ns(analysis::Part::kOther) / 1e6,
                       [](double ms) { return decimal_text(ms, 1); });
  };
  table.columns.push_back(number_column("other_ms", "in no part", "ms"));
  for (std::size_t i = 0; i < parts.size(); ++i) table.rows[i].cells.push_back(cell(parts[i]));
  for (TableRow& row : table.totals) row.cells.push_back(cell(analysis::mean_of(parts)));
}

/// Metrics that a rank reported, except those of the table above.
Table measured_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table = table_about(run, "rank_metrics", "What each rank measured, over all timed steps");
  const Step newest = model.newest_common_step();
  const analysis::StepRange timed = analysis::timed_steps(model).range;
  table.columns = {{"rank", "rank"}};
  for (const Rank rank : model.ranks()) add_row(table, {rank_cell(rank)});
  if (table.rows.size() > 1) table.totals.push_back({"All", {text_cell("All")}});
  for (const auto& info : model::kMetricInfos) {
    if (info.label.empty() || !std::isnan(info.at_rest)) continue;
    const analysis::FigureSteps steps{analysis::measured_step(model, info, newest), timed};
    std::vector<std::optional<double>> figures;
    for (const Rank rank : model.ranks())
      figures.push_back(analysis::metric_figure(*model.rank(rank), info, steps));
    if (std::ranges::none_of(figures, [](const auto& one) { return one.has_value(); })) continue;
    table.columns.push_back(metric_column(info, steps.newest == newest ? -1 : steps.newest));
    for (std::size_t i = 0; i < figures.size(); ++i)
      table.rows[i].cells.push_back(metric_cell(info, figures[i]));
    const auto all = analysis::metric_of_all(model, info, steps, figures);
    for (TableRow& row : table.totals) row.cells.push_back(all ? metric_cell(info, all) : Cell{});
  }
  add_rest_column(model, timed, table);
  if (table.columns.size() == 1) table.rows.clear();  // no rank reported a metric
  table.notes.push_back(
      "Times are means over the timed steps, the others of the newest step or of the one in their "
      "head. The table of "
      "ranks shows the last " +
      count_text(analysis::kRecentSteps) + " steps.");
  return table;
}

Table evaluation_table(const ReportRun& run) {
  Table table =
      table_about(run, "evaluation", "Newest evaluation, as reported and without repeats");
  table.columns = {{"rank", "rank"},
                   number_column("correct", "right"),
                   number_column("counted", "of"),
                   number_column("reported", "reported"),
                   number_column("repeats", "repeats"),
                   number_column("repeats_correct", "right"),
                   number_column("exact_correct", "right"),
                   number_column("exact_counted", "of"),
                   number_column("exact", "exact")};
  const auto evaluation = analysis::newest_evaluation(*run.model);
  if (!evaluation) return table;
  const auto four = [](double value) { return decimal_text(100 * value, 4) + " %"; };
  const auto known = [](const analysis::EvaluationShare& one, std::int64_t count) {
    return one.repeats_known ? count_cell(count) : unknown_cell();
  };
  const auto cells = [&](Cell label, const analysis::EvaluationShare& one) {
    return std::vector<Cell>{std::move(label),
                             count_cell(one.correct),
                             count_cell(one.counted),
                             number_cell(one.reported(), four),
                             known(one, one.padded),
                             known(one, one.padded_correct),
                             known(one, one.correct - one.padded_correct),
                             known(one, one.counted - one.padded),
                             number_cell(one.exact(), four)};
  };
  for (const auto& one : evaluation->ranks) add_row(table, cells(rank_cell(one.rank), one));
  table.totals = {{"all", cells(text_cell("all"), evaluation->total)}};
  const messages::RunSpec& spec = run.model->spec();
  table.notes.push_back(
      "After epoch " + count_text(evaluation->epoch + 1) +
      (spec.program.argv.empty() ? ", mode \"" + spec.evaluate.mode + "\"." : "."));
  if (!evaluation->total.repeats_known) table.notes.push_back(label::kRepeatsUnknown);
  return table;
}

Table metrics_table(const ReportRun& run) {
  Table table = table_about(run, "metrics", "Metrics that the program logged");
  table.columns = {{"name", "name"},
                   number_column("ranks", "ranks"),
                   number_column("values", "values"),
                   number_column("latest", "latest"),
                   number_column("step", "at step"),
                   {"mean", "mean over ranks"}};
  const std::int64_t first = messages::first_step_number(run.model->spec());
  for (const auto& name : run.model->scalars().names()) {
    std::size_t values = 0;
    for (std::size_t i = 0; i < name.ranks().size(); ++i) values += name.series(i).size();
    const auto latest = name.latest();
    const bool known = latest.step != model::kNoStep;
    const auto ranks = static_cast<std::int64_t>(name.ranks().size() - name.first_rank());
    add_row(table,
            {text_cell(name.name()), known_count_cell(ranks),
             count_cell(static_cast<std::int64_t>(values)),
             known ? Cell{latest.value, value_text(latest.value)} : unknown_cell(),
             known ? Cell{latest.step, value_step_text(latest.step, name.own_steps() ? 0 : first)}
                   : unknown_cell(),
             yes_no_cell(latest.mean)});
  }
  return table;
}

Table notes_table(const ReportRun& run) {
  Table table = table_about(run, "chart_notes", "Notes on the charts");
  table.columns = {number_column("step", "step"), {"text", "note"}};
  const std::int64_t first = messages::first_step_number(run.model->spec());
  for (const runs::ChartNote& note : run.notes)
    add_row(table, {{note.step, value_step_text(note.step, first)}, text_cell(note.text)});
  return table;
}

Table timeline_table(const ReportRun& run) {
  const auto& model = *run.model;
  Table table = table_about(run, "timeline", "Starts and checkpoints");
  table.columns = {number_column("seconds", "at", "s"), {"what", "what"},
                   number_column("ranks", "ranks"),     number_column("epoch", "epoch"),
                   number_column("step", "steps done"), {"path", "file"}};
  struct Event {
    std::int64_t at_ns;
    std::vector<Cell> cells;
  };
  std::vector<Event> events;
  const auto at = [&](std::int64_t ns) {
    return seconds_cell(static_cast<double>(ns - analysis::began_ns(model)) / 1e9);
  };
  for (const auto& begun : model.attempts()) {
    const std::string what = begun.first_step > 0 ? "resumed" : "started";
    events.push_back(
        {begun.at_ns,
         {at(begun.at_ns),
          word_cell(what + (begun.attempt > 0 ? ", attempt " + std::to_string(begun.attempt) : "")),
          count_cell(begun.world_size), unknown_cell(), count_cell(begun.first_step),
          unknown_cell()}});
  }
  for (const auto& saved : model.checkpoints()) {
    events.push_back({saved.stamp.mono_ns,
                      {at(saved.stamp.mono_ns), word_cell("checkpoint"), unknown_cell(),
                       count_cell(saved.checkpoint.epoch + 1), count_cell(saved.checkpoint.step),
                       word_cell(saved.checkpoint.path)}});
  }
  std::ranges::stable_sort(events,
                           [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
  for (auto& event : events) add_row(table, std::move(event.cells));
  return table;
}

// Findings that need two runs, of which neither is the other's baseline.
Table between_table(std::span<const ReportRun> runs) {
  Table table{"between_runs", "What the runs show of each other"};
  table.columns = {{"run", "run"}, {"other", "against"}, {"code", "finding"}, {"text", ""}};
  const auto add = [&](const ReportRun& run, const ReportRun& other,
                       const std::optional<analysis::Finding>& found) {
    if (!found) return;
    add_row(table, {{run.id, run.label},
                    {other.id, other.label},
                    word_cell(found->code),
                    word_cell(found->text)});
  };
  for (const auto& run : runs) {
    for (const auto& other : runs) {
      if (&run == &other || run.baseline == other.model) continue;
      add(run, other, analysis::slower_amp(*run.model, *other.model));
      if (other.model->world_size() == 1 && other.model->spec().devices.parallel == "ddp")
        add(run, other, analysis::slower_dp(*run.model, *other.model));
    }
  }
  return table;
}

}  // namespace

Table waterfall_table(const ReportRun& run) {
  Table table = build_waterfall_view(*run.model, run.baseline, has_ended(run)).table;
  table.run = run.id;
  return table;
}

/// Says where a loss that is NaN or Inf began, in the words of its alert.
void add_broken_loss(const model::RunModel& model, Table& table) {
  analysis::AlertLimits limits;
  limits.live = false;
  for (const auto& alert : analysis::alerts(model, model.last_ns(), limits)) {
    if (alert.kind != analysis::AlertKind::kLossNotFinite) continue;
    const EventView event = event_view(alert, model, nullptr);
    add_row(table, {word_cell(std::string(messages::name_of(alert.severity))),
                    word_cell(std::string(analysis::info_of(alert.kind).name)),
                    word_cell(plain(event.main) + " " + plain(event.aside))});
  }
}

Table findings_table(const ReportRun& run) {
  Table table = table_about(run, "findings", "What the records give away");
  table.columns = {{"severity", ""}, {"code", "finding"}, {"text", ""}};
  for (const auto& found : analysis::findings(*run.model, run.baseline)) {
    add_row(table, {word_cell(std::string(messages::name_of(found.severity))),
                    word_cell(found.code), word_cell(found.text)});
  }
  add_broken_loss(*run.model, table);
  return table;
}

std::vector<Table> run_tables(const ReportRun& run) {
  std::vector<Table> tables{waterfall_table(run), expected_table(run), epochs_table(run),
                            losses_table(run),    nodes_table(run),    ranks_table(run),
                            links_table(run),     measured_table(run), evaluations_table(run),
                            evaluation_table(run)};
  tables.push_back(group_table(*run.model));
  tables.back().run = run.id;
  for (auto* about : {memory_table, arithmetic_table}) {
    tables.push_back(about(*run.model));
    tables.back().run = run.id;
  }
  for (auto& table : sample_tables(run)) tables.push_back(std::move(table));
  tables.push_back(metrics_table(run));
  tables.push_back(notes_table(run));
  tables.push_back(timeline_table(run));
  tables.push_back(findings_table(run));
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::vector<Table> build_report(std::span<const ReportRun> runs) {
  std::vector<Table> tables = card_tables(runs);
  for (const auto& run : runs) {
    // The card says already what is not fair.
    Verdict verdict;
    if (has_speedup(run)) verdict = fairness_verdict(*run.model, *run.baseline);
    for (auto& table : run_tables(run)) {
      if (verdict.unfair())
        std::erase_if(table.notes, [&verdict](const std::string& note) {
          return note == verdict.told() || note == verdict.more;
        });
      tables.push_back(std::move(table));
    }
  }
  tables.push_back(between_table(runs));
  if (!runs.empty()) {
    for (auto& table : experiment_tables(build_experiment_view(runs)))
      tables.push_back(std::move(table));
  }
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
