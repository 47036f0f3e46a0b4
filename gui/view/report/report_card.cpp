// One line per run: what it was told to do, did, and took; and how the runs scale.
#include <algorithm>
#include <limits>
#include <utility>

#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/report/report_parts.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Row = std::vector<ReportCell>;

struct Sheet {
  std::vector<ReportColumn> columns;
  Row row;
  void add(const char* id, const char* title, ReportCell cell) {
    columns.push_back({id, title, true});
    row.push_back(std::move(cell));
  }
};

bool is_ours(const messages::RunSpec& spec) { return spec.program.argv.empty(); }

std::string program_of(const messages::RunSpec& spec) {
  std::string text;
  for (const auto& word : spec.program.argv) text += (text.empty() ? "" : " ") + word;
  return printable_line(text);
}

bool is_strong(const messages::RunSpec& spec) { return spec.batch.meaning == "global"; }

std::string devices_text(const model::RunModel& model) {
  const auto& devices = model.spec().devices;
  if (devices.ids.empty()) return devices.kind;
  std::string text;
  for (const auto& id : devices.ids) text += (text.empty() ? "" : " ") + id;
  return text;
}

std::string backend_of(const model::RunModel& model) {
  for (const Rank rank : model.ranks()) {
    if (const auto& hello = model.rank(rank)->hello) return hello->backend;
  }
  return {};
}

std::int64_t parameters_of(const model::RunModel& model) {
  for (const Rank rank : model.ranks()) {
    if (const auto& hello = model.rank(rank)->hello) return hello->parameters;
  }
  return 0;
}

void add_work(Sheet& sheet, const model::RunModel& model) {
  const auto work = analysis::work_of(model);
  const auto fact = [&](std::int64_t messages::BatchFacts::*field) {
    return work ? whole((*work).*field) : unknown_cell();
  };
  using Facts = messages::BatchFacts;
  sheet.add("per_rank_batch", "batch per rank", fact(&Facts::per_rank_batch));
  sheet.add("global_batch_nominal", "global batch, asked for", fact(&Facts::global_batch_nominal));
  sheet.add("global_batch", "global batch, real", fact(&Facts::global_batch));
  sheet.add("steps_per_epoch", "updates per epoch", fact(&Facts::steps_per_epoch));
  sheet.add("last_batch", "last batch per rank", fact(&Facts::last_batch));
  sheet.add("samples_per_rank", "samples per rank", fact(&Facts::samples_per_rank));
  sheet.add("padded_samples", "repeats per epoch", fact(&Facts::padded_samples));
  sheet.add("unread_samples", "unread per epoch", fact(&Facts::unread_samples));
}

void add_settings(Sheet& sheet, const ReportRun& run) {
  const auto& model = *run.model;
  const auto& spec = model.spec();
  // A program of somebody else's was told none of our settings.
  const bool ours = is_ours(spec);
  const auto set = [ours](ReportCell cell) { return ours ? std::move(cell) : unknown_cell(); };
  sheet.add("preset", "preset", words(run.preset == nullptr ? "" : run.preset->name));
  sheet.add("scaling", "scaling", set(words(is_strong(spec) ? "strong" : "weak")));
  sheet.add("ranks", "devices", whole(spec.devices.world_size));
  sheet.add("processes", "processes", whole(model.world_size()));
  sheet.add("parallel", "way", set(words(spec.devices.parallel)));
  sheet.add("devices", "on", words(devices_text(model)));
  sheet.add("backend", "backend", words(backend_of(model)));
  sheet.add("program", "program", words(program_of(spec)));
  sheet.add("precision", "precision", set(words(spec.train.precision)));
  sheet.add("model", "model", set(words(spec.model.name)));
  sheet.add("data", "data", set(words(spec.data.name)));
  const std::int64_t parameters = parameters_of(model);
  sheet.add("parameters", "parameters", parameters > 0 ? whole(parameters) : unknown_cell());
  add_work(sheet, model);
  sheet.add("optimizer", "optimizer", set(words(spec.optimizer.name)));
  sheet.add("lr", "learning rate, set", set(number(spec.optimizer.lr, lr_text)));
  sheet.add("lr_used", "learning rate, first step",
            number(analysis::lr_used(model, 0).first, lr_text));
  sheet.add("seed", "seed", set(whole(spec.train.seed)));
  sheet.add("sampler_seed", "seed of the sampler", set(whole(messages::sampler_seed(spec))));
}

double per_epoch(double seconds, Epoch epochs) {
  return epochs > 0 ? seconds / static_cast<double>(epochs) : kNan;
}

// Without the time that it waited for the runs before it.
double start_up_s(const model::RunModel& model) {
  const std::int64_t began = analysis::began_ns(model);
  const std::int64_t first_step = model.training_began_ns();
  if (began == 0 || first_step == 0) return kNan;
  return static_cast<double>(std::max<std::int64_t>(0, first_step - began)) / 1e9;
}

void add_times(Sheet& sheet, const ReportRun& run) {
  const auto& model = *run.model;
  const auto times = analysis::run_times(model);
  const Epoch epochs = analysis::complete_epochs(model);
  sheet.add("epochs", "epochs complete", whole(epochs));
  sheet.add("train_seconds_per_epoch", "training pass, s per epoch",
            seconds(per_epoch(times.train_pass_s, epochs)));
  sheet.add("evaluate_seconds", "evaluation, s", seconds(times.evaluate_s));
  sheet.add("checkpoint_seconds", "snapshots, s", seconds(times.checkpoint_s));
  sheet.add("start_up_seconds", "start-up, s", seconds(start_up_s(model)));
  sheet.add("training_seconds", "first step to last epoch, s",
            seconds(times.training_s.value_or(kNan)));
  sheet.add("total_seconds", "whole run, s", seconds(run.seconds));
  const double rate = analysis::throughput(model, analysis::timed_steps(model).range).total_per_s;
  sheet.add("samples_per_s", "samples/s", number(rate > 0 ? rate : kNan, [](double v) {
              return count_text(static_cast<std::int64_t>(v));
            }));
}

void add_results(Sheet& sheet, const ReportRun& run) {
  const auto trained = analysis::passes(*run.model, messages::Phase::kTrain);
  const auto validation = analysis::newest_validation(*run.model);
  const auto best = analysis::best_validation(*run.model);
  const bool any = !trained.empty();
  sheet.add("train_loss", "train loss", number(any ? trained.back().loss : kNan, loss_long_text));
  sheet.add("train_accuracy", "train accuracy", share(any ? trained.back().accuracy() : kNan));
  sheet.add("val_loss", "validation loss",
            number(validation ? validation->loss : kNan, loss_long_text));
  sheet.add("val_accuracy", "validation accuracy",
            share(validation ? validation->accuracy() : kNan));
  sheet.add("best_val_accuracy", "best of it", share(best ? best->accuracy() : kNan));
  const auto compared = speedup_of(run);
  const bool there = compared.missing == analysis::NoSpeedup::kNone;
  sheet.add("baseline", "compared with", words(run.baseline == nullptr ? "" : run.baseline_label));
  sheet.add("speedup", "speedup", number(there ? compared.speedup : kNan, speedup_text));
  sheet.add("efficiency", "efficiency", number(there ? compared.efficiency : kNan, percent1_text));
  sheet.add("time_cut", "time cut", number(there ? compared.time_cut : kNan, percent1_text));
  sheet.add("accuracy_delta", "accuracy against it",
            number(there && compared.accuracy ? compared.accuracy->delta() : kNan, points_text));
}

Sheet sheet_of(const ReportRun& run) {
  Sheet sheet;
  sheet.add("run", "run", {run.label, run.id});
  sheet.add("name", "name", words(run.name));
  sheet.add("state", "state", words(run.state));
  add_settings(sheet, run);
  add_times(sheet, run);
  add_results(sheet, run);
  return sheet;
}

// Strong and weak scaling answer different questions and never share a table.
ReportTable scaling_table(std::span<const ReportRun> runs, bool strong) {
  ReportTable table;
  table.id = strong ? "strong_scaling" : "weak_scaling";
  table.title = strong ? "Strong scaling: the same global batch, compare the time"
                       : "Weak scaling: the same batch per rank, compare the samples per second";
  static const std::vector<std::string> kWanted = {
      "run",          "ranks",           "parallel",         "precision",     "per_rank_batch",
      "global_batch", "steps_per_epoch", "training_seconds", "samples_per_s", "speedup",
      "efficiency",   "val_accuracy",    "accuracy_delta"};
  std::vector<std::pair<std::int64_t, Row>> rows;
  for (const auto& run : runs) {
    // What batch a program of somebody else's takes is not known, so neither is what it shows here.
    if (!is_ours(run.model->spec()) || is_strong(run.model->spec()) != strong) continue;
    const Sheet sheet = sheet_of(run);
    Row row;
    table.columns.clear();
    for (const auto& wanted : kWanted) {
      for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        if (sheet.columns[i].id != wanted) continue;
        table.columns.push_back(sheet.columns[i]);
        row.push_back(sheet.row[i]);
      }
    }
    rows.emplace_back(run.model->spec().devices.world_size, std::move(row));
  }
  if (rows.size() < 2) return table;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& row : rows) table.rows.push_back(std::move(row.second));
  return table;
}

}  // namespace

std::vector<ReportTable> card_tables(std::span<const ReportRun> runs) {
  ReportTable card{"card", "What each run was told to do, and did", {}, {}, {}, true, {}};
  for (const auto& run : runs) {
    Sheet sheet = sheet_of(run);
    card.columns = std::move(sheet.columns);
    card.rows.push_back(std::move(sheet.row));
  }
  card.notes.push_back(
      "Times of training run from the beginning of the first step to the end of the last complete "
      "epoch, with evaluation and snapshots inside; start-up and download are outside. Speedup "
      "compares them over the epochs that both runs have.");
  for (const auto& run : runs) {
    if (run.lost_records > 0)
      card.notes.push_back(run.label + ": " + lost_records_text(run.lost_records));
  }
  return {std::move(card), scaling_table(runs, true), scaling_table(runs, false)};
}

}  // namespace ringside::view
