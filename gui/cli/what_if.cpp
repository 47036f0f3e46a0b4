// `ringside what-if RUN`: predicts the step time under other circumstances, and can start a run to
// verify it.

#include "gui/session/run/what_if.h"
#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

using analysis::StepChange;

struct WhatIfOptions : CommonOptions {
  int without_rank = -1;
  std::string link;
  bool no_data_wait = false;
  std::string bucket_mb;
  int ranks = 0;
  std::string steps;
  bool prove = false;
};

Result<double> factor_option(const char* option, const std::string& text) {
  const auto factor = view::factor_of(text);
  if (!factor)
    return bad_request(std::string(option) + ": \"" + one_line(text) +
                       "\" is not a number above 0");
  return *factor;
}

Result<StepChange> change_of(const WhatIfOptions& options) {
  StepChange change;
  if (options.without_rank >= 0) change.without_rank = options.without_rank;
  if (!options.link.empty()) change.link = RINGSIDE_TRY(factor_option("--link", options.link));
  if (!options.bucket_mb.empty())
    change.bucket_mib = RINGSIDE_TRY(factor_option("--bucket-mb", options.bucket_mb));
  change.no_data_wait = options.no_data_wait;
  change.ranks = options.ranks;
  return change;
}

Json prediction_json(const analysis::Prediction& found) {
  return {{"steps", found.steps},
          {"recorded_step_ns", found.recorded_ns},
          {"replayed_step_ns", found.replayed_ns},
          {"predicted_step_ns", found.step_ns.value},
          {"low_ns", found.step_ns.low},
          {"high_ns", found.step_ns.high},
          {"times_as_fast", found.faster()},
          {"shares_cores", found.shares_cores},
          {"extrapolated", found.extrapolated},
          {"link",
           {{"latency_ns", found.link.latency_ns},
            {"bytes_per_s",
             found.link.bytes_per_ns > 0 ? Json(found.link.bytes_per_ns * 1e9) : Json(nullptr)},
            {"of_probe", found.link.of_probe}}}};
}

Json what_if_json(const session::WhatIfRun& run, const StepChange& change,
                  const view::WhatIfView& view) {
  Json json{{"run", run.summary.folder.id()},
            {"change", view::change_options(change)},
            {"text", view.sentence}};
  json.update(prediction_json(view.found));
  json["notes"] = view.notes;
  json["not_provable"] = view.not_provable.empty() ? Json(nullptr) : Json(view.not_provable);
  json["tables"] = tables_json({view.changes, view.record});
  return json;
}

/// Runs the changed run to its end.
Result<int> prove(const WhatIfOptions& options, const session::WhatIfRun& run,
                  const StepChange& change) {
  const Interrupts interrupts;
  const auto proof = RINGSIDE_TRY(session::start_proof(
      options.runs_folder(), run.summary.folder, run.summary.spec, change,
      analysis::predict(run.replayable, change), [&] { return interrupts.any(); }));
  stay(proof.runs, proof.plan.plan, interrupts);
  if (interrupts.leaving()) return left_alone(interrupts, options.runs_folder());
  const auto& folder = proof.runs.folders.back();
  const auto shown =
      RINGSIDE_TRY(session::read_what_if(options.runs_folder(), folder.path().string()));
  const auto view = view::build_what_if_view(shown.facts(), {});
  if (options.json) {
    print(stdout, dump(what_if_json(shown, {}, view), 2) + "\n");
  } else {
    print(stdout, (view.notes.empty() ? view.sentence : view.notes.front()) + "\n");
  }
  return exit_code_of({shown.summary}, interrupts);
}

Result<int> what_if(const WhatIfOptions& options) {
  const StepChange change = RINGSIDE_TRY(change_of(options));
  if (options.prove && !options.steps.empty())
    return bad_request(
        "a run that proves it is measured after its warm-up: no --steps with --prove");
  const auto steps = RINGSIDE_TRY(steps_option(options.steps));
  const auto run = RINGSIDE_TRY(session::read_what_if(options.runs_folder(), options.run, steps));
  if (!run.replayable.refused.empty())
    return bad_request("run " + runs::label_of(run.summary) +
                       " cannot be replayed: " + run.replayable.refused);
  const auto ranks = static_cast<Rank>(run.replayable.worked.steps.front().ranks.size());
  if (const std::string wrong = analysis::check_change(change, ranks); !wrong.empty())
    return bad_request(wrong);
  if (options.prove) return prove(options, run, change);
  const auto view = view::build_what_if_view(run.facts(), change);
  if (view.changes.rows.empty()) return bad_request(view.sentence);
  if (options.json) {
    print(stdout, dump(what_if_json(run, change, view), 2) + "\n");
    return 0;
  }
  view::Table changes = view.changes;
  changes.title = view.sentence;
  changes.notes = view.notes;
  std::vector<view::Table> tables{changes};
  if (!view.record.rows.empty()) tables.push_back(view.record);
  print(stdout, tables_text(tables, wants_color(stdout)));
  return 0;
}

}  // namespace

void add_what_if(Command& app) {
  auto options = std::make_shared<WhatIfOptions>();
  Command command = app.add_command(
      "what-if",
      "What a step would take under other circumstances, replayed from what was recorded; several "
      "at once\nare combined; without any, each possible change is predicted by itself");
  add_run_name(command, *options);
  command
      .add_option("--without-rank RANK", options->without_rank,
                  "With this rank's own work as quick as that of the others")
      .range(0, 65535);
  command.add_option("--link xF", options->link, "With so many times the bandwidth: x2, x0.5");
  command.add_flag("--no-data-wait", options->no_data_wait, "With no rank waiting for data");
  command.add_option("--bucket-mb N", options->bucket_mb,
                     "With gradients in buckets of so many MiB, as bucket_cap_mb of DDP");
  command
      .add_option("--ranks N", options->ranks,
                  "On so many ranks, each with the batch that it had: an extrapolation")
      .range(2, 256);
  command.add_option(
      "--steps FROM-TO", options->steps,
      "Replay these steps alone (default: after the warm-up, the newest 500 at most)");
  command.add_flag("--prove", options->prove,
                   "Train it so, where that is a setting, and hold the prediction against it");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.action([options] { return what_if(*options); });
}

}  // namespace ringside::cli
