// `ringside run`: plans, checks, starts, follows the run to its end, and prints the result.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/script_options.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/watched_files.h"
#include "gui/launch/preflight/fast.h"
#include "gui/launch/presets.h"
#include "gui/session/export_run.h"
#include "gui/session/machines/known_probe.h"
#include "gui/session/quick_fit.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_fit.h"
#include "gui/session/studies/study_runs.h"
#include "gui/session/studies/study_start.h"
#include "gui/view/launch/launch_probe.h"
#include "protocol/base/printable.h"

namespace ringside::cli {
namespace {

struct RunOptions : CommonOptions {
  std::string what;
  std::vector<std::string> sets;
  std::optional<std::string> name;
  ScriptOptions script;
  PlaceOptions place;
  std::string on_alert;
  std::optional<std::string> files;
  bool quick = false;
  bool fast = false;
  bool detach = false;
  bool no_wait = false;
  bool dry_run = false;
};

struct StartContext {
  launch::Machine machine;  ///< used for planning
  place::PlacePtr place;
};

/// The request that the options make, before the environment and --set are applied.
Result<session::StudyPlanRequest> plan_request_of(const RunOptions& options,
                                                  const StartContext& here) {
  if (options.name && !is_utf8(*options.name))
    return bad_request("--name is not valid UTF-8: \"" + one_line(*options.name) + "\"");
  session::StudyPlanRequest plan_request;
  plan_request.request.one_setting = true;
  messages::RunSpec settings;
  if (!options.script.command.empty()) {
    settings =
        RINGSIDE_TRY(script_settings(options.script, options.name.value_or(""), here.machine));
  } else {
    plan_request.preset = RINGSIDE_TRY(launch::load_preset(options.what));
    plan_request.quick = options.quick;
    settings = RINGSIDE_TRY(launch::settings_of(plan_request.preset, options.quick));
  }
  auto sets = options.sets;
  if (options.no_wait) sets.emplace_back("devices.when_busy=refuse");
  plan_request.spec =
      RINGSIDE_TRY(launch::resolve_spec(std::move(settings), launch::process_environment(), sets));
  if (options.name) plan_request.spec.name = *options.name;
  return session::in_place(std::move(plan_request), *here.place);
}

/// Step time of the same work on GPUs of this machine, if such a run has finished.
std::optional<double> known_step_ms(const std::filesystem::path& runs_dir,
                                    const messages::RunSpec& spec) {
  const auto differs_in_work = [](const messages::FieldDifference& difference) {
    static constexpr std::array kWork = {"model.",    "data.name", "data.resize",
                                         "data.crop", "batch.",    "devices.world_size"};
    return std::ranges::any_of(
        kWork, [&](const char* begin) { return difference.key.starts_with(begin); });
  };
  const auto found = session::EarlierRuns(runs_dir).newest([&](const launch::EarlierRun& run) {
    const auto differences = messages::differences(run.spec, spec);
    return !run.spec.devices.ids.empty() && std::ranges::none_of(differences, differs_in_work);
  });
  if (!found) return std::nullopt;
  const auto listed = runs::find_run(runs_dir, found->id);
  if (!listed) return std::nullopt;
  const auto run = runs::read_summary(*listed);
  const double step_ms = 1000 * static_cast<double>(run.global_batch) / run.figures.samples_per_s;
  return step_ms > 0 ? std::optional(step_ms) : std::nullopt;
}

/// Adds the settings of "fast" to the same run; --set is applied after them.
Result<void> add_fast(RunOptions& options, const launch::Plan& plan, const StartContext& here) {
  const messages::RunSpec& spec = plan.runs.back().spec;
  const std::string why =
      here.machine.elsewhere
          ? "the GPUs of its nodes are not known here"
          : launch::why_not_fast(spec, launch::capabilities_of(spec, here.machine));
  if (!why.empty()) return bad_request("--fast: " + why);
  const auto sets = launch::fast_settings(spec, known_step_ms(options.runs_folder(), spec));
  options.sets.insert(options.sets.begin(), sets.begin(), sets.end());
  return {};
}

/// The plan; a quick form is fitted to this machine: its time is estimated, and its size is
/// limited.
Result<session::StudyPlan> plan_of(RunOptions& options, const StartContext& here,
                                   const launch::Cancelled& cancelled) {
  auto plan_request = RINGSIDE_TRY(plan_request_of(options, here));
  auto plan = RINGSIDE_TRY(session::plan_study(options.runs_folder(), plan_request, here.machine));
  if (options.fast) {
    RINGSIDE_TRY(add_fast(options, plan.plan, here));
    plan_request = RINGSIDE_TRY(plan_request_of(options, here));
    plan = RINGSIDE_TRY(session::plan_study(options.runs_folder(), plan_request, here.machine));
  }
  if (!options.quick || options.dry_run) return plan;
  session::StudyFitRequest fit;
  fit.chosen_size = session::chooses_size(launch::process_environment(), options.sets);
  fit.chosen_settings = true;
  fit.probing = tell_probing;
  fit.cancelled = cancelled;
  return session::fit_study(options.runs_folder(), plan_request, std::move(plan), here.machine,
                            fit);
}

/// Checks the options before anything else is read.
Result<void> check_options(const RunOptions& options) {
  RINGSIDE_TRY(check_on_alert(options.on_alert));
  RINGSIDE_TRY(check_script_options(options.script, options.what, "run"));
  RINGSIDE_TRY(check_place_options(options.place));
  if (options.quick && !options.script.command.empty())
    return bad_request("--quick is the small scale of a preset; a command has none");
  return {};
}

void print_detached(const std::vector<runs::RunSummary>& summaries, bool json, double expected_s) {
  if (json) {
    print(stdout, dump(result_json(summaries, expected_s)) + "\n");
    return;
  }
  for (const auto& run : summaries) {
    print(stdout, runs::label_of(run) + "  " + run.folder.id() + "  " + one_line(run.name) + "\n");
    print(stdout, queued_line(run));
  }
  // The run is identified by its id: after a change of the clock the last run of the list may be
  // another.
  const auto& folder = summaries.back().folder;
  const std::string id = folder.id() + where_found(folder.path().parent_path());
  print(stdout, "Running in the background. Watch: ringside tail " + id +
                    "   Stop: ringside stop " + id + "\n");
}

Result<void> write_files(const RunOptions& options, const launch::Started& started) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.files, "--export"));
  std::vector<std::string> ids;
  for (const auto& folder : started.folders) ids.push_back(folder.id());
  const auto written = RINGSIDE_TRY(session::export_runs(options.runs_folder(), ids, to));
  print(stderr, "Wrote " + written.path.string() + "\n");
  return {};
}

Result<int> dry_run(const RunOptions& options, const session::StudyPlan& plan) {
  std::vector<TitledSettings> runs;
  for (const auto& run : plan.plan.runs)
    runs.emplace_back(run.is_baseline ? "The baseline, first" : "The run", run.spec);
  return print_dry_run(runs, plan, options.runs_folder(), options.json);
}

/// If the run goes to another place, its agents inspect the devices, and nothing is probed here.
Result<StartContext> start_context(const RunOptions& options, const std::optional<TaskPart>& srun,
                                   const launch::Cancelled& cancelled) {
  auto place = RINGSIDE_TRY(srun ? place::on_tasks(srun->meeting, options.sets, cancelled)
                                 : place_of(options.place, cancelled));
  if (srun && options.script.ranks > 0 && options.script.ranks != srun->task.tasks)
    return bad_request("--ranks " + std::to_string(options.script.ranks) + ": " + place->note() +
                       "; leave it out");
  auto machine = RINGSIDE_TRY(place->machine(cancelled));
  return StartContext{std::move(machine), std::move(place)};
}

/// Runs everything except the end of the task of rank 0, if this process is that task.
Result<int> run_here(RunOptions options, const StartContext& here, const Interrupts& interrupts) {
  const auto cancelled = [&] { return interrupts.any(); };
  auto plan = plan_of(options, here, cancelled);
  if (!plan) return not_done(interrupts, plan.error(), kNothingStarted);
  for (const std::string& line : plan->quick) print(stderr, line + "\n");
  if (options.dry_run) return dry_run(options, *plan);
  const auto name = [&](const std::string& text) {
    return one_line(runs::name_runs(text, options.runs_folder()));
  };
  for (const auto& note : plan->plan.notes) print(stderr, "Note: " + name(note) + "\n");
  if (const std::string note = plan->where->note(); !note.empty())
    print(stderr, "Note: " + note + "\n");
  const messages::RunSpec& asked = plan->plan.runs.back().spec;
  if (const auto probe = session::known_probe(asked, options.runs_folder()))
    print(stderr, "Links: " + view::probe_sentence(asked, *probe, SystemClock().wall_ns()) + "\n");
  const auto checks = session::checks_of(*plan, here.machine, options.runs_folder());
  for (const auto& check : checks) {
    if (check.verdict == launch::Verdict::kWarning)
      print(stderr, "Warning: " + name(result_text(check)) + "\n");
    if (check.title == launch::kSpeedTitle) print(stderr, "Speed: " + result_text(check) + "\n");
  }
  if (const auto fine = launch::refuse_failures(checks); !fine)
    return tl::unexpected(Error{fine.error().kind, name(fine.error().message)});
  if (cancelled()) return gave_up(interrupts, kNothingStarted);
  const auto started = session::start_study(options.runs_folder(), std::move(*plan), cancelled);
  if (!started) return not_done(interrupts, started.error(), kNothingStarted);
  tell_started(*started->plan.where, started->runs);
  const launch::Plan& watched = started->plan.plan;
  if (options.detach) {
    print_detached(summaries_of(started->runs.folders, options.runs_folder()), options.json,
                   launch::expected_s(watched));
    return 0;
  }
  stay(started->runs, watched, interrupts, options.on_alert);
  if (interrupts.leaving()) return left_alone(interrupts, options.runs_folder());
  const auto summaries = summaries_of(started->runs.folders, options.runs_folder());
  print_result(summaries, options.json, launch::expected_s(watched));
  if (options.files) RINGSIDE_TRY(write_files(options, started->runs));
  return exit_code_of(summaries, interrupts);
}

Result<int> run(const RunOptions& options) {
  const Interrupts interrupts;
  const place::Kind* const kind = options.place.chosen();
  const auto srun = RINGSIDE_TRY(task_part(options.runs_folder(), interrupts, options.detach,
                                           kind == nullptr ? "" : kind->word));
  if (srun && !srun->meeting) return join_run(options.runs_folder(), srun->task, interrupts);
  // Only one task of srun reports errors.
  RINGSIDE_TRY(check_options(options));
  const auto here = start_context(options, srun, [&] { return interrupts.any(); });
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!here) return pass(here);
  const int code = code_of(run_here(options, *here, interrupts));
  if (srun) srun->meeting->end(code);
  return code;
}

}  // namespace

void add_run(Command& app) {
  auto options = std::make_shared<RunOptions>();
  Command command = app.add_command(
      "run",
      "Train: the baseline first where there is to be one, then the run.\n"
      "A preset, a settings file, or behind -- any command: ringside run [OPTIONS] -- "
      "COMMAND...");
  command.add_option("PRESET|FILE.toml", options->what,
                     "A preset (`ringside presets`) or a settings file");
  command
      .add_option(
          "--ranks N", options->script.ranks,
          "With -- COMMAND: how many run it (default: as torchrun or accelerate in it says, "
          "else 1)")
      .range(1, 4096);
  command
      .add_option("--baseline run|reuse|none|RUN", options->script.baseline,
                  "With -- COMMAND: run it on one device first, reuse an equal earlier run, none "
                  "(default), or an earlier run")
      .not_empty("run, reuse, none or a run");
  add_script_options(command, options->script);
  command
      .add_option("--set KEY=VALUE", options->sets,
                  "Change a setting, e.g. --set train.epochs=5 (repeatable)")
      .repeatable();
  command.add_flag(
      "--quick", options->quick,
      "The preset's small scale: CPU ranks and generated data, fitted to this machine");
  command.add_flag("--fast", options->fast,
                   "On GPUs of compute capability 8.0 or newer: bf16, channels last, cuDNN's "
                   "benchmark, and a CUDA graph where steps are known to be short");
  command.add_option("--name TEXT", options->name, "Name to show");
  command.add_flag("--detach", options->detach,
                   "Return at once; the run continues in the background");
  add_on_alert(command, options->on_alert);
  command
      .add_option("--export DIR", options->files,
                  "Write its report (HTML) and the tables of its runs (CSV) into this folder when "
                  "it has ended")
      .excludes(command.option("--detach"));
  command.add_flag("--no-wait", options->no_wait,
                   "Fail if another run has the devices, instead of waiting for them");
  command.add_flag(
      "--dry-run", options->dry_run,
      "Print the resolved settings of every run, and with --slurm the jobs; start nothing");
  add_place_options(command, options->place);
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  add_on(command, *options,
         "On another machine: its presets, or a file of this one; paths are those of that machine")
      .excludes(command.option("--export"))
      .excludes(command.option("--on-alert"));
  command.footer(
      "ringside run --ranks 2 -- python train.py --lr 0.1   each rank runs it, with RANK, "
      "WORLD_SIZE and so on set\n"
      "ringside run -- torchrun --nproc-per-node 2 train.py   its options are read; Ringside "
      "starts "
      "the ranks\n"
      "srun --ntasks=8 ringside run -- python train.py       each task of srun is a rank\n"
      "Ctrl-C (or TERM) stops the run, a preset's with a checkpoint, a second one at once, a third "
      "kills it.\n"
      "A closed terminal (HUP) and Ctrl-\\ (QUIT) end only this command: the run continues in the "
      "background.");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return run(*options);
    return run_remotely(*options, typed, CommandKind::kStay,
                        options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
