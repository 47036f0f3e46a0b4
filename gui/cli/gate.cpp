// `ringside gate RUN --against BASELINE`: passes or fails a run by its pace and accuracy, for CI.
#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/final_loss.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/cli/command/commands.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/place/run_place.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/studies/study.h"
#include "gui/view/number_format.h"
#include "gui/view/report/scaling_files.h"
#include "gui/view/runs/gate_view.h"

namespace ringside::cli {
namespace {

using analysis::LimitVerdict;

struct GateOptions : CommonOptions {
  std::string against;
  std::string max_slower = "5%";
  std::optional<std::string> min_accuracy;
  bool allow_different = false;
  bool strict = false;
  bool markdown = false;
};

/// A run that is compared, read to its end.
struct GateRun {
  runs::RunSummary summary;
  runs::ReadRun read;
  std::string label() const { return runs::label_of(summary); }
};

Result<GateRun> read_gate_run(const GateOptions& options, const std::string& name) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), name));
  GateRun run{runs::read_summary(found), {}};
  run.read = runs::read_run(found.folder, run.summary.spec);
  return run;
}

/// Why a run that did not finish counts as failed; empty: it finished.
std::string failure_of(const GateRun& run) {
  const runs::RunSummary& summary = run.summary;
  if (summary.state.word == "failed")
    return "Run " + run.label() + " failed" +
           (summary.state.detail.empty() ? "." : ": " + summary.state.detail);
  if (summary.state.word == "finished" && !runs::succeeded(summary))
    return "Run " + run.label() + " ended without a loss: " + summary.figures.broken_loss + ".";
  return {};
}

/// Returns a bad request if the records of a run are incomplete, so that it cannot be judged.
Result<void> check_whole(const GateRun& run) {
  const runs::RunSummary& summary = run.summary;
  if (summary.state.word == "finished" || summary.state.word == "failed") return {};
  return bad_request("run " + run.label() +
                     (summary.state.ended ? " was " : " has not ended, it is ") +
                     summary.state.word + "; the gate judges runs that have finished");
}

Result<analysis::Pace> pace_in(const GateRun& run) {
  if (const auto pace = analysis::pace_of(*run.read.model)) return *pace;
  const auto steps = std::max<std::int64_t>(0, run.read.model->newest_common_step() + 1);
  return bad_request("run " + run.label() + " has " +
                     (steps == 0 ? std::string("no step") : view::plural(steps, "step", "steps")) +
                     " that all ranks reported; the gate needs the times of 10 after the warm-up");
}

/// Paces of the run and of its repeats in a study, itself first. Unfinished ones are ignored.
std::vector<analysis::Pace> paces_of(const GateOptions& options, const GateRun& run,
                                     const GateRun& other, const analysis::Pace& own) {
  std::vector<analysis::Pace> paces{own};
  const std::string name = runs::study_of(run.summary.folder);
  if (name.empty()) return paces;
  const auto study = runs::read_study(options.runs_folder(), name);
  if (!study) return paces;
  const std::string id = run.summary.folder.id();
  for (const auto& setting : study->settings) {
    const auto has = [&](const std::string& one) {
      return std::find(setting.runs.begin(), setting.runs.end(), one) != setting.runs.end();
    };
    if (!has(id) || has(other.summary.folder.id())) continue;
    for (const std::string& repeat : setting.runs) {
      if (repeat == id || repeat.empty()) continue;
      const auto read = read_gate_run(options, repeat);
      if (!read || !runs::succeeded(read->summary)) continue;
      if (const auto pace = analysis::pace_of(*read->read.model)) paces.push_back(*pace);
    }
  }
  return paces;
}

Result<void> add_baseline(const GateOptions& options, const GateRun& run, view::GateFacts& facts) {
  const GateRun baseline = RINGSIDE_TRY(read_gate_run(options, options.against));
  if (baseline.summary.folder.path() == run.summary.folder.path())
    return bad_request("--against: run " + run.label() + " cannot be compared with itself");
  RINGSIDE_TRY(check_whole(baseline));
  if (const std::string failed = failure_of(baseline); !failed.empty())
    return bad_request("--against: a run that failed cannot be the baseline: " + failed);
  facts.baseline = baseline.label();
  if (!facts.failure.empty()) return {};
  const auto& ours = *run.read.model;
  const auto& theirs = *baseline.read.model;
  const auto own = RINGSIDE_TRY(pace_in(run));
  const auto base = RINGSIDE_TRY(pace_in(baseline));
  facts.other_work = analysis::other_step_work(ours, theirs);
  if (!facts.other_work.empty() && !options.allow_different) {
    std::string all;
    for (const std::string& one : facts.other_work) all += (all.empty() ? "" : "; ") + one;
    return bad_request("run " + run.label() + " and " + baseline.label() +
                       " cannot be compared by the time of a step, which does other work: " + all +
                       "; --allow-different compares them all the same");
  }
  facts.other_settings = analysis::other_settings_of(ours, theirs);
  for (const auto& one : analysis::machine_differences(ours, theirs))
    facts.disturbances.push_back(one.text);
  facts.ours = paces_of(options, run, baseline, own);
  facts.theirs = paces_of(options, baseline, run, base);
  return {};
}

Result<double> share_option(const char* option, const std::string& text) {
  const auto share = view::share_of(text);
  if (!share)
    return bad_request(std::string(option) + ": \"" + one_line(text) +
                       "\" is not a share; write 5% or 0.05");
  return *share;
}

Result<view::GateFacts> read_facts(const GateOptions& options, std::string& id) {
  view::GateFacts facts;
  if (options.against.empty() && !options.min_accuracy)
    return bad_request("nothing to judge by: give --against BASELINE, --min-accuracy, or both");
  facts.max_slower = RINGSIDE_TRY(share_option("--max-slower", options.max_slower));
  if (options.min_accuracy)
    facts.min_accuracy = RINGSIDE_TRY(share_option("--min-accuracy", *options.min_accuracy));
  place::refresh(options.runs_folder());
  const GateRun run = RINGSIDE_TRY(read_gate_run(options, options.run));
  id = run.summary.folder.id();
  RINGSIDE_TRY(check_whole(run));
  facts.run = run.label();
  facts.failure = failure_of(run);
  if (!options.against.empty()) RINGSIDE_TRY(add_baseline(options, run, facts));
  if (!facts.failure.empty() || !facts.min_accuracy) return facts;
  const auto validation = analysis::newest_validation(*run.read.model);
  if (!validation || std::isnan(validation->accuracy()))
    return bad_request("--min-accuracy: run " + run.label() +
                       " has no complete validation, so its accuracy is not known");
  facts.accuracy = validation->accuracy();
  return facts;
}

Json pace_json(const std::vector<analysis::Pace>& paces) {
  Json all = Json::array();
  for (const auto& pace : paces)
    all.push_back({{"step_ns", pace.step_ns},
                   {"relative_error", pace.relative_error},
                   {"samples_per_s", number_or_null(pace.samples_per_s)},
                   {"steps", pace.steps}});
  return all;
}

Json gate_json(const GateOptions& options, const std::string& id, const view::GateFacts& facts,
               const view::GateView& view, int code) {
  Json json{
      {"run", id}, {"verdict", std::string(analysis::name_of(view.verdict))}, {"exit_code", code}};
  json["failure"] = facts.failure.empty() ? Json(nullptr) : Json(facts.failure);
  if (view.slowdown) {
    const auto& found = *view.slowdown;
    json["pace"] = {{"verdict", std::string(analysis::name_of(found.verdict))},
                    {"against", options.against},
                    {"slower", found.slower.value},
                    {"low", found.slower.low},
                    {"high", found.slower.high},
                    {"max_slower", facts.max_slower},
                    {"times_as_many", found.times_as_many},
                    {"runs", pace_json(facts.ours)},
                    {"baseline_runs", pace_json(facts.theirs)}};
  }
  if (facts.min_accuracy && facts.failure.empty())
    json["accuracy"] = {{"verdict", facts.accuracy >= *facts.min_accuracy ? "pass" : "fail"},
                        {"value", facts.accuracy},
                        {"min_accuracy", *facts.min_accuracy}};
  json["other_work"] = facts.other_work;
  json["other_settings"] = facts.other_settings;
  json["notes"] = view.table.notes;
  return json;
}

Result<int> gate(const GateOptions& options) {
  std::string id;
  const auto facts = RINGSIDE_TRY(read_facts(options, id));
  const view::GateView view = view::build_gate_view(facts);
  const bool fails = view.verdict == LimitVerdict::kFail ||
                     (options.strict && view.verdict == LimitVerdict::kTooNoisy);
  const int code = fails ? 1 : 0;
  if (options.json) {
    print(stdout, dump(gate_json(options, id, facts, view, code), 2) + "\n");
  } else if (options.markdown) {
    print(stdout, view::table_markdown(view.table));
  } else {
    print(stdout, tables_text({view.table}, wants_color(stdout)));
  }
  return code;
}

}  // namespace

void add_gate(Command& app) {
  auto options = std::make_shared<GateOptions>();
  Command command = app.add_command(
      "gate", "Pass or fail a run, for CI: not slower than a baseline, as accurate as asked for");
  add_run_name(command, *options);
  command.add_option("--against BASELINE", options->against,
                     "The run whose step time it is held against");
  command.add_option("--max-slower SHARE", options->max_slower,
                     "By how much longer a step may take, 5% or 0.05 (default 5%)");
  command.add_option("--min-accuracy SHARE", options->min_accuracy,
                     "What the last validation has to reach, 97% or 0.97");
  command.add_flag("--strict", options->strict, "Fail also where the noise is too large to tell");
  command.add_flag("--allow-different", options->allow_different,
                   "Compare although a step does other work: batch, model, data, world size");
  add_json(command, *options, "One JSON object");
  command.add_flag("--markdown", options->markdown, "Markdown, for the summary of a CI job")
      .excludes(command.option("--json"));
  add_runs_dir(command, *options);
  command.footer(
      "Repeats of either in its study count with it. Exit codes: 0 it passes, or the noise is too "
      "large to tell; 1 it\nfails; 2 the two cannot be compared, or the request was wrong.");
  command.action([options] { return gate(*options); });
}

}  // namespace ringside::cli
