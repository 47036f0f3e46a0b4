// The card of the report, a row per run with its settings, outcome and time; and the scaling of the
// runs.
#include <algorithm>
#include <utility>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/work.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/fairness_words.h"
#include "gui/view/live/node_map.h"
#include "gui/view/log_damage.h"
#include "gui/view/report/report_parts.h"
#include "protocol/base/printable.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

bool is_ours(const messages::RunSpec& spec) { return spec.program.argv.empty(); }

std::string program_of(const messages::RunSpec& spec) {
  std::string text;
  for (const auto& word : spec.program.argv) text += (text.empty() ? "" : " ") + word;
  return printable_line(text);
}

bool is_strong(const messages::RunSpec& spec) { return spec.batch.meaning == "global"; }

std::string devices_text(const model::RunModel& model) {
  const auto& devices = model.spec().devices;
  if (messages::is_watched(model.spec())) return {};  // unknown for a run read from files
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

void add_work(Table& card, const model::RunModel& model) {
  const auto work = analysis::work_of(model);
  const auto fact = [&](std::int64_t messages::BatchFacts::*field) {
    return work ? count_cell((*work).*field) : unknown_cell();
  };
  using Facts = messages::BatchFacts;
  add_fact(card, "per_rank_batch", "batch per rank", fact(&Facts::per_rank_batch));
  add_fact(card, "global_batch_nominal", "global batch, asked for",
           fact(&Facts::global_batch_nominal));
  add_fact(card, "global_batch", "global batch, real", fact(&Facts::global_batch));
  add_fact(card, "steps_per_epoch", "updates per epoch", fact(&Facts::steps_per_epoch));
  add_fact(card, "last_batch", "last batch per rank", fact(&Facts::last_batch));
  add_fact(card, "samples_per_rank", "samples per rank", fact(&Facts::samples_per_rank));
  add_fact(card, "padded_samples", "repeats per epoch", fact(&Facts::padded_samples));
  add_fact(card, "unread_samples", "unread per epoch", fact(&Facts::unread_samples));
}

void add_settings(Table& card, const ReportRun& run, bool scales) {
  const auto& model = *run.model;
  const auto& spec = model.spec();
  // A custom program does not use the settings of our trainer.
  const bool ours = is_ours(spec);
  const auto set = [ours](Cell cell) { return ours ? std::move(cell) : unknown_cell(); };
  add_fact(card, "preset", "preset", word_cell(run.preset == nullptr ? "" : run.preset->name));
  add_fact(card, "scaling", "scaling",
           scales ? set(word_cell(is_strong(spec) ? "strong" : "weak")) : unknown_cell());
  add_fact(card, "ranks", "devices", count_cell(analysis::devices_of(model)));
  // Every run has these facts, since all cards of one table have the same columns.
  add_fact(card, "nodes", "nodes", text_cell(spec.devices.nodes > 1 ? nodes_text(spec) : "1"));
  add_fact(card, "processes", "processes", count_cell(model.world_size()));
  add_fact(card, "parallel", "way", set(word_cell(spec.devices.parallel)));
  add_fact(card, "devices", "on", word_cell(devices_text(model)));
  add_fact(card, "backend", "backend", word_cell(backend_of(model)));
  add_fact(card, "program", "program", word_cell(program_of(spec)));
  add_fact(card, "precision", "precision", set(word_cell(messages::precision_text(spec))));
  add_fact(card, "model", "model", set(word_cell(spec.model.name)));
  add_fact(card, "data", "data", set(word_cell(spec.data.name)));
  const std::int64_t parameters = parameters_of(model);
  add_fact(card, "parameters", "parameters",
           parameters > 0 ? count_cell(parameters) : unknown_cell());
  add_work(card, model);
  add_fact(card, "optimizer", "optimizer", set(word_cell(spec.optimizer.name)));
  add_fact(card, "lr", "learning rate, set", set(number_cell(spec.optimizer.lr, lr_text)));
  add_fact(card, "lr_used", "learning rate, first step",
           number_cell(analysis::lr_used(model, 0).first, lr_text));
  add_fact(card, "seed", "seed", set(count_cell(spec.train.seed)));
  add_fact(card, "sampler_seed", "seed of the sampler",
           set(count_cell(messages::sampler_seed(spec))));
}

double per_epoch(double seconds, Epoch epochs) {
  return epochs > 0 ? seconds / static_cast<double>(epochs) : kUnknownNumber;
}

// Start-up time without the time for which the run was queued behind others.
double start_up_s(const model::RunModel& model) {
  const std::int64_t began = analysis::began_ns(model);
  const std::int64_t first_step = model.training_began_ns();
  if (began == 0 || first_step == 0) return kUnknownNumber;
  return static_cast<double>(std::max<std::int64_t>(0, first_step - began)) / 1e9;
}

/// Adds the energy of the devices while they were sampled, whoever used them, and an epoch's share
/// of it by its time.
void add_energy(Table& card, const model::RunModel& model, double epoch_s) {
  double energy_j = 0, power_w = 0;
  for (const model::DeviceModel& device : model.devices()) {
    if (device.energy_s <= 0) return;  // the sum would be that of only some devices
    energy_j += device.energy_j;
    power_w += device.energy_j / device.energy_s;
  }
  if (energy_j <= 0) return;
  constexpr double kJoulesPerWh = 3600;
  const auto watt_hours = [](double wh) { return decimal_text(wh, wh < 10 ? 3 : 1); };
  add_fact(card, "energy_wh", "energy of the devices, Wh",
           number_cell(energy_j / kJoulesPerWh, watt_hours));
  add_fact(card, "energy_wh_per_epoch", "energy of a training pass, Wh",
           number_cell(power_w * epoch_s / kJoulesPerWh, watt_hours));
  add_fact(card, "power_w", "mean power of the devices, W",
           number_cell(power_w, [](double w) { return decimal_text(w, 0); }));
}

void add_times(Table& card, const ReportRun& run) {
  const auto& model = *run.model;
  const auto times = analysis::run_times(model);
  const Epoch epochs = analysis::complete_epochs(model);
  add_fact(card, "epochs", "epochs complete", count_cell(epochs));
  add_fact(card, "train_seconds_per_epoch", "training pass, s per epoch",
           seconds_cell(per_epoch(times.train_pass_s, epochs)));
  add_fact(card, "evaluate_seconds", "evaluation, s", seconds_cell(times.evaluate_s));
  add_fact(card, "checkpoint_seconds", "checkpoints, s", seconds_cell(times.checkpoint_s));
  add_fact(card, "start_up_seconds", "start-up, s", seconds_cell(start_up_s(model)));
  add_fact(card, "training_seconds", "first step to last epoch, s",
           seconds_cell(times.training_s.value_or(kUnknownNumber)));
  add_fact(card, "total_seconds", "whole run, s", seconds_cell(run.seconds));
  const double rate = analysis::throughput(model, analysis::timed_steps(model).range).total_per_s;
  add_fact(card, "samples_per_s", "samples/s",
           number_cell(rate > 0 ? rate : kUnknownNumber, rate_text));
  add_energy(card, model, per_epoch(times.train_pass_s, epochs));
}

/// "yes", or the keys of the findings that make it unfair; a value only if it is known.
Cell fairness_cell(const ReportRun& run) {
  const auto verdict = fairness_verdict(*run.model, *run.baseline);
  if (!verdict.fair) return {{}, "not known"};
  std::string against;
  for (const auto& reason : verdict.reasons) {
    if (reason.severity == messages::Severity::kWarning)
      against += (against.empty() ? "no: " : ", ") + reason.code;
  }
  return text_cell(against.empty() ? "yes" : against);
}

void add_results(Table& card, const ReportRun& run) {
  const auto trained = analysis::passes(*run.model, messages::Phase::kTrain);
  const auto validation = analysis::newest_validation(*run.model);
  const auto best = analysis::best_validation(*run.model);
  const bool any = !trained.empty();
  add_fact(card, "train_loss", "train loss",
           number_cell(any ? trained.back().loss : kUnknownNumber, loss_long_text));
  add_fact(card, "train_accuracy", "train accuracy",
           share_cell(any ? trained.back().accuracy() : kUnknownNumber));
  add_fact(card, "val_loss", "validation loss",
           number_cell(validation ? validation->loss : kUnknownNumber, loss_long_text));
  add_fact(card, "val_accuracy", "validation accuracy",
           share_cell(validation ? validation->accuracy() : kUnknownNumber));
  add_fact(card, "best_val_accuracy", "best of it",
           share_cell(best ? best->accuracy() : kUnknownNumber));
  const auto compared = speedup_of(run);
  const bool there = compared.missing == analysis::NoSpeedup::kNone;
  add_fact(card, "baseline", "compared with",
           word_cell(run.baseline == nullptr ? "" : run.baseline_label));
  add_fact(card, "speedup", "speedup",
           number_cell(there ? compared.speedup : kUnknownNumber, speedup_text));
  add_fact(card, "efficiency", "efficiency",
           number_cell(there ? compared.efficiency : kUnknownNumber, percent1_text));
  add_fact(card, "fair", "fair", there ? fairness_cell(run) : unknown_cell());
  add_fact(card, "time_cut", "time cut",
           number_cell(there ? compared.time_cut : kUnknownNumber, percent1_text));
  add_fact(card, "accuracy_delta", "accuracy against it",
           number_cell(there && compared.accuracy ? compared.accuracy->delta() : kUnknownNumber,
                       points_text));
}

/// Whether one of the other runs does the same work on another number of devices.
bool scales(const ReportRun& run, std::span<const ReportRun> runs) {
  const auto with = [&run](const model::RunModel* other) {
    return other != nullptr && analysis::may_scale(*run.model, *other);
  };
  return with(run.baseline) ||
         std::any_of(runs.begin(), runs.end(), [&](const auto& one) { return with(one.model); });
}

Table card_of(const ReportRun& run, std::span<const ReportRun> runs) {
  Table card{"card", "Settings and outcome of each run"};
  card.transposed = true;
  add_fact(card, "run", "run", {run.id, run.label});
  add_fact(card, "name", "name", word_cell(run.name));
  const bool nan = run.state == "finished" && analysis::ended_in_nan(*run.model);
  add_fact(card, "state", "state",
           nan ? Cell{run.state, "finished, NaN/Inf"} : word_cell(run.state));
  add_settings(card, run, scales(run, runs));
  add_times(card, run);
  add_results(card, run);
  return card;
}

// Strong and weak scaling answer different questions, so they never share a table.
Table scaling_table(const Table& card, std::span<const ReportRun> runs, bool strong) {
  Table table =
      strong ? Table{"strong_scaling", "Strong scaling: the same global batch, compare the time"}
             : Table{"weak_scaling",
                     "Weak scaling: the same batch per rank, compare the samples per second"};
  table.rows.resize(runs.size());
  for (const char* key : {"run", "ranks", "parallel", "precision", "per_rank_batch", "global_batch",
                          "steps_per_epoch", "training_seconds", "samples_per_s", "speedup",
                          "efficiency", "val_accuracy", "accuracy_delta"}) {
    const std::size_t place = column_index(card, key);
    table.columns.push_back(card.columns[place]);
    for (std::size_t i = 0; i < runs.size(); ++i)
      table.rows[i].cells.push_back(card.rows[i].cells[place]);
  }
  // The card says this for runs that scale and whose batch is known, as it is for our own trainer.
  const std::size_t scaling = column_index(card, "scaling");
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (card.rows[i].cells[scaling].text != (strong ? "strong" : "weak"))
      table.rows.erase(table.rows.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (table.rows.size() < 2) table.rows.clear();
  sort_rows(table, {"ranks"});
  return table;
}

}  // namespace

std::vector<Table> card_tables(std::span<const ReportRun> runs) {
  if (runs.empty()) return {};
  Table card = card_of(runs.front(), runs);
  for (const auto& run : runs.subspan(1)) card.rows.push_back(card_of(run, runs).rows.front());
  card.notes.push_back(
      "Times of training run from the beginning of the first step to the end of the last complete "
      "epoch, with evaluation and checkpoints inside; start-up and download are outside. Speedup "
      "compares them over the epochs that both runs have.");
  for (const auto& run : runs) {
    if (const std::string damage = damage_text(run.damage); !damage.empty())
      card.notes.push_back(run.label + ": " + damage);
    if (!has_speedup(run)) continue;
    const Verdict verdict = fairness_verdict(*run.model, *run.baseline);
    if (!verdict.unfair()) continue;
    card.notes.push_back(run.label + ": " + verdict.told());
    if (!verdict.more.empty()) card.notes.push_back(verdict.more);
  }
  Table strong = scaling_table(card, runs, true);
  Table weak = scaling_table(card, runs, false);
  return {std::move(card), std::move(strong), std::move(weak)};
}

}  // namespace ringside::view
