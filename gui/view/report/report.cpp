#include "gui/view/report/report.h"

#include <algorithm>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/detectors.h"
#include "gui/analysis/evaluation.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/report/report_parts.h"
#include "gui/view/words.h"

namespace ringside::view {
namespace {

constexpr std::size_t kShownRanks = 16;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ReportCell lr_cell(double lr) { return number(lr, lr_text); }

ReportTable epochs_table(const ReportRun& run) {
  const auto& model = *run.model;
  ReportTable table{"epochs", "By epoch, learning rate as its steps used it", run.id, {}, {}, false,
                    {}};
  table.columns = {{"epoch", "epoch", true},
                   {"lr_first", "lr", true},
                   {"lr_last", "to", true},
                   {"updates", "updates", true},
                   {"train_loss", "train loss", true},
                   {"train_accuracy", "train acc", true},
                   {"val_loss", "val loss", true},
                   {"val_accuracy", "val acc", true},
                   {"val_correct", "right", true},
                   {"val_counted", "of", true},
                   {"train_seconds", "train s", true},
                   {"evaluate_seconds", "eval s", true}};
  for (const auto& train : analysis::passes(model, messages::Phase::kTrain)) {
    const auto lr = analysis::lr_used(model, train.epoch);
    const auto val = analysis::pass_of(model, messages::Phase::kValidate, train.epoch);
    Step updates = 0;
    for (const Rank rank : model.ranks()) {
      const auto* entry = model.rank(rank)->epoch(messages::Phase::kTrain, train.epoch);
      if (entry != nullptr) updates = std::max<Step>(updates, entry->report.steps);
    }
    table.rows.push_back(
        {whole(train.epoch + 1), lr_cell(lr.first), lr_cell(lr.last), whole(updates),
         number(train.loss, loss_long_text), share(train.accuracy()),
         number(val ? val->loss : kNan, loss_long_text), share(val ? val->accuracy() : kNan),
         val ? whole(val->correct) : unknown_cell(), val ? whole(val->counted) : unknown_cell(),
         seconds(train.seconds), seconds(val ? val->seconds : kNan)});
  }
  return table;
}

ReportTable losses_table(const ReportRun& run) {
  ReportTable table{"rank_losses",
                    "Loss of each rank over its own samples, before any reduction",
                    run.id,
                    {{"epoch", "epoch", true}},
                    {},
                    false,
                    {}};
  const auto& model = *run.model;
  if (model.world_size() < 2) return table;
  const auto ranks = model.ranks().first(std::min(model.ranks().size(), kShownRanks));
  for (const Rank rank : ranks)
    table.columns.push_back({"rank_" + std::to_string(rank), rank_label(rank), true});
  table.columns.push_back({"gap", "gap", true});
  for (const auto& epoch : analysis::losses_by_epoch(model)) {
    std::vector<ReportCell> row{whole(epoch.epoch + 1)};
    for (const Rank rank : ranks) {
      const auto found = std::find_if(epoch.ranks.begin(), epoch.ranks.end(),
                                      [&](const auto& one) { return one.rank == rank; });
      row.push_back(number(found == epoch.ranks.end() ? kNan : found->loss, loss_long_text));
    }
    row.push_back(number(epoch.gap, loss_long_text));
    table.rows.push_back(std::move(row));
  }
  if (ranks.size() < model.ranks().size())
    table.notes.push_back("The gap is over all " + count_text(model.world_size()) + " ranks.");
  return table;
}

ReportTable ranks_table(const ReportRun& run) {
  const auto& model = *run.model;
  ReportTable table{"ranks", "Ranks, where they ran, and their steps", run.id, {}, {}, false, {}};
  table.columns = {{"rank", "rank", false},           {"node", "node", true},
                   {"host", "host", false},           {"device", "device", false},
                   {"backend", "backend", false},     {"step_p50_ms", "p50 ms", true},
                   {"step_p95_ms", "p95 ms", true},   {"idle_seconds", "idle s", true},
                   {"idle_share", "idle", true},      {"loss_scale", "loss scale", true},
                   {"skipped_steps", "skipped", true}};
  const auto idle = analysis::idle_times(model);
  const auto timed = analysis::timed_steps(model);
  for (std::size_t i = 0; i < model.ranks().size(); ++i) {
    const auto& rank = *model.rank(model.ranks()[i]);
    const auto steps = analysis::step_times(model, rank.rank, timed.range);
    const auto ms = [](double ns) {
      return std::isnan(ns) ? unknown_cell() : ReportCell{decimal_text(ns / 1e6, 2), ns / 1e6};
    };
    const std::string device =
        !rank.hello
            ? ""
            : rank.hello->device_name + (rank.hello->device_index < 0
                                             ? ""
                                             : " " + std::to_string(rank.hello->device_index));
    table.rows.push_back({{rank_label(rank.rank), std::int64_t{rank.rank}},
                          whole(rank.node),
                          words(rank.hello ? rank.hello->host : ""),
                          words(device),
                          words(rank.hello ? rank.hello->backend : ""),
                          ms(steps.p50_ns),
                          ms(steps.p95_ns),
                          seconds(idle[i].idle_seconds),
                          number(idle[i].share(), percent1_text),
                          number(static_cast<double>(rank.loss_scale), lr_text),
                          whole(static_cast<std::int64_t>(rank.skipped_steps))});
  }
  if (timed.left_out > 0)
    table.notes.push_back("Step times leave out the first " + count_text(timed.left_out) +
                          " steps. Idle: share of the evaluated epochs in which the rank waited "
                          "for others to evaluate.");
  return table;
}

ReportTable evaluation_table(const ReportRun& run) {
  ReportTable table{"evaluation",
                    "Newest evaluation, as reported and without repeats",
                    run.id,
                    {},
                    {},
                    false,
                    {}};
  table.columns = {{"rank", "rank", false},          {"correct", "right", true},
                   {"counted", "of", true},          {"reported", "reported", true},
                   {"repeats", "repeats", true},     {"repeats_correct", "right", true},
                   {"exact_correct", "right", true}, {"exact_counted", "of", true},
                   {"exact", "exact", true}};
  const auto evaluation = analysis::newest_evaluation(*run.model);
  if (!evaluation) return table;
  const auto four = [](double value) { return decimal_text(100 * value, 4) + " %"; };
  const auto add = [&](ReportCell label, const analysis::EvaluationShare& one) {
    table.rows.push_back({std::move(label), whole(one.correct), whole(one.counted),
                          number(one.reported(), four), whole(one.padded),
                          whole(one.padded_correct), whole(one.correct - one.padded_correct),
                          whole(one.counted - one.padded), number(one.exact(), four)});
  };
  for (const auto& one : evaluation->ranks)
    add({rank_label(one.rank), std::int64_t{one.rank}}, one);
  add(words("all"), evaluation->total);
  table.notes.push_back("After epoch " + count_text(evaluation->epoch + 1) + ", mode \"" +
                        run.model->spec().evaluate.mode + "\".");
  return table;
}

ReportTable timeline_table(const ReportRun& run) {
  const auto& model = *run.model;
  ReportTable table{"timeline", "Beginnings and snapshots", run.id, {}, {}, false, {}};
  table.columns = {{"seconds", "at s", true},    {"what", "what", false},
                   {"ranks", "ranks", true},     {"epoch", "epoch", true},
                   {"step", "steps done", true}, {"path", "file", false}};
  struct Event {
    std::int64_t at_ns;
    std::vector<ReportCell> cells;
  };
  std::vector<Event> events;
  const auto at = [&](std::int64_t ns) {
    return seconds(static_cast<double>(ns - analysis::began_ns(model)) / 1e9);
  };
  for (const auto& begun : model.attempts()) {
    const std::string what = begun.first_step > 0 ? "resumed" : "started";
    events.push_back(
        {begun.at_ns,
         {at(begun.at_ns),
          words(what + (begun.attempt > 0 ? ", attempt " + std::to_string(begun.attempt + 1) : "")),
          whole(begun.world_size), unknown_cell(), whole(begun.first_step), unknown_cell()}});
  }
  for (const auto& saved : model.checkpoints()) {
    events.push_back({saved.stamp.mono_ns,
                      {at(saved.stamp.mono_ns), words("snapshot"), unknown_cell(),
                       whole(saved.checkpoint.epoch + 1), whole(saved.checkpoint.step),
                       words(saved.checkpoint.path)}});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
  for (auto& event : events) table.rows.push_back(std::move(event.cells));
  return table;
}

// What only two runs beside each other show: a run that is no baseline of the other.
ReportTable between_table(std::span<const ReportRun> runs) {
  ReportTable table{"between_runs", "What the runs show of each other", {}, {}, {}, false, {}};
  table.columns = {{"run", "run", false},
                   {"other", "against", false},
                   {"code", "finding", false},
                   {"text", "", false}};
  const auto add = [&](const ReportRun& run, const ReportRun& other,
                       const std::optional<analysis::Finding>& found) {
    if (!found) return;
    table.rows.push_back(
        {{run.label, run.id}, {other.label, other.id}, words(found->code), words(found->text)});
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

analysis::Speedup speedup_of(const ReportRun& run) {
  const auto& state = run.model->run_state();
  return analysis::speedup(*run.model, run.baseline, state && messages::is_final(state->state));
}

ReportTable findings_table(const ReportRun& run) {
  ReportTable table{"findings", "What the records give away", run.id, {}, {}, false, {}};
  table.columns = {{"severity", "", false}, {"code", "finding", false}, {"text", "", false}};
  for (const auto& found : analysis::findings(*run.model, run.baseline)) {
    table.rows.push_back({words(std::string(messages::name_of(found.severity))), words(found.code),
                          words(found.text)});
  }
  return table;
}

std::vector<ReportTable> run_tables(const ReportRun& run) {
  std::vector<ReportTable> tables{epochs_table(run), losses_table(run), ranks_table(run),
                                  evaluation_table(run)};
  for (auto& table : sample_tables(run)) tables.push_back(std::move(table));
  tables.push_back(timeline_table(run));
  tables.push_back(findings_table(run));
  std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
  return tables;
}

std::vector<ReportTable> build_report(std::span<const ReportRun> runs) {
  std::vector<ReportTable> tables = card_tables(runs);
  for (const auto& run : runs) {
    for (auto& table : run_tables(run)) tables.push_back(std::move(table));
  }
  tables.push_back(between_table(runs));
  if (!runs.empty()) {
    for (auto& table : published_tables(runs.back())) tables.push_back(std::move(table));
  }
  std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
