#include "gui/session/studies/study_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/study_jobs.h"
#include "gui/view/number_format.h"
#include "protocol/base/byte_file.h"
#include "protocol/base/clock.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;
using messages::RunSpec;
using runs::Study;
using runs::StudySetting;

// Older ones are likely to be of another version of everything else.
constexpr std::size_t kMostEarlier = 500;
constexpr double kGuessedEfficiency = 0.8;

/// A run of the study as its folder tells it.
struct Known {
  std::string state;  ///< empty: there is no such folder
  bool live = false;
  bool begun = false;
  double seconds = 0;  ///< 0: it did not finish
};

Known known_run(const fs::path& runs_dir, const std::string& id) {
  const runlog::RunFolder folder(runs_dir / id);
  std::error_code ignored;
  if (!fs::exists(folder.spec_path(), ignored)) return {};
  const auto run = runs::read_summary({folder, 0});
  Known known{run.state.word, run.state.live, folder.attempts() > 0, 0};
  if (run.state.word == "finished" && std::isfinite(run.figures.train_seconds))
    known.seconds = run.figures.train_seconds;
  return known;
}

/// Earlier runs, newest first, each asked for its log at most once.
class EarlierRuns {
 public:
  explicit EarlierRuns(const fs::path& runs_dir) {
    const auto listed = runs::list_runs(runs_dir);
    for (std::size_t i = listed ? listed->size() : 0; i-- > 0 && all_.size() < kMostEarlier;) {
      auto spec = runs::read_spec((*listed)[i].folder);
      if (spec) all_.push_back({(*listed)[i].folder, std::move(*spec), {}, false});
    }
  }

  /// It counts already.
  void leave(const std::string& id) {
    for (One& one : all_) one.taken = one.taken || one.folder.id() == id;
  }

  /// The newest finished repeat of `spec` that was not taken yet; empty: there is none.
  std::string take(const RunSpec& spec, const launch::Machine& machine) {
    for (One& one : all_) {
      if (one.taken) continue;
      const launch::EarlierRun earlier{one.folder.id(), one.spec, true};
      if (!launch::not_a_repeat(spec, earlier, machine).empty()) continue;
      if (!one.finished) {
        const auto figures = runs::read_figures(one.folder, one.spec);
        one.finished = figures.state && figures.state->state == messages::State::kFinished &&
                       figures.state->attempt == 0;
      }
      if (!*one.finished) continue;
      one.taken = true;
      return earlier.id;
    }
    return {};
  }

 private:
  struct One {
    runlog::RunFolder folder;
    RunSpec spec;
    std::optional<bool> finished;
    bool taken = false;
  };
  std::vector<One> all_;
};

std::size_t place_of(std::int64_t repeat) { return static_cast<std::size_t>(repeat - 1); }

const std::string& run_of(const StudySetting& setting, std::int64_t repeat) {
  static const std::string kNone;
  return place_of(repeat) < setting.runs.size() ? setting.runs[place_of(repeat)] : kNone;
}

const launch::SweepSetting* setting_of(const launch::Sweep& sweep, const std::string& key) {
  const auto found = std::find_if(sweep.settings.begin(), sweep.settings.end(),
                                  [&](const auto& one) { return one.key == key; });
  return found == sweep.settings.end() ? nullptr : &*found;
}

/// The preset that lies in the folder of a run, whole.
std::optional<launch::LoadedPreset> copied_preset(const fs::path& folder) {
  auto named = launch::preset_of_run(folder);
  if (!named) return std::nullopt;
  auto text = read_text(launch::preset_copy_path(folder, named->name));
  if (!text) return std::nullopt;
  return launch::LoadedPreset{named->name, std::move(*text), std::move(named->file)};
}

/// That of any run of these settings whose name is `name`; empty: of any name.
std::optional<launch::LoadedPreset> copied_preset(const fs::path& runs_dir,
                                                  std::span<const StudySetting> settings,
                                                  const std::string& name = {}) {
  for (const StudySetting& setting : settings) {
    for (const auto* ids : {&setting.runs, &setting.left_out}) {
      for (const std::string& id : *ids) {
        auto copy = id.empty() ? std::nullopt : copied_preset(runs_dir / id);
        if (copy && (name.empty() || copy->name == name)) return copy;
      }
    }
  }
  return std::nullopt;
}

/// What was published beside a setting goes with its runs.
Result<void> add_source(const fs::path& runs_dir, const StudyWish& wish,
                        const StudySetting& setting, launch::PlannedRun& run) {
  const auto source = std::find_if(wish.sources.begin(), wish.sources.end(),
                                   [&](const auto& one) { return one.setting == setting.key; });
  std::optional<launch::LoadedPreset> preset;
  if (source != wish.sources.end()) {
    auto loaded = launch::load_preset(source->preset);
    if (!loaded) return pass(loaded);
    preset = std::move(*loaded);
  } else {
    preset = copied_preset(runs_dir, {&setting, 1});
  }
  if (!preset || preset->file.published.source.empty()) return {};
  run.preset_name = preset->name;
  run.preset_text = preset->text;
  return {};
}

/// Adds what is missing of the study to its plan, repeat by repeat, the baseline first.
Result<void> add_missing(const fs::path& runs_dir, const StudyWish& wish,
                         const std::map<std::string, Known>& known, StudyPlan& plan) {
  const Study& study = plan.study;
  for (std::int64_t repeat = 1; repeat <= study.head.repeats; ++repeat) {
    const std::string& baseline = run_of(study.settings.front(), repeat);
    for (const StudySetting& setting : study.settings) {
      const std::string& there = run_of(setting, repeat);
      const auto run = known.find(there);
      const bool waits = run != known.end() && !run->second.begun;
      if (!there.empty() && !waits) continue;
      const auto* planned = setting_of(plan.sweep, setting.key);
      if (planned == nullptr)
        return bad_request("setting " + setting.key + " cannot be planned from the recipe");
      launch::PlannedRun next{planned->spec, setting.is_baseline()};
      next.spec.name =
          launch::run_name(study.head.title, setting.series(), {setting.devices(), setting.nodes()},
                           repeat, study.head.repeats);
      if (!setting.is_baseline()) {
        next.spec.baseline.mode = baseline.empty() ? "run" : "reuse";
        next.spec.baseline.run = baseline;
      }
      if (auto added = add_source(runs_dir, wish, setting, next); !added) return added;
      plan.plan.runs.push_back(std::move(next));
      plan.places.push_back({setting.key, repeat, there});
    }
  }
  if (plan.plan.runs.empty()) return {};
  launch::keep_source(plan.plan, wish.preset);
  plan.plan.fallback = plan.sweep.fallback;
  plan.plan.warnings = plan.sweep.warnings;
  plan.plan.keep_going = true;
  return {};
}

void adopt(const fs::path& runs_dir, const launch::Machine& machine, StudyPlan& plan) {
  EarlierRuns earlier(runs_dir);
  for (const StudySetting& setting : plan.study.settings) {
    for (const std::string& id : setting.runs) earlier.leave(id);
    for (const std::string& id : setting.left_out) earlier.leave(id);
  }
  std::string adopted;
  for (StudySetting& setting : plan.study.settings) {
    const auto* planned = setting_of(plan.sweep, setting.key);
    std::size_t count = 0;
    for (std::string& id : setting.runs) {
      if (!id.empty() || planned == nullptr) continue;
      id = earlier.take(planned->spec, machine);
      if (id.empty()) break;
      setting.adopted.push_back(id);
      ++count;
    }
    if (count > 0)
      adopted += (adopted.empty() ? "" : ", ") + setting.key + ": " + std::to_string(count);
  }
  if (!adopted.empty()) {
    plan.notes.push_back("equal runs that are there already count (" + adopted + ")");
  }
}

/// What is known of all runs of a study.
std::map<std::string, Known> known_runs(const fs::path& runs_dir, const Study& study) {
  std::map<std::string, Known> known;
  for (const StudySetting& setting : study.settings) {
    for (const std::string& id : setting.runs) {
      if (!id.empty()) known[id] = known_run(runs_dir, id);
    }
  }
  return known;
}

/// Seconds of all runs of the plan, from those that have finished.
double estimate(const StudyPlan& plan, const std::map<std::string, Known>& known) {
  std::map<std::string, double> of_setting;
  double one_device = 0;
  for (const StudySetting& setting : plan.study.settings) {
    for (const std::string& id : setting.runs) {
      const auto run = known.find(id);
      if (run == known.end() || run->second.seconds <= 0) continue;
      of_setting[setting.key] = run->second.seconds;
      const double devices = static_cast<double>(setting.devices());
      const double share = devices > 1 ? devices * kGuessedEfficiency : 1;
      if (one_device <= 0 || setting.is_baseline()) one_device = run->second.seconds * share;
      if (setting.is_baseline()) break;
    }
  }
  if (one_device <= 0) return 0;
  double seconds = 0;
  for (const StudyPlan::Place& place : plan.places) {
    const auto measured = of_setting.find(place.key);
    const double devices = static_cast<double>(plan.study.find(place.key)->devices());
    seconds += measured != of_setting.end() ? measured->second
               : devices > 1                ? one_device / (devices * kGuessedEfficiency)
                                            : one_device;
  }
  return seconds;
}

/// Failed runs and those that were cut short make room, deleted ones too.
void leave_out(const std::map<std::string, Known>& known, StudyPlan& plan) {
  for (StudySetting& setting : plan.study.settings) {
    setting.runs.resize(static_cast<std::size_t>(plan.study.head.repeats));
    for (std::string& id : setting.runs) {
      const auto run = known.find(id);
      if (run == known.end() || run->second.state == "finished") continue;
      if (!run->second.state.empty() && !run->second.begun) continue;
      if (!run->second.state.empty()) {
        plan.notes.push_back("run " + id + " (" + setting.key + ", " + run->second.state +
                             ") is trained again: a run with a gap in it is not measured");
        setting.left_out.push_back(id);
      }
      std::erase(setting.adopted, id);
      id.clear();
    }
  }
}

/// Whatever of the recipe is not as in the runs that are there.
void note_changes(const fs::path& runs_dir, StudyPlan& plan) {
  for (const StudySetting& setting : plan.study.settings) {
    const auto* planned = setting_of(plan.sweep, setting.key);
    for (const std::string& id : setting.runs) {
      const auto spec = id.empty() || planned == nullptr
                            ? Result<RunSpec>(failure("none"))
                            : runs::read_spec(runlog::RunFolder(runs_dir / id));
      if (!spec) continue;
      for (const auto& one : messages::differences(planned->spec, *spec)) {
        if (one.key == "name" || one.key.starts_with("baseline.") || one.key.starts_with("limits."))
          continue;
        plan.notes.push_back(setting.key + ": " + one.key + " = " + one.left + ", in run " + id +
                             " " + one.right);
      }
      break;
    }
  }
}

/// Asks for every setting that the study has, so that each can be planned.
void cover(const Study& study, launch::SweepRequest& request) {
  std::set<launch::WorldSize> world(request.world.begin(), request.world.end());
  for (const StudySetting& one : study.settings) {
    const std::string series = one.series();
    request.weak = request.weak || series == "weak";
    request.strong = request.strong || series == "strong";
    if (series == "weak" || series == "strong") world.insert({one.devices(), one.nodes()});
    if (series == "weak" || series == "strong" || one.is_baseline()) continue;
    const launch::SweepVariant variant{series, one.devices()};
    if (std::find(request.variants.begin(), request.variants.end(), variant) ==
        request.variants.end())
      request.variants.push_back(variant);
  }
  request.world.assign(world.begin(), world.end());
}

/// Series that the study measures, where nobody says which are meant.
void default_series(const Study& study, launch::SweepRequest& request) {
  if (request.weak || request.strong) return;
  for (const StudySetting& one : study.settings) {
    request.weak = request.weak || one.series() == "weak";
    request.strong = request.strong || one.series() == "strong";
  }
}

Result<RunSpec> recipe_of(const fs::path& runs_dir, const Study& study) {
  const std::string id = study.baseline_run();
  if (id.empty())
    return bad_request("study " + study.head.study + " has no run of its baseline to go on from");
  auto spec = runs::read_spec(runlog::RunFolder(runs_dir / id));
  if (!spec) return pass(spec);
  spec->baseline = {};
  spec->name.clear();
  return spec;
}

void add_settings(const launch::Sweep& wanted, StudyPlan& plan) {
  for (const launch::SweepSetting& one : wanted.settings) {
    if (plan.study.find(one.key) == nullptr) plan.study.settings.push_back({one.key, {}, {}, {}});
  }
  for (StudySetting& one : plan.study.settings)
    one.runs.resize(static_cast<std::size_t>(plan.study.head.repeats));
}

/// To Slurm, where the runs of the study were jobs.
Result<void> place_more(const fs::path& runs_dir, const Study& study, StudyWish& wish) {
  if (!wish.slurm) {
    std::vector<std::string> ids;
    for (const StudySetting& one : study.settings) {
      // One that merely counts says nothing of where those of the study are.
      for (const std::string& id : one.runs)
        if (std::count(one.adopted.begin(), one.adopted.end(), id) == 0) ids.push_back(id);
    }
    wish.slurm = slurm::options_of_study(runs_dir, std::move(ids));
  }
  return wish.slurm ? slurm::place_on_nodes(*wish.slurm, wish.request) : Result<void>();
}

/// All runs of the plan in its order, those that are there and those just made, whose ids the study
/// gets. Fails where another has one of them.
Result<std::vector<launch::LockedFolder>> lock_all(const fs::path& runs_dir, StudyPlan& plan,
                                                   std::vector<launch::LockedFolder> made) {
  std::vector<launch::LockedFolder> runs;
  auto next = made.begin();
  for (const StudyPlan::Place& place : plan.places) {
    if (place.existing.empty()) {
      plan.study.find(place.key)->runs[place_of(place.repeat)] = next->folder.id();
      runs.push_back(std::move(*next++));
      continue;
    }
    const runlog::RunFolder folder(runs_dir / place.existing);
    auto lock = runlog::FolderLock::take(folder);
    if (!lock) return pass(lock);
    runs.push_back({folder, std::move(*lock)});
  }
  return runs;
}

}  // namespace

Result<StudyPlan> plan_study(const fs::path& runs_dir, const RunSpec& recipe, const StudyWish& wish,
                             const launch::Machine& machine) {
  auto sweep = launch::plan_sweep(recipe, wish.request, machine);
  if (!sweep) return pass(sweep);
  if (sweep->settings.size() < 2 && wish.request.world.size() < 2 && wish.request.variants.empty())
    return bad_request("a study needs more than one device: --world 1,2,4");
  StudyPlan plan;
  plan.slurm = wish.slurm;
  plan.sweep = std::move(*sweep);
  plan.study.head = {
      {}, wish.title, wish.preset.name, SystemClock().wall_ns(), wish.request.repeats};
  add_settings(plan.sweep, plan);
  if (wish.adopt && !wish.slurm) adopt(runs_dir, machine, plan);
  const auto known = known_runs(runs_dir, plan.study);
  if (const auto added = add_missing(runs_dir, wish, known, plan); !added) return pass(added);
  plan.seconds = estimate(plan, known);
  return plan;
}

Result<StudyPlan> plan_more(const fs::path& runs_dir, const Study& study, const StudyWish& asked,
                            const launch::Machine& here) {
  StudyWish wish = asked;
  if (const auto placed = place_more(runs_dir, study, wish); !placed) return pass(placed);
  const launch::Machine machine = wish.slurm ? slurm::cluster() : here;
  if (auto preset = copied_preset(runs_dir, study.settings, study.head.recipe))
    wish.preset = std::move(*preset);
  const auto known = known_runs(runs_dir, study);
  for (const auto& [id, run] : known) {
    if (run.live)
      return bad_request("study " + study.head.study + " goes on with run " + id +
                         "; `ringside stop " + study.head.study + "` stops it");
  }
  StudyPlan plan;
  plan.slurm = wish.slurm;
  plan.study = study;
  plan.study.problem.clear();
  plan.study.head.repeats = std::max(study.head.repeats, wish.request.repeats);
  auto recipe = recipe_of(runs_dir, study);
  if (!recipe) return pass(recipe);
  leave_out(known, plan);
  launch::SweepRequest request = wish.request;
  default_series(study, request);
  const bool more = !wish.request.world.empty() || !wish.request.variants.empty();
  if (more) {
    const auto wanted = launch::plan_sweep(*recipe, request, machine);
    if (!wanted) return pass(wanted);
    add_settings(*wanted, plan);
  }
  cover(plan.study, request);
  auto sweep = launch::plan_sweep(*recipe, request, machine);
  if (!sweep) return pass(sweep);
  plan.sweep = std::move(*sweep);
  note_changes(runs_dir, plan);
  if (wish.adopt && !wish.slurm && more) adopt(runs_dir, machine, plan);
  if (const auto added = add_missing(runs_dir, wish, known, plan); !added) return pass(added);
  plan.seconds = estimate(plan, known);
  return plan;
}

Result<StartedStudy> start_study(const fs::path& runs_dir, StudyPlan plan,
                                 const launch::Cancelled& cancelled) {
  const Study before = plan.study;
  const bool is_new = before.head.study.empty();
  if (is_new) {
    const auto name = runs::new_study(runs_dir);
    if (!name) return pass(name);
    plan.study.head.study = *name;
  }
  launch::Plan fresh = plan.plan;
  fresh.runs.clear();
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    if (plan.places[i].existing.empty()) fresh.runs.push_back(plan.plan.runs[i]);
  }
  auto made = launch::make_folders(fresh, runs_dir, SystemClock());
  std::vector<runlog::RunFolder> made_folders;
  Result<std::vector<launch::LockedFolder>> locked = std::vector<launch::LockedFolder>();
  if (made) {
    for (const auto& run : *made) made_folders.push_back(run.folder);
    locked = lock_all(runs_dir, plan, std::move(*made));
  } else {
    locked = pass(made);
  }
  const auto unsent = locked && plan.slurm ? slurm::refuse_queued(*locked) : Result<void>();
  if (!unsent) locked = pass(unsent);
  if (locked) {
    if (auto written = runs::write_study(runs_dir, plan.study, made_folders); !written)
      locked = pass(written);
  }
  Result<launch::Experiment> experiment = launch::Experiment{};
  if (!locked) {
    experiment = pass(locked);
  } else if (plan.slurm && !locked->empty()) {
    experiment =
        slurm::submit_in_turn(std::move(*locked), plan.plan, *plan.slurm, SystemClock(), cancelled);
  } else if (!locked->empty()) {
    experiment = launch::start_folders(std::move(*locked), plan.plan, false, cancelled);
  }
  if (experiment) return StartedStudy{std::move(plan.study), std::move(*experiment)};
  std::error_code ignored;
  for (const auto& folder : made_folders) {
    if (!fs::exists(folder.log_path(0), ignored)) fs::remove_all(folder.path(), ignored);
  }
  if (is_new) {
    runs::remove_study(runs_dir, plan.study.head.study);
  } else if (locked) {
    (void)runs::write_study(runs_dir, before);
  }
  return pass(experiment);
}

Result<int> stop_study(const fs::path& runs_dir, const Study& study, wire::StopMode mode) {
  // Waiting ones first, so that none of them begins when the one before it ends.
  std::vector<std::string> ids;
  for (const StudySetting& setting : study.settings)
    ids.insert(ids.end(), setting.runs.begin(), setting.runs.end());
  std::erase(ids, std::string());
  std::sort(ids.rbegin(), ids.rend());
  int asked = 0;
  Result<int> problem = 0;
  for (const std::string& id : ids) {
    if (!known_run(runs_dir, id).live) continue;
    const auto answer = slurm::ask_stop(runlog::RunFolder(runs_dir / id), mode);
    if (!answer) problem = pass(answer);
    if (answer) ++asked;
  }
  return asked > 0 ? Result<int>(asked) : problem;
}

}  // namespace ringside::session
