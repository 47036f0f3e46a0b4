#include "gui/app/session_launch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/launch/presets.h"
#include "protocol/base/clock.h"

namespace ringside::app {
namespace {

view::MachineSummary summary_of(const launch::Machine& machine) {
  view::MachineSummary summary;
  for (const launch::Gpu& gpu : machine.gpus) {
    view::DeviceSummary device;
    device.index = gpu.index;
    device.uuid = gpu.uuid;
    device.name = gpu.name;
    device.memory_used_bytes = gpu.memory_used_bytes;
    device.memory_total_bytes = gpu.memory_total_bytes;
    if (!gpu.pids.empty()) device.used_by = "pid " + std::to_string(gpu.pids.front());
    summary.gpus.push_back(std::move(device));
  }
  summary.cores = machine.cores;
  summary.cpu_name = machine.cpu_name;
  summary.driver = machine.driver;
  return summary;
}

view::CheckView check_view(const launch::Check& check) {
  switch (check.verdict) {
    case launch::Verdict::kPass:
      return {view::CheckState::kPass, check.title, check.detail, "Pass"};
    case launch::Verdict::kWarning:
      return {view::CheckState::kWarning, check.title, check.detail, "Warning"};
    case launch::Verdict::kFail:
      break;
  }
  return {view::CheckState::kFail, check.title, check.detail, "Failed"};
}

std::vector<view::CheckView> checks_of(const messages::RunSpec& spec,
                                       const launch::Machine& machine,
                                       const launch::FindEarlier& find,
                                       const std::filesystem::path& runs_dir) {
  const auto plan = launch::plan_experiment(spec, machine, find);
  if (!plan)
    return {check_view({launch::Verdict::kFail, "The settings make a plan", plan.error().message})};
  std::vector<view::CheckView> views;
  for (const launch::Check& check : launch::preflight(*plan, machine, runs_dir))
    views.push_back(check_view(check));
  return views;
}

}  // namespace

LaunchDesk::LaunchDesk(std::filesystem::path runs_dir, Jobs& jobs)
    : runs_dir_(std::move(runs_dir)), jobs_(jobs) {
  if (const auto found = launch::presets()) {
    for (const launch::Preset& preset : *found) {
      const auto loaded = launch::load_preset(preset.name);
      presets_.push_back(
          {preset.name, preset.title, loaded && loaded->file.spec.quick.has_value()});
    }
  }
}

Result<void> LaunchDesk::select_preset(const std::string& name, bool quick) {
  const auto loaded = launch::load_preset(name);
  if (!loaded) return pass(loaded);
  auto spec = launch::settings_of(*loaded, quick);
  if (!spec) return pass(spec);
  auto resolved = launch::resolve_spec(std::move(*spec), launch::process_environment(), {});
  if (!resolved) return pass(resolved);
  form_ = view::LaunchForm(std::move(*resolved), name, quick);
  if (machine_known_) form_.settle_devices(summary_);
  ++inputs_;
  ++revision_;
  return {};
}

bool LaunchDesk::apply(const view::Command& command) {
  if (const auto* edit = std::get_if<view::EditField>(&command)) {
    form_.edit(edit->key, edit->text);
  } else if (std::holds_alternative<view::ResetForm>(command)) {
    form_.reset();
  } else if (const auto* pick = std::get_if<view::PickDevice>(&command)) {
    form_.pick_device(pick->uuid, pick->on);
  } else if (const auto* slots = std::get_if<view::SetCpuRanks>(&command)) {
    form_.set_cpu_ranks(slots->ranks);
  } else if (std::holds_alternative<view::ClearDevices>(command)) {
    form_.pick_devices({});
  } else {
    return false;
  }
  return true;
}

void LaunchDesk::use_as_baseline(const std::string& id) {
  form_.edit("baseline.run", id);
  form_.edit("baseline.mode", "reuse");
}

void LaunchDesk::use_settings(messages::RunSpec spec) {
  spec.checkpoint.resume = "none";
  form_ = view::LaunchForm(std::move(spec));
  if (machine_known_) form_.settle_devices(summary_);
  ++inputs_;
  ++revision_;
}

void LaunchDesk::look_at_machine() {
  jobs_.start("machine", [this]() -> Jobs::Completion {
    auto machine = launch::read_machine();
    return [this, machine = std::move(machine)] {
      if (machine) {
        machine_ = *machine;
      } else {
        problem_ = machine.error().message;
      }
      summary_ = summary_of(machine_);
      form_.settle_devices(summary_);
      machine_known_ = true;
      ++inputs_;
      ++revision_;
    };
  });
}

void LaunchDesk::set_runs(const std::vector<runs::RunSummary>& runs) {
  std::vector<launch::EarlierRun> earlier;
  baselines_.clear();
  for (const runs::RunSummary& run : runs) {
    const bool finished = run.state.word == "finished";
    earlier.push_back({run.folder.id(), run.spec, finished});
    if (!finished || run.ranks != 1 || baselines_.size() >= 3) continue;
    const bool same = launch::not_comparable(form_.spec(), earlier.back()).empty();
    if (!same) continue;
    view::BaselineChoice choice;
    choice.id = run.folder.id();
    choice.number = run.number;
    choice.title = run.name;
    choice.seconds = run.figures.train_seconds;
    choice.accuracy = std::isnan(run.figures.val_accuracy) ? -1 : run.figures.val_accuracy;
    choice.same_work = same;
    baselines_.push_back(std::move(choice));
  }
  earlier_ = std::move(earlier);
  ++inputs_;
  ++revision_;
}

launch::FindEarlier LaunchDesk::finder() const {
  return [earlier = earlier_,
          runs_dir = runs_dir_](const std::string& text) -> Result<launch::EarlierRun> {
    const auto found = runs::find_run(runs_dir, text);
    if (!found) return pass(found);
    for (const launch::EarlierRun& run : earlier) {
      if (run.id == found->folder.id()) return run;
    }
    return bad_request("run " + found->folder.id() +
                       " has not been read yet; try again in a moment");
  };
}

void LaunchDesk::start_preflight() {
  const std::uint64_t wanted = inputs_;
  jobs_.start("preflight",
              [this, wanted, spec = form_.spec(), machine = machine_, find = finder(),
               runs_dir = runs_dir_]() -> Jobs::Completion {
                auto checks = checks_of(spec, machine, find, runs_dir);
                return [this, wanted, checks = std::move(checks)] {
                  checks_ = checks;
                  checked_ = wanted;
                  ++revision_;
                };
              });
}

bool LaunchDesk::update() {
  const std::uint64_t before = revision_;
  if (form_.revision() != form_seen_) {
    form_seen_ = form_.revision();
    problem_.clear();
    ++inputs_;
    ++revision_;
  }
  if (machine_known_ && checked_ != inputs_ && !jobs_.running("preflight")) start_preflight();
  return revision_ != before;
}

void LaunchDesk::launch(const messages::RunSpec& spec,
                        std::function<void(const launch::Experiment&)> started,
                        std::function<void(const Error&)> failed) {
  problem_.clear();
  ++revision_;
  jobs_.start("launch",
              [this, spec, machine = machine_, find = finder(), runs_dir = runs_dir_,
               started = std::move(started), failed = std::move(failed)]() -> Jobs::Completion {
                const auto run = [&]() -> Result<launch::Experiment> {
                  const auto plan = launch::plan_experiment(spec, machine, find);
                  if (!plan) return pass(plan);
                  const auto fine =
                      launch::refuse_failures(launch::preflight(*plan, machine, runs_dir));
                  if (!fine) return pass(fine);
                  return launch::start_experiment(*plan, runs_dir, SystemClock());
                };
                auto experiment = run();
                return [this, experiment = std::move(experiment), started, failed] {
                  ++revision_;
                  if (experiment) {
                    started(*experiment);
                  } else {
                    problem_ = experiment.error().message;
                    failed(experiment.error());
                  }
                };
              });
}

void LaunchDesk::fill(ui::LaunchInput& input) const {
  input.form = &form_;
  input.machine = &summary_;
  input.baselines = baselines_;
  input.checks = checks_;
  input.presets = presets_;
  input.busy = jobs_.running("launch");
  input.problem = problem_;
  input.revision = revision_;
}

}  // namespace ringside::app
