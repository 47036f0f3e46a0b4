#include "gui/session/launch/launch_controller.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gui/doctor/probe.h"
#include "gui/launch/program/program_files.h"
#include "gui/model/run_model.h"
#include "gui/runs/find_run.h"
#include "gui/runs/probe_file.h"
#include "gui/session/launch/launch_checks.h"
#include "gui/session/machines/machine_summary.h"
#include "gui/session/machines/start_there.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/steps.h"
#include "gui/view/carry_out.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

constexpr const char* kElsewhere = "Other machine";  // title of its one check

constexpr double kQuietS = 0.5;
constexpr double kNever = 3600;

Result<SeenMachine> read_machine_here(bool has_slurm) {
  auto machine = RINGSIDE_TRY(launch::read_machine());
  return SeenMachine{std::move(machine), has_slurm};
}

}  // namespace

LaunchController::LaunchController(std::filesystem::path runs_dir, Jobs& jobs,
                                   std::optional<OtherMachine> elsewhere)
    : runs_dir_(std::move(runs_dir)), jobs_(jobs), elsewhere_(std::move(elsewhere)) {
  if (elsewhere_) {
    summary_.elsewhere = remote::text_of(elsewhere_->address);
    summary_.cores = 0;
    slurm_form_.set_machine(summary_.elsewhere);
  }
  if (!elsewhere_) {
    slurm_form_.set_allocation(slurm::own_allocation());
    // Asked apart from the machine: jobs need nothing of its devices, whose driver may hang.
    has_slurm_ = slurm_form_.allocation() || slurm::has_cluster();
  }
  if (const auto found = launch::presets()) {
    for (const launch::Preset& preset : *found) {
      const auto loaded = launch::load_preset(preset.name);
      presets_.push_back(
          {preset.name, preset.title, loaded && loaded->file.spec.quick.has_value()});
    }
  }
}

LaunchController::~LaunchController() {
  *leaving_ = true;
  *probe_cancelled_ = true;
}

Result<void> LaunchController::select_preset(const std::string& name, bool quick) {
  auto loaded = RINGSIDE_TRY(launch::load_preset(name));
  auto spec = RINGSIDE_TRY(launch::settings_of(loaded, quick));
  auto resolved =
      RINGSIDE_TRY(launch::resolve_spec(std::move(spec), launch::process_environment(), {}));
  trainer_form_ = view::LaunchForm(std::move(resolved), name, quick);
  preset_ = std::move(loaded);
  kind_ = view::RunKind::kTrainer;
  if (machine_known_) trainer_form_.settle_devices(summary_);
  form_changed();
  return {};
}

view::LaunchForm& LaunchController::form() {
  return kind_ == view::RunKind::kScript ? script_form_.settings() : trainer_form_;
}

const view::LaunchForm& LaunchController::form() const {
  return kind_ == view::RunKind::kScript ? script_form_.settings() : trainer_form_;
}

messages::RunSpec LaunchController::spec() const {
  return kind_ == view::RunKind::kScript ? script_form_.spec() : trainer_form_.spec();
}

void LaunchController::form_changed() {
  problem_.clear();
  ++inputs_;
  ++revision_;
}

/// The devices that were selected stay.
void LaunchController::select_kind(view::RunKind kind) {
  if (kind == kind_) return;
  const messages::DevicesSpec devices = form().spec().devices;
  kind_ = kind;
  form().take_devices(devices);
}

void LaunchController::edit(const view::EditField& edit) {
  if (edit.key.starts_with(view::SlurmForm::kKeys)) {
    slurm_form_.edit(edit.key, edit.text);
    return;
  }
  if (kind_ == view::RunKind::kTrainer) {
    trainer_form_.edit(edit.key, edit.text);
    return;
  }
  const auto before = script_form_.launcher_ranks();
  script_form_.edit(edit.key, edit.text);
  follow_launcher(before);
}

void LaunchController::follow_launcher(std::optional<std::int64_t> before) {
  const auto ranks = script_form_.launcher_ranks();
  if (!ranks || ranks == before) return;
  messages::DevicesSpec devices = form().spec().devices;
  devices.world_size = *ranks;
  devices.ids.clear();
  form().take_devices(devices);
  if (machine_known_) form().settle_devices(summary_);
}

bool LaunchController::wants_accelerate() const {
  return kind_ == view::RunKind::kScript && script_form_.question() && !jobs_.running("accelerate");
}

void LaunchController::ask_accelerate() {
  const auto ask = [this, question = *script_form_.question(), elsewhere = summary_.elsewhere,
                    leaving = leaving_]() -> Jobs::Completion {
    auto answer = elsewhere.empty()
                      ? launch::ask_accelerate(question, [leaving] { return leaving->load(); })
                      : Result<launch::AccelerateAnswer>(failure("it is on " + elsewhere));
    return [this, question, answer = std::move(answer)] {
      const auto before = script_form_.launcher_ranks();
      script_form_.take_answer(question, answer);
      follow_launcher(before);
      form_changed();
    };
  };
  jobs_.start("accelerate", ask, JobKind::kReads);
}

void LaunchController::apply(const view::FormCommand& command) {
  view::carry_out(
      command, [this](const view::EditField& wanted) { edit(wanted); },
      [this](const view::ResetForm&) {
        if (kind_ == view::RunKind::kTrainer) {
          trainer_form_.reset();
          return;
        }
        script_form_.reset();
        if (machine_known_) script_form_.settings().settle_devices(summary_);
      },
      [this](const view::PickDevice& pick) { form().pick_device(pick.uuid, pick.on); },
      [this](const view::PickDevices& these) { form().pick_devices(these.uuids); },
      [this](const view::SetCpuRanks& slots) { form().set_cpu_ranks(slots.ranks); },
      [this](const view::SelectRunKind& wanted) { select_kind(wanted.kind); },
      [this](const view::RemoveVariable& wanted) { script_form_.remove_variable(wanted.row); },
      [this](const view::ProbeLinks&) { probe(); },
      [this](const view::CancelProbe&) { *probe_cancelled_ = true; });
  form_changed();
}

void LaunchController::probe() {
  if (jobs_.running("probe")) return;
  probe_problem_.clear();
  probe_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  jobs_.start("probe",
              [this, spec = spec(), machine = machine_, runs_dir = runs_dir_,
               cancelled = probe_cancelled_]() -> Jobs::Completion {
                const auto run = [&]() -> Result<void> {
                  auto settled = RINGSIDE_TRY(launch::settled(spec, machine));
                  doctor::ProbeWish wish{std::move(settled)};
                  wish.cancelled = [cancelled] { return cancelled->load(); };
                  const auto probe = RINGSIDE_TRY(doctor::probe_links(machine, wish));
                  return runs::keep_probe(runs_dir, probe);
                };
                const auto kept = run();
                return [this, problem = kept ? "" : kept.error().message] {
                  probe_problem_ = problem;
                  ++inputs_;
                };
              });
}

void LaunchController::use_as_baseline(const std::string& id) {
  form().edit("baseline.run", id);
  form().edit("baseline.mode", "reuse");
  form_changed();
}

void LaunchController::use_settings(messages::RunSpec spec) {
  if (!spec.program.argv.empty()) {
    script_form_ = view::ScriptForm(std::move(spec));
    kind_ = view::RunKind::kScript;
  } else {
    spec.checkpoint.resume = "none";
    trainer_form_ = view::LaunchForm(std::move(spec));
    preset_ = {};
    kind_ = view::RunKind::kTrainer;
  }
  if (machine_known_) form().settle_devices(summary_);
  form_changed();
}

void LaunchController::choose_script(const std::string& path) {
  select_kind(view::RunKind::kScript);
  script_form_.choose(path);
  form_changed();
}

void LaunchController::take_machine(const Result<SeenMachine>& seen) {
  // What was wrong at the last look; of a start it stays.
  if (problem_ == machine_problem_) problem_.clear();
  machine_problem_ = seen ? "" : seen.error().message;
  if (seen) {
    machine_ = slurm::seen_inside(seen->machine, slurm_form_.allocation());
    has_slurm_ = seen->has_slurm;
  } else {
    problem_ = machine_problem_;
  }
  const std::string where = summary_.elsewhere;
  summary_ = summary_of({machine_, {}, {}, {}}, runs_dir_);
  summary_.elsewhere = where;
  form().settle_devices(summary_);
  if (!seen && elsewhere_) summary_.cores = 0;
  machine_known_ = true;
  ++inputs_;
  ++revision_;
}

void LaunchController::ask_machine_again() {
  // A driver that hangs is not waited for when the window closes.
  const auto look = [this, elsewhere = elsewhere_, has_slurm = has_slurm_]() -> Jobs::Completion {
    const auto seen = elsewhere ? read_machine_there(*elsewhere) : read_machine_here(has_slurm);
    return [this, seen] { take_machine(seen); };
  };
  wants_machine_ = !jobs_.start("machine", look, elsewhere_ ? JobKind::kFar : JobKind::kReads);
}

void LaunchController::look_at_machine() {
  ask_machine_again();
  if (elsewhere_) return;  // its own preflight asks its own programs
  ask_allocation();
  jobs_.start("programs", [this, leaving = leaving_]() -> Jobs::Completion {
    auto programs = launch::ask_programs([leaving] { return leaving->load(); });
    return [this, programs = std::move(programs)] {
      programs_ = programs;
      ++inputs_;
      ++revision_;
    };
  });
}

/// Asks in a job of its own: the machine's own devices do not wait for Slurm.
void LaunchController::ask_allocation() {
  if (!slurm_form_.allocation()) return;
  jobs_.start(
      "allocation",
      [this, leaving = leaving_]() -> Jobs::Completion {
        const auto allocation = slurm::ask_allocation([leaving] { return leaving->load(); });
        return [this, allocation] {
          slurm_form_.set_allocation(allocation);
          machine_ = slurm::seen_inside(std::move(machine_), slurm_form_.allocation());
          ++inputs_;
          ++revision_;
        };
      },
      JobKind::kReads);
}

void LaunchController::set_runs(const std::vector<runs::RunSummary>& runs) {
  std::vector<launch::EarlierRun> earlier;
  finished_.clear();
  for (const runs::RunSummary& run : runs) {
    const bool finished = run.state.word == "finished";
    earlier.push_back({run.folder.id(), run.spec, finished});
    if (!finished || run.ranks != 1) continue;
    view::BaselineChoice choice;
    choice.id = run.folder.id();
    choice.number = run.number;
    choice.title = run.name;
    choice.seconds = run.figures.train_seconds;
    choice.accuracy = std::isnan(run.figures.val_accuracy) ? -1 : run.figures.val_accuracy;
    finished_.push_back(std::move(choice));
  }
  earlier_ = std::move(earlier);
  recent_scripts_ = view::recent_scripts(runs);
  ++inputs_;
  ++revision_;
}

void LaunchController::start_preflight() {
  const std::uint64_t wanted = inputs_;
  if (kind_ == view::RunKind::kScript && !script_form_.missing().empty()) {  // nothing to check
    checks_.clear();
    baselines_.clear();
    checked_ = wanted;
    ++revision_;
    return;
  }
  if (elsewhere_ && slurm_form_.on()) {
    check_job_there();
    return;
  }
  if (elsewhere_) {
    checks_.assign(1, check_there());
    checked_ = wanted;
    ++revision_;
    return;
  }
  if (slurm_form_.on()) {
    check_job();
    return;
  }
  jobs_.start(
      "preflight",
      [this, wanted, run = wanted_run(), programs = programs_, finished = finished_, form = form(),
       probing = jobs_.running("probe"), probe_problem = probe_problem_]() -> Jobs::Completion {
        launch::Surroundings around = launch::look_around(run.machine);
        around.programs = programs;
        auto checks = checks_here(run, around);
        auto baselines = equal_baselines(run.spec, run.machine, run.earlier, finished);
        auto summary = summary_of(around, run.runs_dir);
        if (auto links = links_check(form, run.spec, run.machine, summary, run.runs_dir,
                                     {nullptr, 0, probing, probe_problem}))
          checks.push_back(std::move(*links));
        return [this, wanted, checks = std::move(checks), baselines = std::move(baselines),
                summary = std::move(summary)] {
          checks_ = checks;
          baselines_ = baselines;
          summary_ = summary;
          checked_ = wanted;
          ++revision_;
        };
      },
      JobKind::kReads);
}

WantedRun LaunchController::wanted_run() const {
  const bool script = kind_ == view::RunKind::kScript;
  return {
      spec(),    slurm_form_,        earlier_, machine_, script ? launch::LoadedPreset{} : preset_,
      runs_dir_, allocation_told_ns_};
}

view::CheckView LaunchController::check_there() const {
  return {view::CheckState::kLater, kElsewhere, summary_.elsewhere + " checks it when it starts",
          view::label::kLater};
}

/// The other machine knows its presets, files and earlier runs, so it is asked what sbatch would
/// get.
void LaunchController::check_job_there() {
  jobs_.start(
      "preflight",
      [this, wanted = inputs_, machine = *elsewhere_, settings = messages::to_toml(spec()),
       words = slurm_form_.words()]() -> Jobs::Completion {
        const auto job = plan_job_there(machine, settings, words);
        return [this, wanted, job] {
          checks_.assign(1, job ? check_there()
                                : check_view({launch::Verdict::kFail,
                                              launch::titles::kPlan,
                                              job.error().message,
                                              {},
                                              {}}));
          sbatch_ = job.value_or(std::vector<std::string>());
          baselines_.clear();
          checked_ = wanted;
          ++revision_;
        };
      },
      JobKind::kFar);
}

void LaunchController::check_job() {
  jobs_.start(
      "preflight",
      [this, wanted = inputs_, run = wanted_run()]() -> Jobs::Completion {
        const SlurmPreflight found = check_on_slurm(run);
        std::vector<view::CheckView> checks;
        for (const launch::Check& check : found.checks) checks.push_back(check_view(check));
        return [this, wanted, checks = std::move(checks), found] {
          checks_ = checks;
          sbatch_ = found.argv;
          slurm_form_.set_allocation(found.allocation);
          allocation_told_ns_ = found.told_mono_ns;
          baselines_.clear();
          checked_ = wanted;
          ++revision_;
        };
      },
      JobKind::kReads);
}

double LaunchController::quiet_left_s() const {
  if (!wants_accelerate() && (!elsewhere_ || !slurm_form_.on())) return 0;
  return std::max(0.0, kQuietS - static_cast<double>(mono_now_ns() - seen_ns_) * 1e-9);
}

double LaunchController::next_update_s() const {
  const bool waits = machine_known_ && checked_ != inputs_ && !jobs_.running("preflight");
  return waits || wants_accelerate() ? quiet_left_s() : kNever;
}

bool LaunchController::update() {
  if (wants_machine_ && !jobs_.running("machine")) ask_machine_again();
  if (std::exchange(seen_, inputs_) != inputs_) seen_ns_ = mono_now_ns();
  // Slurm chooses the devices: those here need not be known.
  const bool known = machine_known_ || (!elsewhere_ && slurm_form_.on());
  const bool due = known && checked_ != inputs_ && !jobs_.running("preflight");
  if (due && quiet_left_s() <= 0) start_preflight();
  if (wants_accelerate() && quiet_left_s() <= 0) ask_accelerate();
  return std::exchange(shown_, revision_) != revision_;
}

void LaunchController::launch(std::function<void(const launch::Experiment&)> started,
                              std::function<void(const Error&)> failed) {
  if (jobs_.running("launch")) return;
  const bool script = kind_ == view::RunKind::kScript;
  if (script && !script_form_.missing().empty()) return;
  problem_.clear();
  ++revision_;
  jobs_.start(
      "launch",
      [this, run = wanted_run(), elsewhere = elsewhere_, started = std::move(started),
       failed = std::move(failed)]() -> Jobs::Completion {
        auto experiment =
            elsewhere ? start_there(*elsewhere, messages::to_toml(run.spec), run.form.words())
                      : start_in_place(run);
        return [this, experiment = std::move(experiment), started, failed] {
          ++revision_;
          if (experiment) {
            started(*experiment);
          } else {
            problem_ = experiment.error().message;
            failed(experiment.error());
          }
        };
      },
      elsewhere_ ? JobKind::kFar : JobKind::kWrites);
}

void LaunchController::fill(view::LaunchInput& input) const {
  input.form = &form();
  input.script = kind_ == view::RunKind::kScript ? &script_form_ : nullptr;
  input.slurm = has_slurm_ ? &slurm_form_ : nullptr;
  input.sbatch = sbatch_;
  input.recent_scripts = recent_scripts_;
  input.machine = &summary_;
  input.baselines = baselines_;
  input.checks = checks_;
  input.presets = presets_;
  input.busy = jobs_.running("launch");
  input.problem = problem_;
  input.revision = revision_;
}

}  // namespace ringside::session
