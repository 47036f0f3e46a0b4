#include "gui/session/studies/study_controller.h"

#include <utility>

#include "gui/analysis/scaling/pairs.h"
#include "gui/place/run_place.h"
#include "gui/runs/run_figures.h"
#include "gui/session/machines/remote_command.h"
#include "gui/session/studies/export_study.h"
#include "gui/session/studies/pair_study.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_form_plan.h"
#include "gui/session/studies/study_reader.h"
#include "gui/view/carry_out.h"
#include "gui/view/report/scaling_files.h"
#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"

namespace ringside::session {

/// State of the jobs: logs that were read are cached from scan to scan.
struct StudyController::Reader {
  explicit Reader(const std::filesystem::path& runs_dir) : reader(runs_dir) {}
  StudyReader reader;
  std::optional<launch::Machine> machine;
  std::atomic<bool> leaving{false};
};

/// The runs that represent a setting and the baseline among their repeats.
struct StudyController::Compared {
  std::string key;  ///< key of the setting
  std::string run;
  std::string baseline;
  std::string words;  ///< "Weak, #12 against #3"
};

namespace {

std::string signature_of(const std::vector<view::StudyName>& names,
                         const std::optional<view::StudyFacts>& facts) {
  std::string text;
  for (const auto& name : names) text += name.name + name.title + "\n";
  if (!facts) return text;
  text += runs::study_text(facts->study) + facts->study.problem;
  for (const auto& setting : facts->settings) {
    for (const auto& run : setting.runs) text += run.id + run.label + run.word + run.detail + "\n";
  }
  return text;
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  if (const auto studies = launch::study_presets()) {
    for (const auto& study : *studies) names.push_back(study.name);
  }
  if (const auto presets = launch::presets()) {
    for (const auto& preset : *presets) names.push_back(preset.name);
  }
  return names;
}

}  // namespace

StudyController::StudyController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                                 std::function<void()> started, std::function<bool()> has_slurm,
                                 std::string elsewhere, const std::filesystem::path& exports)
    : runs_dir_(std::move(runs_dir)),
      jobs_(jobs),
      line_(line),
      started_(std::move(started)),
      has_slurm_(std::move(has_slurm)),
      elsewhere_(std::move(elsewhere)),
      files_dir_(runs::studies_dir(exports.empty() ? runs_dir_ : exports)),
      reader_(std::make_shared<Reader>(runs_dir_)) {}

StudyController::~StudyController() { reader_->leaving = true; }

bool StudyController::Seen::operator==(const Seen& other) const {
  return signature_of(names, facts) == signature_of(other.names, other.facts);
}

void StudyController::look() {
  wants_look_ = true;
  fresh_ns_ = mono_now_ns();
}

void StudyController::keep_fresh() {
  if (mono_now_ns() - fresh_ns_ > static_cast<std::int64_t>(kFreshS * 1e9)) look();
}

void StudyController::take(Seen seen) {
  if (seen_ && *seen_ == seen) return;
  seen_ = std::move(seen);
  rank_by(best_by_);
}

void StudyController::rank_by(const std::string& metric) {
  best_by_ = metric;
  if (seen_ && seen_->facts && !metric.empty()) seen_->facts->best_by = metric;
  ++revision_;
  changed_ = true;
}

bool StudyController::update() {
  if (wants_look_ && !jobs_.running("studies")) {
    wants_look_ = false;
    jobs_.start(
        "studies",
        [this, reader = reader_, runs_dir = runs_dir_, selected = selected_]() -> Jobs::Completion {
          Seen seen;
          place::refresh(runs_dir, [reader] { return reader->leaving.load(); });
          const auto studies = runs::list_studies(runs_dir);
          const auto ready = launch::study_presets();
          for (const auto& one : ready ? *ready : std::vector<launch::StudyPreset>())
            seen.ready.push_back({one.name, one.title});
          const runs::Study* shown = nullptr;
          // The chosen one, or the newest that can be read: the chosen one may have been deleted.
          for (const runs::Study& study : studies) {
            seen.names.push_back({study.head.study, study.head.title});
            const bool first = shown == nullptr && !study.settings.empty();
            if (first || study.head.study == selected) shown = &study;
          }
          if (shown != nullptr)
            seen.facts = reader->reader.read(
                *shown, [reader](std::uint64_t, std::uint64_t) { return !reader->leaving; });
          return [this, seen = std::move(seen)]() mutable { take(std::move(seen)); };
        },
        JobKind::kReads);
  }
  look_into();
  if (asking_ && !(planned_ && planned_->form == form_.form) && !jobs_.running("study plan"))
    plan();
  return std::exchange(changed_, false);
}

/// Compares the chosen setting, or the one with the most devices.
std::optional<StudyController::Compared> StudyController::compared() const {
  const view::StudyFacts* const shown = facts();
  if (shown == nullptr || shown->settings.empty() || shown->study.of_settings())
    return std::nullopt;
  const view::StudyRun* const baseline = view::typical_run(shown->settings.front());
  const view::StudySettingFacts* chosen = nullptr;
  for (const auto& setting : shown->settings) {
    if (&setting == &shown->settings.front() || view::typical_run(setting) == nullptr) continue;
    const bool larger = chosen == nullptr || setting.devices > chosen->devices;
    if (setting.key == setting_ || (larger && (chosen == nullptr || chosen->key != setting_)))
      chosen = &setting;
  }
  if (baseline == nullptr || chosen == nullptr) return std::nullopt;
  const view::StudyRun& run = *view::typical_run(*chosen);
  // The runs nearest to the means are compared; results of all runs are shown beside them.
  const auto& points = view::scaling_of(*shown).points;
  const auto place = static_cast<std::size_t>(chosen - shown->settings.data());
  const std::string mean = place < points.size() && points[place].measured
                               ? ", of the study's " + view::spread_text(points[place].speedup)
                               : std::string();
  return Compared{chosen->key, run.id, baseline->id,
                  view::series_words(chosen->series, *shown) + ", " + run.label + " against " +
                      baseline->label + mean};
}

// Reads the logs again for each comparison: models of all runs of a study would not fit into
// memory.
void StudyController::look_into() {
  const auto wanted = compared();
  const std::string key = wanted ? wanted->run + " " + wanted->baseline + " " + wanted->words : "";
  if (key == waterfall_.of || jobs_.running("waterfall")) return;
  waterfall_.of = key;
  waterfall_.run.clear();
  changed_ = true;
  if (!wanted) return;
  jobs_.start(
      "waterfall",
      [this, reader = reader_, runs_dir = runs_dir_, both = *wanted, key]() -> Jobs::Completion {
        const auto watch = [reader](std::uint64_t, std::uint64_t) { return !reader->leaving; };
        const auto read = [&](const std::string& id) {
          const runlog::RunFolder folder(runs_dir / id);
          return runs::read_run(folder, runs::read_folder({folder, 0}).spec, watch);
        };
        const runs::ReadRun run = read(both.run);
        const runs::ReadRun baseline = read(both.baseline);
        auto view = view::build_waterfall_view(*run.model, baseline.model.get(), true);
        view.subtitle = both.words + ", " + view.subtitle;
        return [this, view = std::move(view), id = both.run, key]() mutable {
          if (key != waterfall_.of) return;
          waterfall_ = {key, id, std::move(view)};
          changed_ = true;
        };
      },
      JobKind::kReads);
}

void StudyController::ask(const view::AskStudy& wanted) {
  asking_ = wanted.open;
  changed_ = true;
  if (!wanted.open) return;
  if (form_.recipes.empty()) {
    form_.recipes = recipe_names();
    if (elsewhere_.empty()) form_.recipes.emplace_back(view::kOwnCommand);
  }
  view::StudyForm form;
  form.recipe = wanted.preset.empty() ? "demo" : wanted.preset;
  form.quick = form.recipe == "demo";
  form.more = wanted.more;
  if (!wanted.more.empty()) form.world.clear();
  fill_from_study(form);
  const view::StudyFacts* const shown = facts();
  const bool is_shown = shown != nullptr && shown->study.head.study == wanted.more;
  if (is_shown && shown->study.of_settings()) {
    form.settings = true;
    form.repeats = std::to_string(shown->study.head.repeats + 1);
  }
  form_.has_slurm = has_slurm_();
  if (const auto there = elsewhere_.empty() ? place::local_place() : nullptr)
    form.slurm.set_there(there);
  if (!elsewhere_.empty()) form.slurm.set_machine(elsewhere_);
  const bool queued = is_shown && shown->slurm;
  if (queued && !form.slurm.there()->offer().inside) form.slurm.set_options(*shown->slurm);
  form_.form = std::move(form);
  form_.lines.clear();
  form_.problem.clear();
  planned_.reset();
}

std::vector<std::string> StudyController::shown_runs() const {
  std::vector<std::string> ids;
  if (facts() == nullptr) return ids;
  for (const runs::StudySetting& setting : facts()->study.settings) {
    for (const std::string& id : setting.runs) {
      if (!id.empty()) ids.push_back(id);
    }
  }
  return ids;
}

/// Checks only what was typed: the other machine knows its devices, presets and earlier runs.
void StudyController::plan_there() {
  const view::StudyForm& form = form_.form;
  launch::StudyRequest ignored;
  auto read = read_form(form, ignored);
  if (const auto where = form.slurm.chosen(); read && !where) read = pass(where);
  form_.problem = read ? "" : read.error().message;
  form_.has_runs = read.has_value();
  form_.planning = false;
  std::vector<std::string> words = remote::command_of(remote_start_study(form).act).words;
  words.insert(words.begin(), "ringside");
  words.insert(words.end(), {"--on", elsewhere_});
  form_.lines = {elsewhere_ + " plans and checks it when it starts there, as by:",
                 shell_words(words)};
  changed_ = true;
}

void StudyController::plan() {
  planned_ = Planned{form_.form, {}};
  if (!elsewhere_.empty()) return plan_there();
  form_.planning = true;
  jobs_.start(
      "study plan",
      [this, reader = reader_, runs_dir = runs_dir_, form = form_.form]() -> Jobs::Completion {
        auto made = plan_checked(runs_dir, form, [reader] { return reader->leaving.load(); });
        return [this, form, made = std::move(made)]() mutable {
          changed_ = true;
          form_.planning = false;
          if (form != form_.form) return;  // edited meanwhile: planned again
          form_.form.slurm = std::move(made.where);
          planned_ = Planned{form_.form, {}};
          form_.lines = std::move(made.lines);
          form_.problem = made.plan ? "" : made.plan.error().message;
          form_.has_runs = made.plan && !made.plan->plan.runs.empty();
          if (made.plan) planned_->plan = std::move(*made.plan);
        };
      },
      JobKind::kReads);
  changed_ = true;
}

void StudyController::start(StudyPlan plan, const std::string& what,
                            const std::optional<view::StudyForm>& form) {
  form_.starting = true;
  jobs_.start("start study",
              [this, reader = reader_, runs_dir = runs_dir_, plan = std::move(plan), what,
               form]() -> Jobs::Completion {
                const auto leaving = [reader] { return reader->leaving.load(); };
                auto fitted = form ? fit_form(runs_dir, *form, plan, leaving) : plan;
                std::string told = what;
                if (fitted)
                  for (const std::string& line : fitted->quick) told += " " + line;
                auto begun = fitted ? start_study(runs_dir, std::move(*fitted), leaving)
                                    : Result<StartedStudy>(pass(fitted));
                return [this, begun = std::move(begun), told, form] {
                  const bool is_open = asking_ && form == form_.form;
                  changed_ = true;
                  form_.starting = false;
                  if (!begun) {
                    if (is_open) form_.problem = begun.error().message;
                    line_.notify(begun.error());
                    // Another program may have changed the study, so it is read and planned again.
                    if (begun.error().kind == ErrorKind::kRequest) planned_.reset();
                    look();
                    return;
                  }
                  if (is_open) asking_ = false;
                  selected_ = begun->plan.study.head.study;
                  line_.notify(view::Tone::kOk, "Study " + selected_ + told);
                  look();
                  started_();
                  decide(*begun);
                };
              });
}

void StudyController::start_asked() {
  if (!planned_ || !planned_->plan || form_.starting || planned_->form != form_.form) return;
  start(*planned_->plan, " " + planned_->plan->where->doing() + "; it needs no window.",
        planned_->form);
}

void StudyController::begin(std::function<Result<StudyPlan>(const launch::Cancelled&)> make,
                            const std::string& told) {
  jobs_.start("continue study",
              [this, reader = reader_, make = std::move(make), told]() -> Jobs::Completion {
                auto plan = make([reader] { return reader->leaving.load(); });
                return [this, plan = std::move(plan), told] {
                  if (!plan) {
                    line_.notify(plan.error());
                  } else {
                    start(*plan, told, {});
                  }
                };
              });
}

void StudyController::go_on(const std::string& name) {
  const auto make = [runs_dir = runs_dir_,
                     name](const launch::Cancelled& leaving) -> Result<StudyPlan> {
    const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, name));
    StudyPlanRequest plan_request;
    plan_request.where = place::around_here(leaving);
    plan_request.request.repeats = pairs_to_come(runs_dir, study);
    const auto machine = RINGSIDE_TRY(plan_request.where->machine(leaving));
    auto plan = RINGSIDE_TRY(plan_more(runs_dir, study, plan_request, machine));
    RINGSIDE_TRY(check_plan(plan, machine, runs_dir));
    return plan;
  };
  begin(make, " goes on.");
}

void StudyController::measure(const view::MeasurePair& wanted) {
  const auto make = [runs_dir = runs_dir_,
                     wanted](const launch::Cancelled& leaving) -> Result<StudyPlan> {
    auto recipe = RINGSIDE_TRY(plan_request_of_runs(runs_dir, wanted.first, wanted.second, {}));
    recipe.adopt = false;
    recipe.looks = static_cast<std::int64_t>(analysis::kChecks.size());
    recipe.request.repeats = analysis::kChecks.front();
    const auto machine = RINGSIDE_TRY(recipe.where->machine(leaving));
    auto plan = RINGSIDE_TRY(plan_study(runs_dir, recipe, machine));
    RINGSIDE_TRY(check_plan(plan, machine, runs_dir));
    return plan;
  };
  begin(make, " trains both in turns until they tell.");
}

/// Waits for a study of pairs, which ends when its answer is certain. If the window closes, the
/// study pauses, and it continues when a person resumes it.
void StudyController::decide(const StartedStudy& begun) {
  if (!begun.plan.study.of_pairs() || begun.plan.study.head.looks < 2) return;
  jobs_.start("pairs of " + begun.plan.study.head.study,
              [this, reader = reader_, runs_dir = runs_dir_, begun]() -> Jobs::Completion {
                const auto leaving = [reader] { return reader->leaving.load(); };
                const auto answer = decide_pairs(runs_dir, begun, leaving);
                return [this, answer] {
                  if (!answer) line_.notify(answer.error());
                  if (answer && !answer->empty()) line_.notify(view::Tone::kInfo, *answer);
                  look();
                  started_();
                };
              });
}

void StudyController::stop(const std::string& name) {
  jobs_.start("stop study",
              [this, reader = reader_, runs_dir = runs_dir_, name]() -> Jobs::Completion {
                const auto stopped = stop_study(runs_dir, name, wire::StopMode::kGraceful,
                                                [reader] { return reader->leaving.load(); });
                return [this, stopped] {
                  if (!stopped) line_.notify(stopped.error());
                  look();
                };
              });
}

void StudyController::write(view::StudyFileKind kind, std::vector<view::WindowCommand>& rest) {
  if (facts() == nullptr) return;
  const std::string& name = facts()->study.head.study;
  const std::filesystem::path to =
      files_dir_ / (name + "_" + view::key_of(metric_) + "." + view::suffix_of(kind));
  if (kind == view::StudyFileKind::kPng) {
    std::error_code ignored;
    std::filesystem::create_directories(files_dir_, ignored);
    rest.emplace_back(view::TakePicture{"scaling", to.string()});
    return;
  }
  jobs_.start("study file",
              [this, runs_dir = runs_dir_, name, kind, metric = metric_, to]() -> Jobs::Completion {
                const auto written = export_study(runs_dir, name, kind, metric, to, true);
                return [this, written, to] {
                  line_.notify(written ? view::Tone::kOk : view::Tone::kError,
                               written ? "Saved " + to.string() : written.error().message);
                };
              });
}

void StudyController::apply(const view::StudyCommand& command,
                            std::vector<view::WindowCommand>& rest) {
  view::carry_out(
      command,
      [this](const view::SelectStudy& wanted) {
        selected_ = wanted.name;
        look();
      },
      [this](const view::SetScalingMetric& wanted) { metric_ = wanted.metric; },
      [this](const view::SelectSetting& wanted) { setting_ = wanted.key; },
      [this](const view::RankSettings& wanted) { rank_by(wanted.key); },
      [this](const view::AskStudy& wanted) { ask(wanted); },
      [this](const view::EditStudy& edit) {
        view::edit_study(form_.form, edit.key, edit.text);
        if (edit.key == "recipe" || edit.key == "quick") fill_from_study(form_.form);
      },
      [this](const view::StartStudy&) { start_asked(); },
      [this](const view::MeasurePair& wanted) { measure(wanted); },
      [this](const view::ContinueStudy& wanted) { go_on(wanted.name); },
      [this](const view::StopStudy& wanted) { stop(wanted.name); },
      [&](const view::ExportStudy& wanted) { write(wanted.kind, rest); });
  changed_ = true;
}

void StudyController::fill(view::ScalingInput& input) const {
  input.facts = facts();
  if (seen_) input.names = seen_->names;
  if (seen_) input.ready = seen_->ready;
  input.waterfall = waterfall_.run.empty() ? nullptr : &waterfall_.view;
  input.waterfall_run = waterfall_.run;
  input.metric = metric_;
  const auto shown = compared();
  const bool chosen = facts() != nullptr && facts()->study.find(setting_) != nullptr;
  input.selected = !chosen && shown ? shown->key : setting_;
  input.asking = asking_;
  input.looked = seen_.has_value();
  input.revision = revision_;
  if (asking_) input.form = view::build_study_form(form_);
}

}  // namespace ringside::session
