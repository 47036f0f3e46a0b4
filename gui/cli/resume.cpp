// `ringside resume RUN`: starts a new attempt in the folder of a run that did not finish.
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/studies/study.h"
#include "gui/session/resumable.h"

namespace ringside::cli {
namespace {

constexpr std::string_view kNotResumed = "the run was not resumed";

constexpr const char* kScriptBegins =
    "Note: a script goes on from what it saved and loads itself, with the environment of this "
    "terminal; one that loads nothing begins again, and its earlier steps no longer count.\n";

struct ResumeOptions : CommonOptions {
  std::vector<std::string> sets;
  bool detach = false;
  std::string on_alert;
};

/// The settings with a person's changes, or with as many ranks as srun has started tasks; nothing:
/// unchanged.
Result<std::optional<messages::RunSpec>> changed_settings(const ResumeOptions& options,
                                                          const runs::RunSummary& run,
                                                          const place::Place& where,
                                                          const launch::Cancelled& cancelled) {
  if (where.has_begun()) {
    messages::RunSpec there = run.spec;
    there.devices.ids.clear();  // devices of the earlier attempt's place
    launch::StudyRequest request;
    RINGSIDE_TRY(where.for_study(there, request));
    if (there.devices.world_size != run.spec.devices.world_size) there.devices.threads = 0;
    auto spec = RINGSIDE_TRY(session::resumed_spec(there, options.sets, launch::unseen_machine()));
    return spec;
  }
  if (options.sets.empty()) return std::nullopt;
  const auto machine = run.report ? launch::unseen_machine() : launch::read_machine(cancelled);
  if (!machine) return pass(machine);
  auto spec = RINGSIDE_TRY(session::resumed_spec(run.spec, options.sets, *machine));
  return spec;
}

/// `srun`: set in the task of rank 0; null: not in a task.
Result<int> resume_run(const ResumeOptions& options, const place::TasksPtr& srun,
                       const Interrupts& interrupts) {
  RINGSIDE_TRY(check_on_alert(options.on_alert));
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto before = runs::read_summary(found);
  RINGSIDE_TRY(session::resumable(before));
  const auto cancelled = [&] { return interrupts.any(); };
  if (cancelled()) return gave_up(interrupts, kNotResumed);
  const auto where = srun ? place::on_tasks(srun, options.sets, cancelled) : place::here();
  const auto changed = where ? changed_settings(options, before, **where, cancelled)
                             : Result<std::optional<messages::RunSpec>>(pass(where));
  if (cancelled()) return gave_up(interrupts, kNotResumed);
  if (!changed) return pass(changed);
  const std::int32_t attempt = found.folder.attempts();
  if (const std::string note = (*where)->note(); !note.empty())
    print(stderr, "Note: " + note + "\n");
  const auto resumed = session::resume_run(before, *changed, cancelled, **where);
  if (!resumed) return not_done(interrupts, resumed.error(), kNotResumed);
  if (!before.spec.program.argv.empty()) print(stderr, kScriptBegins);
  if (!options.detach) {
    launch::Plan plan;
    plan.runs.push_back({changed->value_or(before.spec), false});
    stay(*resumed, plan, interrupts, options.on_alert, attempt);
    if (interrupts.leaving()) return left_alone(interrupts, options.runs_folder());
  }
  const std::vector<runs::RunSummary> after{runs::read_summary(found)};
  if (options.detach) print(stderr, queued_line(after.front()));
  if (options.detach && !options.json) {
    print(stdout, "Running in the background. Watch: ringside tail " + found.folder.id() +
                      where_found(options.runs_folder()) + "\n");
  } else {
    print_result(after, options.json);
  }
  return options.detach ? 0 : exit_code_of(after, interrupts);
}

Result<int> resume(const ResumeOptions& options) {
  if (!runs::study_name(options.run).empty()) {
    if (!options.sets.empty() || !options.on_alert.empty())
      return bad_request(
          "the recipe of a study is locked: no --set and no --on-alert with its name");
    StudyOptions study;
    study.runs_dir = options.runs_folder().string();
    study.what = options.run;
    study.detach = options.detach;
    study.json = options.json;
    return sweep(study);
  }
  const Interrupts interrupts;
  const auto srun = RINGSIDE_TRY(task_part(options.runs_folder(), interrupts, options.detach, ""));
  if (!srun) return resume_run(options, nullptr, interrupts);
  if (!srun->meeting) return join_run(options.runs_folder(), srun->task, interrupts);
  const int code = code_of(resume_run(options, srun->meeting, interrupts));
  srun->meeting->end(code);
  return code;
}

}  // namespace

void add_resume(Command& app) {
  auto options = std::make_shared<ResumeOptions>();
  Command command = app.add_command("resume",
                                    "Resume a run that was stopped, failed or interrupted, from "
                                    "its newest checkpoint, a script from what it saved and loads "
                                    "itself; or go on with a study (S-07)");
  command.footer(
      "srun --ntasks=8 ringside resume RUN   in the tasks of srun, as many ranks as it starts");
  add_run_name(command, *options);
  command
      .add_option("--set KEY=VALUE", options->sets,
                  "Go on with another setting of devices or limits, e.g. --set "
                  "devices.world_size=1 (repeatable)")
      .repeatable();
  command.add_flag("--detach", options->detach,
                   "Return at once; the run continues in the background");
  add_on_alert(command, options->on_alert);
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  add_on(command, *options, "On another machine").excludes(command.option("--on-alert"));
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? resume(*options)
                               : run_remotely(*options, typed, CommandKind::kStay);
  });
}

}  // namespace ringside::cli
