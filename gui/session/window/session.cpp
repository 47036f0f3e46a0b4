#include "gui/session/window/session.h"

#include <algorithm>
#include <utility>

#include "gui/runs/catalogue.h"
#include "gui/runs/chosen_baseline.h"

namespace ringside::session {
namespace {

constexpr double kNeverSaved = 3600;

/// Queries this machine, whichever machine the window shows.
BoardController::LookHere look_here(const Session::Options& options) {
  auto usual = runlog::choose_runs_dir({});
  const bool elsewhere = options.machine && usual;
  auto looks = std::make_shared<MachineLooks>(elsewhere ? std::move(*usual) : options.runs_dir);
  return [looks = std::move(looks)] { return looks->look(true); };
}

}  // namespace

Session::Session(Options options, std::function<void()> wake)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      jobs_(wake_),
      machine_(options_.machine, jobs_, line_, wake_),
      launch_(options_.runs_dir, jobs_, options_.machine),
      runs_(options_.runs_dir, jobs_),
      compare_(wake_),
      sampler_(wake_),
      alerts_(wake_),
      doctor_(options_.runs_dir, jobs_, wake_),
      board_(jobs_, look_here(options_)),
      manual_(jobs_),
      stacks_(jobs_),
      timeline_(jobs_),
      profile_(jobs_, line_, [this] { look_for_timelines(true); }),
      what_if_(options_.runs_dir, jobs_),
      tries_(options_.runs_dir, jobs_, line_, wake_),
      export_(options_.runs_dir, jobs_, wake_, line_, machine_.exports_dir()),
      studies_(
          options_.runs_dir, jobs_, line_, [this] { runs_.scan(); },
          [this] { return launch_.has_slurm(); }, machine_.name(), machine_.exports_dir()),
      folders_(
          options_.runs_dir,
          {[this](const std::string& id) {
             if (opened_ == nullptr || opened_->folder().id() != id) return;
             stacks_.close();
             opened_.reset();
             look_for_timelines();
           },
           [this] { go_to(view::Page::kRuns); },
           [this](const std::string& path) { choose_script(path); },
           [this](const std::string& id) { open_or_notify(id, 0); }, [this] { studies_.look(); }},
          jobs_, runs_, line_) {
  if (options_.machine) board_.add(*options_.machine);
  board_.add(machine_.others());
  board_.add(options_.carried.watched);
}

Result<void> Session::start() {
  if (auto loaded = launch_.select_preset(options_.preset); !loaded) return loaded;
  take_over(options_.carried);
  if (!options_.run.empty()) {
    if (auto opened = open(options_.run, options_.replay_speed); !opened) return opened;
  }
  if (options_.page == "live") page_ = view::Page::kLive;
  if (options_.page == "sampler") page_ = view::Page::kSampler;
  if (options_.page == "scaling") go_to(view::Page::kScaling);
  if (options_.page == "runs") page_ = view::Page::kRuns;
  if (options_.page == "timeline") go_to(view::Page::kTimeline);
  if (options_.page == "launch") page_ = view::Page::kLaunch;
  if (options_.page == "machines") page_ = view::Page::kMachines;
  launch_.look_at_machine();
  runs_.apply(view::SetCompare{options_.list.compare});
  if (!options_.list.sort.key.empty()) runs_.apply(view::SortRuns{options_.list.sort});
  runs_.apply(view::GroupRuns{options_.list.group});
  for (const std::string& key : options_.list.columns.changed)
    runs_.apply(view::ToggleRunColumn{key});
  for (const std::string& which : options_.compare) {
    const auto found = RINGSIDE_TRY(runs::find_run(options_.runs_dir, which));
    runs_.apply(view::MarkRun{found.folder.id(), true});
    page_ = view::Page::kRuns;
  }
  sheets_.settings = options_.show == "settings";
  sheets_.keys = options_.show == "keys";
  sheets_.palette = options_.show == "commands";
  if (options_.show == "waterfall") what_if_.look();
  sheets_.waterfall = options_.show == "waterfall";
  sheets_.experiment = options_.show == "published";
  if (options_.show == "doctor") apply(view::ShowDoctor{});
  if (options_.show == "commands") manual_.read();
  runs_.scan();
  return {};
}

view::RunsChoice Session::list_choice() const {
  view::RunsChoice choice = runs_.choice();
  choice.filter.clear();
  choice.selected.clear();
  choice.marked.clear();
  choice.compare.baseline.clear();
  choice.compare.low = choice.compare.high = 0;
  return choice;
}

void Session::take_over(const CarriedState& carried) {
  if (options_.machine) board_.apply(view::WatchMachine{machine_.name()});
  for (const std::string& address : carried.watched) board_.apply(view::WatchMachine{address});
  if (carried.settings) launch_.use_settings(*carried.settings);
  if (!carried.partition.empty()) launch_.choose_partition(carried.partition);
}

CarriedState Session::carried_to(const view::SelectMachine& chosen) const {
  CarriedState carried{board_.watched(), {}, chosen.partition};
  view::LaunchInput form;
  launch_.fill(form);
  if (chosen.page != view::Page::kLaunch || form.script != nullptr) return carried;
  carried.settings = form.form->spec();
  carried.settings->devices.ids.clear();  // the machine that is left has other devices
  return carried;
}

Result<void> Session::open(const std::string& text, double replay_speed) {
  auto found = RINGSIDE_TRY(runs::find_run(options_.runs_dir, text));
  auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
  open_listed(found, std::move(spec), replay_speed);
  return {};
}

void Session::open_listed(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed) {
  opened_ = std::make_unique<OpenedRun>(run, std::move(spec), replay_speed, options_.charts, wake_,
                                        jobs_);
  const bool copied = machine_.holds(run.folder);
  if (copied) opened_->live().set_machine(machine_.name());
  if (copied) machine_.watch(run.folder.id());
  following_.stop_looking();
  look_for_timelines();
  sheets_.stop = false;
  sheets_.note.reset();
  follows_ = false;
  stacks_.close();
  page_ = view::Page::kLive;
  offer_baselines();
}

void Session::compare_with(const std::string& id) {
  const auto found = runs::find_run(options_.runs_dir, id);
  if (!found || opened_ == nullptr) return;
  auto other = runs::read_spec(found->folder);
  if (other) opened_->set_baseline(*found, std::move(*other));
}

void Session::offer_baselines() {
  if (opened_ == nullptr) return;
  opened_->set_offers(
      baseline_offers(opened_->folder().id(), opened_->live().model().spec(), runs_.runs()));
  if (opened_->has_baseline()) return;
  // A baseline that does not exist yet or was deleted is named on the card until it exists (again).
  const RunId wanted = runs::baseline_id(opened_->folder(), opened_->live().model().spec());
  opened_->name_baseline(wanted);
  if (!wanted.empty()) compare_with(wanted);
}

void Session::open_or_notify(const std::string& text, double replay_speed) {
  following_.forget();
  if (const auto opened = open(text, replay_speed); !opened) return line_.notify(opened.error());
  // A typed path is the filter's text and has been opened; the old message does not concern it.
  if (runs_.choice().filter == text) runs_.apply(view::SetRunFilter{});
  line_.clear();
  folders_.offer_import(opened_->folder().path());
}

/// Opens the active run again if the window was closed while it was training.
void Session::attach() {
  if (!runs_.looked()) return;
  const runs::RunSummary* alive = following_.find_live(runs_.runs(), runs_.settled());
  if (alive == nullptr) return;
  const view::Page seen = page_;
  const bool left_there = options_.live && seen == view::Page::kLaunch;
  if (open(alive->folder.path().string(), 0) && !left_there) page_ = seen;
}

void Session::started(const launch::Started& runs) {
  following_.begin(runs.folders);
  follow_next();
  go_to(view::Page::kLive);
  runs_.scan();
}

/// Opens the next of the runs that were started here: the baseline first, then the run that is
/// compared with it.
void Session::follow_next() {
  const auto next = following_.next();
  if (!next) return;
  const view::Page seen = page_;
  if (const auto opened = open(next->path().string(), 0)) {
    opened_->live().watch_from_start();
  } else {
    line_.notify(opened.error());
  }
  page_ = seen;  // does not take a person who has moved on away from their page
}

std::string Session::open_folder() const {
  return opened_ == nullptr ? std::string() : opened_->folder().path().string();
}

bool Session::update_opened(bool records) {
  if (opened_ == nullptr) return false;
  LiveRun& live = opened_->live();
  live.set_rules_off(alerts_.off());
  if (!live.context().machine.empty()) live.set_cut_since(machine_.cut_since());
  const bool changed = records && opened_->update();
  alerts_.watch(live);
  if (!live.take_over()) return changed;
  sheets_.stop = false;
  runs_.scan();
  const auto& state = live.model().run_state();
  follows_ = state && state->state == messages::State::kFinished;
  return true;
}

bool Session::update(bool records) {
  bool changed = jobs_.finish();
  if (const std::string problem = jobs_.take_problem(); !problem.empty())
    line_.notify(view::Tone::kError, problem);
  if (const std::string problem = runs_.take_unsaved(); !problem.empty())
    line_.notify(view::Tone::kError, problem);
  changed = machine_.update() || changed;
  if (machine_.take_new_copies()) runs_.scan();
  if (machine_.take_return()) launch_.look_at_machine();
  changed = doctor_.update() || changed;
  changed = board_.update(page_ == view::Page::kMachines) || changed;
  changed = tries_.update() || changed;
  changed = update_opened(records) || changed;
  // A note that is being typed is about the run that is open.
  if (follows_ && !sheets_.note) {
    follows_ = false;
    follow_next();
  }
  changed = alerts_.tell_problems(line_) || changed;
  if (page_ == view::Page::kRuns) runs_.keep_fresh();
  if (page_ == view::Page::kScaling) studies_.keep_fresh();
  if (studies_.update()) {
    changed = true;
    // All logs of another machine's study are copied while its page is shown.
    const bool looked_at = machine_.elsewhere() && page_ == view::Page::kScaling;
    for (const std::string& id : looked_at ? studies_.shown_runs() : std::vector<std::string>())
      machine_.watch(id);
  }
  changed = runs_.update() || changed;
  attach();
  if (runs_.take_roster_change()) {
    launch_.set_runs(runs_.runs());
    offer_baselines();
  }
  if (runs_.take_marks_change()) {
    compare_.set_marked(runs_.marked(), runs_.runs());
    changed = true;
  }
  changed = compare_.update() || changed;
  changed = sampler_.update() || changed;
  if (page_ == view::Page::kTimeline) changed = timeline_.update(live_input()) || changed;
  changed = line_.update(export_.share()) || changed;
  return launch_.update() || changed;
}

double Session::next_update_s(bool records) const {
  double next = page_ == view::Page::kRuns ? RunsController::kFreshS : kNeverSaved;
  if (page_ == view::Page::kScaling) next = StudyController::kFreshS;
  if (page_ == view::Page::kMachines) next = board_.next_update_s();
  if (records && opened_ != nullptr) next = std::min(next, opened_->next_update_s());
  if (page_ == view::Page::kTimeline && !timeline_.settled()) next = std::min(next, 0.1);
  if (compare_.more() || sampler_.more() || runs_.marks_changed()) next = 0;
  return std::min({next, launch_.next_update_s(), line_.left_s()});
}

view::ScreenInput Session::input() const {
  view::ScreenInput input;
  input.page = page_;
  input.live = live_input();
  launch_.fill(input.launch);
  runs_.fill(input.runs);
  input.machine = machine_.facts();
  input.runs.elsewhere = view::elsewhere_text(input.machine, "runs");
  compare_.fill(input.runs);
  sampler_.fill(input.live, input.sampler);
  if (page_ == view::Page::kTimeline) timeline_.fill(input.live, input.timeline);
  studies_.fill(input.scaling);
  input.scaling.elsewhere = view::elsewhere_text(input.machine, "studies");
  input.last = runs_.last_result();
  input.message = line_.shown();
  export_.fill(input.exporting);
  folders_.fill(input);
  input.sheets = sheets_;
  if (sheets_.alerts) input.alerts = alerts_.view();
  if (sheets_.doctor) input.doctor = doctor_.view();
  if (stacks_.open()) input.stack = stacks_.view();
  if (sheets_.waterfall) input.what_if = what_if_.input();
  if (sheets_.tries) input.tries = tries_.view();
  input.manual = manual_.facts();
  board_.fill(input.board);
  const messages::DevicesSpec& devices = input.launch.form->spec().devices;
  input.board.need = {devices.kind, devices.world_size};
  return input;
}

void Session::go_to(view::Page page) {
  page_ = page;
  if (page == view::Page::kLaunch) launch_.look_again();
  if (page == view::Page::kRuns) runs_.scan();
  if (page == view::Page::kScaling) studies_.look();
  if (page == view::Page::kTimeline) look_for_timelines();
}

/// `newest`: a profile was just made, and is shown.
void Session::look_for_timelines(bool newest) {
  timeline_.look(opened_ == nullptr ? nullptr : &opened_->folder(), newest);
}

view::LiveInput Session::live_input() const {
  view::LiveInput live;
  if (opened_ == nullptr) return live;
  opened_->fill(live);
  if (const auto* run = runs_.find(live.context.id)) {
    live.context.name = run->labels.name;
    live.context.notes = runs::chart_notes_of(run->labels);
    live.context.takes_notes = !machine_.elsewhere();
    live.context.newer = static_cast<std::size_t>(std::ranges::count_if(
        runs_.runs(), [run](const auto& other) { return other.number > run->number; }));
  }
  return live;
}

bool Session::reached(const std::string& moment) const {
  if (moment == "ready" && page_ != view::Page::kLive) {
    view::LaunchInput launch;
    launch_.fill(launch);
    return !launch.checks.empty() && runs_.settled() && !jobs_.running("preflight") &&
           !jobs_.running("doctor") && !compare_.more() && !sampler_.more() &&
           (page_ != view::Page::kTimeline || timeline_.settled()) &&
           (page_ != view::Page::kSampler || opened_ == nullptr || opened_->live().loaded()) &&
           (page_ != view::Page::kScaling || studies_.settled()) &&
           (page_ != view::Page::kMachines || board_.settled());
  }
  if (opened_ == nullptr) return false;
  if (moment == "ready") return opened_->live().loaded();
  if (moment == "training")
    return following_.all_open() && opened_->live().model().newest_common_step() >= 60;
  return following_.all_open() && opened_->live().over() && opened_->live().loaded();
}

}  // namespace ringside::session
