#include "gui/session/launch/launch_controller.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gui/doctor/probe.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/probe_file.h"
#include "gui/session/machines/machine_summary.h"
#include "gui/session/machines/remote_start.h"
#include "gui/view/carry_out.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

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
    offers_.summary.elsewhere = remote::text_of(elsewhere_->address);
    offers_.summary.cores = 0;
    next_.slurm.set_machine(offers_.summary.elsewhere);
  } else {
    // Slurm is queried separately: its jobs need no local device, whose driver may hang.
    const auto there = place::local_place();
    offers_.has_slurm = there != nullptr;
    if (there) next_.slurm.set_there(there);
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
  RINGSIDE_TRY(next_.take_preset(name, quick));
  form_changed();
  return {};
}

void LaunchController::inputs_changed() {
  ++inputs_;
  ++revision_;
  changed_ns_ = mono_now_ns();
}

void LaunchController::form_changed() {
  problem_.clear();
  inputs_changed();
}

bool LaunchController::wants_accelerate() const {
  const view::ScriptForm* script = next_.script();
  return script != nullptr && script->question() && !jobs_.running("accelerate");
}

void LaunchController::ask_accelerate() {
  const auto ask = [this, question = *next_.script()->question(),
                    elsewhere = offers_.summary.elsewhere,
                    leaving = leaving_]() -> Jobs::Completion {
    auto answer = elsewhere.empty()
                      ? launch::ask_accelerate(question, [leaving] { return leaving->load(); })
                      : Result<launch::AccelerateAnswer>(failure("it is on " + elsewhere));
    return [this, question, answer = std::move(answer)] {
      next_.take_answer(question, answer);
      form_changed();
    };
  };
  jobs_.start("accelerate", ask, JobKind::kReads);
}

void LaunchController::apply(const view::FormCommand& command) {
  view::carry_out(
      command, [this](const view::EditField& wanted) { next_.edit(wanted); },
      [this](const view::ResetForm&) { next_.reset(); },
      [this](const view::PickDevice& pick) { next_.pick_device(pick); },
      [this](const view::PickDevices& these) { next_.pick_devices(these); },
      [this](const view::SetCpuRanks& slots) { next_.set_cpu_ranks(slots.ranks); },
      [this](const view::SelectRunKind& wanted) { next_.select_kind(wanted.kind); },
      [this](const view::RemoveVariable& wanted) { next_.remove_variable(wanted.row); },
      [this](const view::ProbeLinks&) { probe(); },
      [this](const view::CancelProbe&) { *probe_cancelled_ = true; });
  form_changed();
}

void LaunchController::probe() {
  if (jobs_.running("probe")) return;
  probe_problem_.clear();
  probe_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  jobs_.start("probe",
              [this, spec = next_.spec(), machine = offers_.machine, runs_dir = runs_dir_,
               cancelled = probe_cancelled_]() -> Jobs::Completion {
                const auto run = [&]() -> Result<void> {
                  auto settled = RINGSIDE_TRY(launch::settled(spec, machine));
                  doctor::ProbeRequest request{std::move(settled)};
                  request.cancelled = [cancelled] { return cancelled->load(); };
                  const auto probe = RINGSIDE_TRY(doctor::probe_links(machine, request));
                  return runs::keep_probe(runs_dir, probe);
                };
                const auto kept = run();
                return [this, problem = kept ? "" : kept.error().message] {
                  probe_problem_ = problem;
                  inputs_changed();
                };
              });
}

void LaunchController::use_as_baseline(const std::string& id) {
  next_.take_baseline(id);
  form_changed();
}

void LaunchController::use_settings(messages::RunSpec spec) {
  next_.take_settings(std::move(spec));
  form_changed();
}

void LaunchController::choose_partition(const std::string& name) {
  next_.slurm.set_options({{"partition", name}});
  form_changed();
}

void LaunchController::choose_script(const std::string& path) {
  next_.choose_script(path);
  form_changed();
}

void LaunchController::take_machine(const Result<SeenMachine>& seen) {
  // An error from the last query of the machine is cleared; an error from a start stays.
  if (problem_ == offers_.problem) problem_.clear();
  offers_.problem = seen ? "" : seen.error().message;
  if (seen) {
    offers_.machine = next_.slurm.there()->seen_inside(seen->machine);
    offers_.has_slurm = seen->has_slurm;
  } else {
    problem_ = offers_.problem;
  }
  const std::string where = offers_.summary.elsewhere;
  offers_.summary = summary_of({offers_.machine, {}, {}, {}}, runs_dir_);
  offers_.summary.elsewhere = where;
  next_.settle(offers_.summary);
  if (!seen && elsewhere_) offers_.summary.cores = 0;
  offers_.known = true;
  inputs_changed();
}

void LaunchController::ask_machine_again() {
  // The window closes without waiting for a driver that hangs.
  const auto look = [this, elsewhere = elsewhere_,
                     has_slurm = offers_.has_slurm]() -> Jobs::Completion {
    const auto seen = elsewhere ? read_remote_machine(*elsewhere) : read_machine_here(has_slurm);
    return [this, seen] { take_machine(seen); };
  };
  offers_.wanted = !jobs_.start("machine", look, elsewhere_ ? JobKind::kFar : JobKind::kReads);
}

void LaunchController::look_at_machine() {
  ask_machine_again();
  if (elsewhere_) return;  // its own preflight checks its own programs
  ask_allocation();
  jobs_.start("programs", [this, leaving = leaving_]() -> Jobs::Completion {
    auto programs = launch::ask_programs([leaving] { return leaving->load(); });
    return [this, programs = std::move(programs)] {
      offers_.programs = programs;
      inputs_changed();
    };
  });
}

/// Runs in a job of its own, so that Slurm's answer does not delay the machine's own devices.
void LaunchController::ask_allocation() {
  if (!next_.slurm.there()->offer().inside) return;
  jobs_.start(
      "allocation",
      [this, leaving = leaving_, before = next_.slurm.there()]() -> Jobs::Completion {
        const auto there = before->now([leaving] { return leaving->load(); });
        return [this, there] {
          next_.slurm.set_there(there);
          offers_.machine = next_.slurm.there()->seen_inside(std::move(offers_.machine));
          inputs_changed();
        };
      },
      JobKind::kReads);
}

void LaunchController::set_runs(const std::vector<runs::RunSummary>& runs) {
  earlier_.clear();
  finished_.clear();
  for (const runs::RunSummary& run : runs) {
    const bool finished = run.state.word == "finished";
    earlier_.push_back({run.folder.id(), run.spec, finished});
    if (!finished || run.ranks != 1) continue;
    view::BaselineChoice choice;
    choice.id = run.folder.id();
    choice.number = run.number;
    choice.title = run.name;
    choice.seconds = run.figures.train_seconds;
    choice.accuracy = std::isnan(run.figures.val_accuracy) ? -1 : run.figures.val_accuracy;
    finished_.push_back(std::move(choice));
  }
  recent_scripts_ = view::recent_scripts(runs);
  inputs_changed();
}

void LaunchController::start_preflight() {
  if (next_.is_missing()) return take({}, inputs_);  // nothing to check
  const bool queued = next_.slurm.on();
  if (elsewhere_ && !queued) return take(check_there(*elsewhere_, wanted_run()), inputs_);
  jobs_.start(
      "preflight",
      [this, of = inputs_, run = wanted_run(), elsewhere = elsewhere_, programs = offers_.programs,
       finished = finished_, form = next_.form(),
       probe = view::ProbeFacts{nullptr, 0, jobs_.running("probe"),
                                probe_problem_}]() -> Jobs::Completion {
        auto found = elsewhere       ? check_there(*elsewhere, run)
                     : run.form.on() ? check_on_slurm(run)
                                     : check_here(run, programs, finished, form, probe);
        return [this, of, found = std::move(found)] { take(found, of); };
      },
      elsewhere_ ? JobKind::kFar : JobKind::kReads);
}

void LaunchController::take(Preflight found, std::uint64_t of) {
  if (found.there) next_.slurm.set_there(found.there);
  if (found.summary) {
    offers_.summary = *found.summary;
    next_.know(offers_.summary);
  }
  preflight_ = std::move(found);
  checked_ = of;
  ++revision_;
}

WantedRun LaunchController::wanted_run() const {
  return {next_.spec(),
          next_.slurm,
          earlier_,
          offers_.machine,
          next_.preset(),
          runs_dir_,
          preflight_.answered_mono_ns};
}

double LaunchController::quiet_left_s() const {
  if (!wants_accelerate() && (!elsewhere_ || !next_.slurm.on())) return 0;
  return std::max(0.0, kQuietS - static_cast<double>(mono_now_ns() - changed_ns_) * 1e-9);
}

bool LaunchController::is_due() const {
  // Slurm chooses the devices, so those of this machine need not be known.
  const bool known = offers_.known || (!elsewhere_ && next_.slurm.on());
  return known && checked_ != inputs_ && !jobs_.running("preflight");
}

double LaunchController::next_update_s() const {
  return is_due() || wants_accelerate() ? quiet_left_s() : kNever;
}

bool LaunchController::update() {
  if (offers_.wanted && !jobs_.running("machine")) ask_machine_again();
  if (is_due() && quiet_left_s() <= 0) start_preflight();
  if (wants_accelerate() && quiet_left_s() <= 0) ask_accelerate();
  return std::exchange(shown_, revision_) != revision_;
}

void LaunchController::launch(std::function<void(const launch::Started&)> started,
                              std::function<void(const Error&)> failed) {
  if (jobs_.running("launch") || next_.is_missing()) return;
  if (!offers_.known && !elsewhere_ && !next_.slurm.on()) {
    failed({ErrorKind::kRequest, "the devices are being looked for; try again in a moment"});
    return;
  }
  problem_.clear();
  ++revision_;
  jobs_.start(
      "launch",
      [this, run = wanted_run(), elsewhere = elsewhere_, started = std::move(started),
       failed = std::move(failed)]() -> Jobs::Completion {
        auto begun = elsewhere
                         ? start_there(*elsewhere, messages::to_toml(run.spec), run.form.typed())
                         : start_in_place(run);
        return [this, begun = std::move(begun), started, failed] {
          ++revision_;
          if (begun) {
            started(*begun);
          } else {
            problem_ = begun.error().message;
            failed(begun.error());
          }
        };
      },
      elsewhere_ ? JobKind::kFar : JobKind::kWrites);
}

void LaunchController::fill(view::LaunchInput& input) const {
  input.form = &next_.form();
  input.script = next_.script();
  input.slurm = offers_.has_slurm ? &next_.slurm : nullptr;
  input.sbatch = preflight_.argv;
  input.recent_scripts = recent_scripts_;
  input.machine = &offers_.summary;
  input.baselines = preflight_.baselines;
  input.checks = preflight_.checks;
  input.presets = presets_;
  input.busy = jobs_.running("launch");
  input.problem = problem_;
  input.revision = revision_;
}

}  // namespace ringside::session
