// Results of the form: both ways to spread batches, the plan, and the commands that would do the
// same.
#include <algorithm>

#include "gui/view/launch/launch_parts.h"
#include "gui/view/table_cells.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/model_catalog.h"

namespace ringside::view {
namespace {

using messages::RunSpec;

/// A row of the batch table; its last cell says why this way is impossible, or is empty.
std::vector<Cell> batch_row(RunSpec spec, const char* word, const std::string& meaning,
                            std::int64_t samples) {
  spec.batch.meaning = meaning;
  std::vector<Cell> row(7, unknown_cell());
  row.front() = text_cell(word);
  row.back() = text_cell("", Tone::kError);
  const auto facts = messages::batch_facts(spec, samples);
  if (!facts) {
    row.back().text = facts.error().message;
    return row;
  }
  row[1] = count_cell(facts->per_rank_batch);
  row[2] = count_cell(facts->global_batch);
  // A global batch of 128 on 3 ranks becomes 126; the row shows both numbers.
  if (facts->global_batch != facts->global_batch_nominal)
    row[2].text += " of " + count_text(facts->global_batch_nominal);
  row[3] = count_cell(facts->steps_per_epoch);
  row[4] = count_cell(facts->last_batch);
  row[5] = count_cell(facts->padded_samples);
  return row;
}

std::string ranks_word(const LaunchForm& form, const MachineSummary& machine) {
  const std::int64_t ranks = form.spec().devices.world_size;
  const std::string names = ranks == 1 ? "r0" : "r0–r" + std::to_string(ranks - 1);
  if (uses_gpus(form, machine)) return names + " on GPU " + picked_indexes(form, machine);
  if (form.spec().devices.kind == "cuda") return names + " on GPUs, and this machine has none";
  const std::int64_t threads =
      form.spec().devices.threads > 0
          ? form.spec().devices.threads
          : std::max<std::int64_t>(1, machine.cores / std::max<std::int64_t>(1, ranks));
  return names + " on the CPU, " + plural(threads, "thread", "threads") + " each";
}

Fact fact(const char* label, std::string value) {
  return {label, {{std::move(value), Style::kNumber}}, Tone::kText};
}

void add_batch_facts(const RunSpec& spec, std::vector<Fact>& plan) {
  const auto size = dataset_size(spec.data);
  if (!size || !spec.program.argv.empty()) return;
  const auto facts = messages::batch_facts(spec, size->train);
  if (!facts) return;
  plan.push_back(fact("Global batch", count_text(facts->per_rank_batch) + " × " +
                                          count_text(spec.devices.world_size) + " = " +
                                          count_text(facts->global_batch)));
  plan.push_back(fact("Steps", count_text(facts->steps_per_epoch) + " × " +
                                   count_text(spec.train.epochs) + " = " +
                                   count_text(facts->steps_per_epoch * spec.train.epochs)));
  if (spec.train.max_steps > 0 && spec.train.max_steps < facts->steps_per_epoch * spec.train.epochs)
    plan.push_back(fact("Step limit", count_text(spec.train.max_steps)));
  if (spec.batch.accumulate > 1)
    plan.push_back(
        fact("Micro-batches", count_text(facts->part_batch) + " samples each, one all-reduce"));
  if (facts->lr_scale != 1)
    plan.push_back(fact("Learning rate", lr_text(spec.optimizer.lr) + " × " +
                                             decimal_text(facts->lr_scale, 2) + " = " +
                                             lr_text(spec.optimizer.lr * facts->lr_scale)));
  if (facts->padded_samples > 0)
    plan.push_back(fact(
        "Padding", plural(facts->padded_samples, "sample", "samples") + " repeated per epoch"));
  if (facts->unread_samples > 0)
    plan.push_back(
        fact("Left out", plural(facts->unread_samples, "sample", "samples") + " per epoch"));
}

/// The command line that starts the same run without this window.
PreviewTab command_tab(const LaunchForm& form, const std::string& elsewhere) {
  PreviewTab tab;
  tab.title = "Command";
  tab.lines.push_back("ringside run " +
                      shell_word(form.preset().empty() ? "settings.toml" : form.preset()) +
                      (form.quick() ? " --quick" : "") +
                      (elsewhere.empty() ? "" : " --on " + shell_word(elsewhere)));
  const RunSpec base = form.preset().empty() ? form.spec() : form.original();
  for (const auto& difference : messages::differences(base, form.spec())) {
    tab.lines.back() += " \\";
    tab.lines.push_back("  --set " + shell_word(difference.key + "=" + difference.right));
  }
  if (form.preset().empty())
    tab.lines.push_back("# settings.toml holds what is under Resolved settings");
  return tab;
}

PreviewTab rank_tab(const RunSpec& spec, std::int64_t rank, bool gpus) {
  const std::string ranks = std::to_string(spec.devices.world_size);
  const std::string number = std::to_string(rank);
  PreviewTab tab;
  tab.title = "r" + number;
  tab.lines.push_back("RANK=" + number + " LOCAL_RANK=" + number + " WORLD_SIZE=" + ranks +
                      " LOCAL_WORLD_SIZE=" + ranks);
  const auto index = static_cast<std::size_t>(rank);
  if (gpus && index < spec.devices.ids.size())
    tab.lines.push_back("CUDA_VISIBLE_DEVICES=" + spec.devices.ids[index]);
  if (spec.program.argv.empty()) {
    tab.lines.push_back("ringside-trainer --run-dir RUN_FOLDER");
    return tab;
  }
  tab.lines.push_back(shell_words(spec.program.argv));
  return tab;
}

PreviewTab settings_tab(const RunSpec& spec) {
  PreviewTab tab;
  tab.title = "Resolved settings";
  const std::string toml = messages::to_toml(spec);
  for (std::size_t begin = 0; begin < toml.size();) {
    const std::size_t end = std::min(toml.find('\n', begin), toml.size());
    tab.lines.push_back(toml.substr(begin, end - begin));
    begin = end + 1;
  }
  return tab;
}

}  // namespace

Table batch_table(const LaunchForm& form) {
  Table table{"batch", kBatchSection};
  const RunSpec& spec = form.spec();
  const auto size = dataset_size(spec.data);
  if (!size) return table;
  constexpr Align kRight = Align::kRight;
  table.columns = {{"batch", "Batch", "", Align::kLeft, 50},
                   {"per_rank", "Per rank", "", kRight, 44},
                   {"global", "Global", "", kRight, 52},
                   {"steps_per_epoch", "Steps / epoch", "", kRight, 76, 34},
                   {"last_batch", "Last batch", "", kRight, 58, 26},
                   {"padding", "Padding", "", kRight, 42},
                   {"refused", "Refused", "", Align::kLeft, 0}};
  table.columns[3].short_label = "Steps";
  table.columns[4].short_label = "Last";
  if (spec.devices.world_size == 1) {  // both ways are the same
    const std::string& meaning = spec.batch.meaning;
    table.rows = {{meaning, batch_row(spec, "One rank", meaning, size->train)}};
  } else {
    table.rows = {{"per_rank", batch_row(spec, "Weak", "per_rank", size->train)},
                  {"global", batch_row(spec, "Strong", "global", size->train)}};
  }
  table.columns.back().in_text =
      std::ranges::any_of(table.rows, [](const TableRow& row) { return !refusal(row).empty(); });
  return table;
}

Fact ranks_fact(const LaunchForm& form, const MachineSummary& machine) {
  return fact("Ranks", ranks_word(form, machine));
}

std::vector<Fact> plan_facts(const LaunchForm& form, const MachineSummary& machine) {
  const RunSpec& spec = form.spec();
  std::vector<Fact> plan{ranks_fact(form, machine)};
  if (spec.devices.world_size > 1)
    plan.push_back(fact("Backend", uses_gpus(form, machine) ? "NCCL" : "Gloo"));
  add_batch_facts(spec, plan);
  if (const auto parameters = model_parameters(spec);
      parameters && spec.devices.world_size > 1 && spec.program.argv.empty()) {
    plan.push_back(
        fact("All-reduce",
             mb_text(static_cast<double>(messages::gradient_bytes(*parameters))) + " per step"));
  }
  if (spec.baseline.mode == "run" && spec.devices.world_size > 1)
    plan.push_back(fact("Order", "baseline first, then this run"));
  return plan;
}

void add_rank_tabs(const RunSpec& spec, bool gpus, std::vector<PreviewTab>& tabs) {
  constexpr std::int64_t kMostRankTabs = 8;
  for (std::int64_t rank = 0; rank < std::min(kMostRankTabs, spec.devices.world_size); ++rank)
    tabs.push_back(rank_tab(spec, rank, gpus));
  tabs.push_back(settings_tab(spec));
}

std::vector<PreviewTab> preview_tabs(const LaunchForm& form, const MachineSummary& machine) {
  std::vector<PreviewTab> tabs{command_tab(form, machine.elsewhere)};
  add_rank_tabs(form.spec(), uses_gpus(form, machine), tabs);
  return tabs;
}

}  // namespace ringside::view
