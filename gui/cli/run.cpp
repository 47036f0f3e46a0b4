// `ringside run`: plan, check, start, stay until the end, tell the result.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/cli/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/script_options.h"
#include "gui/cli/watch.h"
#include "gui/launch/fast.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/launch/preflight/readiness.h"
#include "gui/launch/presets.h"
#include "gui/launch/program/program_files.h"
#include "gui/launch/start_experiment.h"
#include "gui/runs/run_figures.h"
#include "gui/session/export_run.h"
#include "gui/session/machines/known_probe.h"
#include "gui/session/quick_fit.h"
#include "gui/slurm/jobs.h"
#include "gui/view/launch/launch_probe.h"
#include "protocol/base/printable.h"

namespace ringside::cli {
namespace {

struct RunOptions : CommonOptions {
  std::string what;
  std::vector<std::string> sets;
  std::optional<std::string> name;
  ScriptOptions script;
  SlurmOptions slurm;
  std::string on_alert;
  std::optional<std::string> files;
  bool quick = false;
  bool fast = false;
  bool detach = false;
  bool no_wait = false;
  bool dry_run = false;
};

/// Where the run will run, and which part of it this process has (a task of srun has only one).
struct Surroundings {
  launch::Machine machine;  ///< to plan with
  place::PlacePtr place;
  std::optional<TaskPart> srun{};
  bool sees_gpu = false;  ///< this task of srun does
};

Result<launch::EarlierRun> find_earlier(const std::filesystem::path& runs_dir,
                                        const std::string& text) {
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, text));
  auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
  const auto figures = runs::read_figures(found.folder, spec);
  const bool finished = figures.state && figures.state->state == messages::State::kFinished;
  if (const std::string why = launch::edited_since(found.folder, spec.program); !why.empty())
    return bad_request("run " + found.folder.id() + " cannot be the baseline: " + why);
  return launch::EarlierRun{found.folder.id(), std::move(spec), finished};
}

// Settings first: only a run whose settings fit is worth reading. Beyond so many runs an equal one
// is likely to be of another version of everything else.
launch::FindEqual newest_equal(const std::filesystem::path& runs_dir) {
  constexpr std::size_t kMost = 500;
  return [runs_dir](const auto& fits) -> std::optional<launch::EarlierRun> {
    const auto listed = runs::list_runs(runs_dir);
    launch::ProgramsToday today;
    std::size_t looked_at = 0;
    for (std::size_t i = listed ? listed->size() : 0; i-- > 0 && looked_at < kMost; ++looked_at) {
      auto spec = runs::read_spec((*listed)[i].folder);
      if (!spec || !fits({(*listed)[i].folder.id(), *spec, true}) ||
          !today.changed_since((*listed)[i].folder, spec->program).empty())
        continue;
      const auto figures = runs::read_figures((*listed)[i].folder, *spec);
      if (figures.state && figures.state->state == messages::State::kFinished)
        return launch::EarlierRun{(*listed)[i].folder.id(), std::move(*spec), true};
    }
    return std::nullopt;
  };
}

/// A plan of these settings, over which the environment and --set go.
Result<launch::Plan> plan_settings(const RunOptions& options, messages::RunSpec settings,
                                   const Surroundings& here, const launch::LoadedPreset* preset) {
  auto sets = options.sets;
  if (options.no_wait) sets.emplace_back("devices.when_busy=refuse");
  auto spec = launch::resolve_spec(std::move(settings), launch::process_environment(), sets);
  if (!spec) return pass(spec);
  if (options.name) spec->name = *options.name;
  spec = here.place->settled(std::move(*spec));
  if (!spec) return pass(spec);
  if (here.srun) {
    if (options.script.ranks > 0 && options.script.ranks != here.srun->task.tasks) {
      return bad_request("--ranks " + std::to_string(options.script.ranks) + ": " +
                         slurm::words_of(here.srun->task) + "; leave it out");
    }
    spec = slurm::on_tasks(std::move(*spec), here.srun->task, options.sets, here.sees_gpu);
    if (!spec) return pass(spec);
  }
  if (preset != nullptr) {
    const auto ready = launch::readiness(*preset, *spec, options.quick, here.machine);
    if (!ready.ready) return bad_request(ready.why + (ready.then.empty() ? "" : "; " + ready.then));
  }
  return launch::plan_experiment(
      *spec, here.machine,
      [&](const std::string& text) { return find_earlier(options.runs_folder(), text); },
      here.place->is_here() ? newest_equal(options.runs_folder()) : launch::FindEqual());
}

Result<launch::Plan> plan_of(const RunOptions& options, const Surroundings& here) {
  if (options.name && !is_utf8(*options.name))
    return bad_request("--name is not valid UTF-8: \"" + one_line(*options.name) + "\"");
  if (!options.script.command.empty()) {
    auto settings =
        RINGSIDE_TRY(script_settings(options.script, options.name.value_or(""), here.machine));
    return plan_settings(options, std::move(settings), here, nullptr);
  }
  auto preset = RINGSIDE_TRY(launch::load_preset(options.what));
  auto scale = RINGSIDE_TRY(launch::settings_of(preset, options.quick));
  auto plan = plan_settings(options, std::move(scale), here, &preset);
  if (plan) launch::keep_source(*plan, preset);
  return plan;
}

/// How long a step of the same work took here on GPUs, where such a run has finished.
std::optional<double> known_step_ms(const std::filesystem::path& runs_dir,
                                    const messages::RunSpec& spec) {
  const auto differs_in_work = [](const messages::FieldDifference& difference) {
    static constexpr std::array kWork = {"model.",    "data.name", "data.resize",
                                         "data.crop", "batch.",    "devices.world_size"};
    return std::ranges::any_of(
        kWork, [&](const char* begin) { return difference.key.starts_with(begin); });
  };
  const auto found = newest_equal(runs_dir)([&](const launch::EarlierRun& run) {
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

/// The same plan, fast. What --set says comes after it.
Result<launch::Plan> plan_fast(RunOptions& options, const launch::Plan& plan,
                               const Surroundings& here) {
  const messages::RunSpec& spec = plan.runs.back().spec;
  const std::string why =
      here.machine.elsewhere
          ? "the GPUs of its nodes are not known here"
          : launch::why_not_fast(spec, launch::capabilities_of(spec, here.machine));
  if (!why.empty()) return bad_request("--fast: " + why);
  const auto sets = launch::fast_settings(spec, known_step_ms(options.runs_folder(), spec));
  options.sets.insert(options.sets.begin(), sets.begin(), sets.end());
  return plan_of(options, here);
}

/// A quick form is fitted to this machine: how long it takes here, and no larger than that allows.
Result<launch::Plan> fit_run(const RunOptions& options, launch::Plan plan, const Surroundings& here,
                             const launch::Cancelled& cancelled) {
  if (!options.quick || !here.place->is_here() || here.srun || options.dry_run) return plan;
  session::QuickWish wish;
  // A baseline that is there has its size.
  wish.may_resize = !session::chooses_size(launch::process_environment(), options.sets) &&
                    plan.runs.back().spec.baseline.run.empty();
  wish.probing = tell_probing;
  wish.cancelled = cancelled;
  const auto fit = RINGSIDE_TRY(session::fit_quick(plan, wish, here.machine));
  if (fit.train_samples > 0) {
    RunOptions smaller = options;
    smaller.sets.push_back("data.train_samples=" + std::to_string(fit.train_samples));
    auto planned = plan_of(smaller, here);
    if (!planned) return planned;
    plan = std::move(*planned);
  }
  for (const std::string& line : fit.lines) print(stderr, line + "\n");
  session::expect_seconds(fit, plan);
  return plan;
}

/// What the options say, before anything is looked at.
Result<void> check_options(const RunOptions& options) {
  RINGSIDE_TRY(check_on_alert(options.on_alert));
  RINGSIDE_TRY(check_script_options(options.script, options.what, "run"));
  RINGSIDE_TRY(check_slurm_options(options.slurm));
  if (options.quick && !options.script.command.empty())
    return bad_request("--quick is the small scale of a preset; a command has none");
  return {};
}

std::vector<runs::RunSummary> experiment_summaries(const launch::Experiment& experiment,
                                                   const RunOptions& options) {
  std::vector<runs::RunSummary> summaries;
  for (const auto& folder : experiment.folders) {
    const auto listed = runs::find_run(options.runs_folder(), folder.id());
    summaries.push_back(runs::read_summary(listed ? *listed : runs::ListedRun{folder, 0}));
  }
  return summaries;
}

void print_detached(const std::vector<runs::RunSummary>& summaries, bool json, double expected_s) {
  if (json) {
    print(stdout, dump(experiment_json(summaries, expected_s)) + "\n");
    return;
  }
  for (const auto& run : summaries) {
    print(stdout, runs::label_of(run) + "  " + run.folder.id() + "  " + one_line(run.name) + "\n");
    print(stdout, queued_line(run));
  }
  // Named by its id: after a step of the clock the last run of the list may be another.
  const auto& folder = summaries.back().folder;
  const std::string id = folder.id() + where_found(folder.path().parent_path());
  print(stdout, "Running in the background. Watch: ringside tail " + id +
                    "   Stop: ringside stop " + id + "\n");
}

/// What the experiment left, as files.
Result<void> write_files(const RunOptions& options, const launch::Experiment& experiment) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.files, "--export"));
  std::vector<std::string> ids;
  for (const auto& folder : experiment.folders) ids.push_back(folder.id());
  const auto written = RINGSIDE_TRY(session::export_runs(options.runs_folder(), ids, to));
  print(stderr, "Wrote " + written.path.string() + "\n");
  return {};
}

/// On a cluster only files can be checked from here.
std::vector<launch::Check> checks_of(const RunOptions& options, const launch::Plan& plan,
                                     const Surroundings& here) {
  if (!here.place->is_here() || here.srun) return launch::check_files(plan, options.runs_folder());
  return launch::preflight(plan, launch::look_around(here.machine), options.runs_folder());
}

Result<launch::Experiment> start(const RunOptions& options, const launch::Plan& plan,
                                 const Surroundings& here, const launch::Cancelled& cancelled) {
  if (here.srun) {
    return slurm::start_on_tasks(plan, *here.srun->meeting, options.runs_folder(), SystemClock(),
                                 cancelled);
  }
  auto experiment = here.place->start(plan, options.runs_folder(), cancelled);
  if (experiment) tell_jobs(*experiment);
  return experiment;
}

Result<int> dry_run(const RunOptions& options, const launch::Plan& plan,
                    const place::Place& where) {
  std::vector<TitledSettings> runs;
  for (const auto& run : plan.runs)
    runs.emplace_back(run.is_baseline ? "The baseline, first" : "The run", run.spec);
  return print_dry_run(runs, where.preview(plan, options.runs_folder(), false), options.json);
}

/// With --slurm nothing is probed here: the agents see what their nodes have.
Result<Surroundings> look_around(const RunOptions& options, std::optional<TaskPart> srun,
                                 const launch::Cancelled& cancelled) {
  auto place = place_of(options.slurm, cancelled);
  auto machine = srun ? launch::read_machine(cancelled) : place->machine(cancelled);
  if (!machine) return pass(machine);
  if (!srun) return Surroundings{std::move(*machine), std::move(place)};
  return Surroundings{slurm::cluster(), std::move(place), std::move(srun), !machine->gpus.empty()};
}

/// All but the end of the task of rank 0, if that is what this is.
Result<int> run_here(RunOptions options, const Surroundings& here, const Interrupts& interrupts) {
  const auto cancelled = [&] { return interrupts.any(); };
  auto plan = plan_of(options, here);
  if (!plan) return pass(plan);
  if (options.fast) plan = plan_fast(options, *plan, here);
  if (!plan) return pass(plan);
  plan = fit_run(options, std::move(*plan), here, cancelled);
  if (!plan) return not_done(interrupts, plan.error(), kNothingStarted);
  if (options.dry_run) return dry_run(options, *plan, *here.place);
  const auto name = [&](const std::string& text) {
    return one_line(runs::name_runs(text, options.runs_folder()));
  };
  for (const auto& note : plan->notes) print(stderr, "Note: " + name(note) + "\n");
  if (const std::string note =
          here.srun ? slurm::words_of(here.srun->task) : allocation_note(options.slurm);
      !note.empty())
    print(stderr, "Note: " + note + "\n");
  const messages::RunSpec& asked = plan->runs.back().spec;
  if (const auto probe = session::known_probe(asked, options.runs_folder()))
    print(stderr, "Links: " + view::probe_sentence(asked, *probe, SystemClock().wall_ns()) + "\n");
  const auto checks = checks_of(options, *plan, here);
  for (const auto& check : checks) {
    if (check.verdict == launch::Verdict::kWarning)
      print(stderr, "Warning: " + name(told(check)) + "\n");
    if (check.title == launch::kSpeedTitle) print(stderr, "Speed: " + told(check) + "\n");
  }
  if (const auto fine = launch::refuse_failures(checks); !fine)
    return tl::unexpected(Error{fine.error().kind, name(fine.error().message)});
  if (cancelled()) return gave_up(interrupts, kNothingStarted);
  const auto experiment = start(options, *plan, here, cancelled);
  if (!experiment) return not_done(interrupts, experiment.error(), kNothingStarted);
  if (options.detach) {
    print_detached(experiment_summaries(*experiment, options), options.json,
                   launch::expected_s(*plan));
    return 0;
  }
  if (options.slurm.on) {
    watch_jobs(*experiment, *plan, interrupts, options.on_alert);
  } else {
    watch_experiment(*experiment, *plan, interrupts, options.on_alert);
  }
  if (interrupts.leaving()) return left_alone(interrupts, options.runs_folder());
  const auto summaries = experiment_summaries(*experiment, options);
  print_result(summaries, options.json, launch::expected_s(*plan));
  if (options.files) RINGSIDE_TRY(write_files(options, *experiment));
  return exit_code_of(summaries, interrupts);
}

Result<int> run(const RunOptions& options) {
  const Interrupts interrupts;
  auto srun = RINGSIDE_TRY(task_part(options.runs_folder(), interrupts, options.detach,
                                     options.slurm.on ? "--slurm" : ""));
  if (srun && !srun->meeting) return join_run(options.runs_folder(), srun->task, interrupts);
  // One task of srun alone reports errors.
  RINGSIDE_TRY(check_options(options));
  const auto here = look_around(options, std::move(srun), [&] { return interrupts.any(); });
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!here) return pass(here);
  const int code = code_of(run_here(options, *here, interrupts));
  if (here->srun) here->srun->meeting->end(code);
  return code;
}

}  // namespace

void add_run(Command& app) {
  auto options = std::make_shared<RunOptions>();
  Command command = app.add_command(
      "run",
      "Train: the baseline first where the experiment has one, then the run.\n"
      "A preset, an experiment file, or behind -- any command: ringside run [OPTIONS] -- "
      "COMMAND...");
  command
      .add_option("PRESET|FILE.toml", options->what,
                  "A preset (`ringside presets`) or an experiment file")
      .type("");
  command
      .add_option(
          "--ranks", options->script.ranks,
          "With -- COMMAND: how many run it (default: as torchrun or accelerate in it says, "
          "else 1)")
      .type("N")
      .range(1, 4096);
  command
      .add_option("--baseline", options->script.baseline,
                  "With -- COMMAND: run it on one device first, reuse an equal earlier run, none "
                  "(default), or an earlier run")
      .type("run|reuse|none|RUN")
      .not_empty("run, reuse, none or a run");
  add_script_options(command, options->script);
  command
      .add_option("--set", options->sets,
                  "Change a setting, e.g. --set train.epochs=5 (repeatable)")
      .type("KEY=VALUE")
      .repeatable();
  command.add_flag(
      "--quick", options->quick,
      "The preset's small scale: CPU ranks and generated data, fitted to this machine");
  command.add_flag("--fast", options->fast,
                   "On GPUs of compute capability 8.0 or newer: bf16, channels last, cuDNN's "
                   "benchmark, and a CUDA graph where steps are known to be short");
  command.add_option("--name", options->name, "Name to show").type("TEXT");
  command.add_flag("--detach", options->detach,
                   "Return at once; the run continues in the background");
  add_on_alert(command, options->on_alert);
  command
      .add_option("--export", options->files,
                  "Write its report (HTML) and the tables of its runs (CSV) into this folder when "
                  "it has ended")
      .type("DIR")
      .excludes(command.option("--detach"));
  command.add_flag("--no-wait", options->no_wait,
                   "Fail if another run has the devices, instead of waiting for them");
  command.add_flag(
      "--dry-run", options->dry_run,
      "Print the resolved settings of every run, and with --slurm the jobs; start nothing");
  add_slurm_options(command, options->slurm);
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
    return run_there(*options, typed, Errand::kStay,
                     options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
