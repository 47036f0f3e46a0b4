#include "gui/session/studies/study_reader.h"

#include <algorithm>
#include <cstdlib>

#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/work.h"
#include "gui/runs/shown_state.h"
#include "gui/session/studies/study_plan.h"
#include "gui/view/fairness_words.h"
#include "gui/view/probe_words.h"
#include "gui/view/published.h"
#include "gui/view/run_context.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/shown_program.h"

namespace ringside::session {
namespace {

/// Sets the batch sizes and steps of a setting, from any of its runs.
void add_work(const messages::RunSpec& spec, std::int64_t train_samples,
              view::StudySettingFacts& setting) {
  if (!spec.program.argv.empty()) return;
  const auto facts = train_samples > 0 ? messages::batch_facts(spec, train_samples)
                                       : Result<messages::BatchFacts>(failure("not known"));
  if (!facts) return;
  const auto devices = std::max<std::int64_t>(1, setting.devices);
  setting.per_rank_batch = facts->global_batch / devices;
  setting.global_batch = facts->global_batch;
  setting.global_batch_nominal = facts->global_batch_nominal;
  setting.steps_per_epoch = facts->steps_per_epoch;
}

/// Returns why a finished run of a program did other work than the baseline; empty: the same work.
/// Samplers round the number of samples, so differences of up to 2 % are accepted.
std::string other_work(const messages::RunSpec& spec, std::int64_t samples, std::int64_t baseline) {
  if (spec.program.argv.empty()) return {};
  if (samples <= 0 || baseline <= 0)
    return "no speedup: its program does not report how many samples a step has";
  if (std::abs(samples - baseline) * 50 <= std::max(samples, baseline)) return {};
  return "no speedup: it trained " + std::to_string(samples) + " samples, the baseline " +
         std::to_string(baseline);
}

/// Returns the environment variables, then the arguments.
std::vector<std::string> command_of(const messages::ProgramSpec& program) {
  const auto shown = messages::without_secrets(program);
  std::vector<std::string> words = shown.environment;
  words.insert(words.end(), shown.argv.begin(), shown.argv.end());
  return words;
}

}  // namespace

const StudyReader::Known& StudyReader::look_at(const std::string& id,
                                               const std::map<std::string, int>& numbers,
                                               const runlog::ReadWatch& watch, Baseline& baseline) {
  const runlog::RunFolder folder(runs_dir_ / id);
  const auto number = numbers.find(id);
  Known& known = known_[id];
  known.run.id = id;
  if (number == numbers.end()) {
    known = {};
    known.run = {id, id, "deleted", "", false, 1, analysis::RunMeasure::kNone};
    return known;
  }
  known.run.label = view::run_label(number->second, id);
  if (known.ended && known.spec && known.log == runs::log_stamp(folder, *known.spec) &&
      known.against == baseline.id)
    return known;
  auto summary = runs::read_folder({folder, number->second});
  // The stamp is taken before the log is read, so that a run that ends in between is read again.
  known.log = runs::log_stamp(folder, summary.spec);
  const runs::ReadRun read = runs::read_run(folder, summary.spec, watch);
  auto figures = runs::figures_of(*read.model, read.identity, nullptr);
  figures.problem = read.problem;
  runs::add_figures(summary, std::move(figures));
  known.spec = summary.spec;
  known.train_samples = analysis::train_samples(*read.model);
  known.work = runs::probed_work(*read.model);
  known.run.word = summary.state.word;
  known.run.detail = summary.problem.empty() ? summary.state.detail : summary.problem;
  known.run.live = summary.state.live;
  known.ended = summary.state.ended && !summary.state.live;
  known.measure.reset();
  if (known.run.finished()) known.measure = analysis::measure(*read.model);
  if (known.run.finished()) known.run.detail.clear();
  known.run.loss_broke = known.run.finished() && !runs::succeeded(summary);
  if (known.run.loss_broke) known.run.detail = "its loss was NaN or Inf at the end";
  judge(*read.model, baseline, watch, known);
  known.run.seconds = known.measure ? known.measure->seconds : analysis::RunMeasure::kNone;
  if (auto preset = launch::preset_of_run(folder.path()))
    known.preset = std::make_shared<const launch::NamedPreset>(std::move(*preset));
  return known;
}

/// Checks whether the run can be compared with the baseline, which is read when first needed.
void StudyReader::judge(const model::RunModel& run, Baseline& baseline,
                        const runlog::ReadWatch& watch, Known& known) {
  known.against = baseline.id;
  known.run.fair.reset();
  known.run.fair_text.clear();
  if (!known.run.finished() || baseline.id.empty()) return;
  if (!baseline.read) {
    const runlog::RunFolder folder(runs_dir_ / baseline.id);
    baseline.read = runs::read_run(folder, runs::read_folder({folder, 0}).spec, watch);
  }
  if (baseline.pair) {
    const auto found = analysis::machine_differences(run, *baseline.read->model);
    known.run.fair = found.empty();
    if (!found.empty()) known.run.fair_text = found.front().text;
    return;
  }
  const auto verdict = view::fairness_verdict(run, *baseline.read->model);
  known.run.fair = verdict.fair;
  known.run.fair_text = verdict.text;
}

view::StudyFacts StudyReader::read(const runs::Study& study, const runlog::ReadWatch& watch) {
  view::StudyFacts facts;
  facts.study = study;
  facts.best_by = study.ask.best_by;
  facts.slurm = asked_before(runs_dir_, study);
  std::map<std::string, int> numbers;
  if (const auto listed = runs::list_runs(runs_dir_)) {
    for (const auto& run : *listed) numbers[run.folder.id()] = run.number;
  }
  const auto probes = runs::read_probes(runs_dir_);
  std::optional<messages::RunSpec> baseline;
  std::int64_t samples = 0;  // trained by the baseline
  Baseline first;            // the first of the baseline's runs that finished
  for (const runs::StudySetting& setting : study.settings) {
    view::StudySettingFacts told;
    told.key = setting.key;
    told.series = setting.series();
    told.devices = setting.devices();
    told.nodes = setting.nodes();
    analysis::ScalingSetting measured{told.key, told.series, told.devices, false, {}};
    for (std::size_t i = 0; i < setting.runs.size(); ++i) {
      if (setting.runs[i].empty()) continue;
      const bool is_baseline = &setting == &study.settings.front();
      Baseline partner;  // the other run of a pair; unset in other studies of settings
      partner.pair = study.of_pairs() && !is_baseline;
      if (partner.pair && i < study.settings[0].runs.size()) partner.id = study.settings[0].runs[i];
      const bool shared = !is_baseline && !study.of_settings();
      const Known& known = look_at(setting.runs[i], numbers, watch, shared ? first : partner);
      if (is_baseline && first.id.empty() && known.run.finished()) first.id = setting.runs[i];
      told.runs.push_back(known.run);
      told.runs.back().repeat = static_cast<std::int64_t>(i) + 1;
      if (known.measure && samples == 0) samples = known.measure->samples;
      const std::string why = known.measure && known.spec && !study.of_settings()
                                  ? other_work(*known.spec, known.measure->samples, samples)
                                  : std::string();
      if (!why.empty()) told.runs.back().detail = why;
      if (known.measure && why.empty()) measured.runs.push_back(*known.measure);
      if (known.preset) told.preset = known.preset;
      if (const auto probe = known.work ? runs::probe_of_work(probes, *known.work) : std::nullopt;
          probe && probe->ceiling > 0) {
        told.ceiling = probe->ceiling;
        told.ceiling_hint = view::ceiling_text(*probe);
      }
      if (!known.spec) continue;
      if (told.command.empty()) told.command = command_of(known.spec->program);
      told.virtual_nodes = messages::has_virtual_nodes(*known.spec);
      if (told.preset) told.changed = view::changed_settings(told.preset->file, *known.spec);
      add_work(*known.spec, known.train_samples, told);
      if (!baseline) baseline = known.spec;
      measured.precision_differs = known.spec->train.precision != baseline->train.precision;
    }
    if (told.preset && told.preset->file.published.gate && !facts.goal)
      facts.goal = told.preset->file.published.gate;
    facts.settings.push_back(std::move(told));
    facts.measured.push_back(std::move(measured));
  }
  if (baseline) {
    const bool script = !baseline->program.argv.empty();
    facts.recipe = script ? messages::program_name(baseline->program.argv)
                          : baseline->model.name + " · " + baseline->data.name;
    const auto values = study.settings.front().values();
    const bool swept = std::ranges::any_of(
        values, [](const auto& value) { return value.first == "train.epochs"; });
    facts.epochs = script || swept ? 0 : baseline->train.epochs;
    facts.on_gpus = baseline->devices.kind == "cuda";
  }
  if (facts.recipe.empty()) facts.recipe = study.head.title;
  return facts;
}

}  // namespace ringside::session
