#include "gui/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gui/runs/catalogue.h"
#include "gui/session/run_actions.h"
#include "protocol/base/byte_file.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kScanEveryNs = 3'000'000'000;
constexpr int kScansToAll = 20;  // runs that have ended are looked at once a minute
constexpr double kNever = 3600;

}  // namespace

Session::Session(Options options, std::function<void()> wake)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      jobs_(wake_),
      launch_(options_.runs_dir, jobs_),
      runs_(options_.runs_dir, jobs_),
      compare_(wake_),
      alerts_(wake_),
      export_(options_.runs_dir, jobs_, wake_,
              [this](view::Message message) { show(std::move(message)); }) {}

/// What goes through gigabytes would hold up the end of the program.
Session::~Session() {
  if (search_cancel_ != nullptr) *search_cancel_ = true;
  *leaving_ = true;
  runs_.leave();
}

Result<void> Session::start() {
  if (auto loaded = launch_.select_preset(options_.preset); !loaded) return loaded;
  if (!options_.run.empty()) {
    attaching_ = false;
    if (auto opened = open(options_.run, options_.replay_speed); !opened) return opened;
  }
  if (options_.page == "live") page_ = view::Page::kLive;
  if (options_.page == "runs") page_ = view::Page::kRuns;
  if (options_.page == "launch") page_ = view::Page::kLaunch;
  launch_.look_at_machine();
  for (const std::string& which : options_.compare) {
    const auto found = runs::find_run(options_.runs_dir, which);
    if (!found) return pass(found);
    runs_.apply(view::MarkRun{found->folder.id(), true});
    page_ = view::Page::kRuns;
  }
  showing_settings_ = options_.show == "settings";
  showing_keys_ = options_.show == "keys";
  showing_palette_ = options_.show == "commands";
  runs_.scan();
  scanned_ns_ = mono_now_ns();
  return {};
}

Result<void> Session::open(const std::string& text, double replay_speed) {
  auto found = runs::find_run(options_.runs_dir, text);
  if (!found) return pass(found);
  auto spec = runs::read_spec(found->folder);
  if (!spec) return pass(spec);
  open_listed(*found, std::move(*spec), replay_speed);
  return {};
}

void Session::open_listed(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed) {
  const std::string baseline = spec.baseline.run;
  opened_ = std::make_unique<OpenedRun>(run, std::move(spec), replay_speed, wake_);
  was_over_ = false;
  asking_stop_ = false;
  page_ = view::Page::kLive;
  offer_baselines();
  // A baseline that is not there (any more) is named on the card; the run opens all the same.
  if (!baseline.empty()) compare_with(baseline);
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
      baseline_offers(opened_->listed().folder.id(), opened_->model().spec(), runs_.runs()));
}

void Session::open_or_notify(const std::string& text, double replay_speed) {
  experiment_.clear();
  if (const auto opened = open(text, replay_speed); !opened) {
    notify(view::Tone::kError, opened.error().message);
    return;
  }
  // A path typed there has been opened; the message was about something else.
  if (runs_.filter() == text) runs_.apply(view::SetRunFilter{});
  if (message_.share < 0) show({});
  offer_import();
}

/// A window that was closed while a run goes on finds it again; once, and only while nothing else
/// was opened.
void Session::attach() {
  if (!attaching_ || !runs_.looked()) return;
  attaching_ = opened_ == nullptr && !runs_.settled();
  if (opened_ != nullptr) return;
  const auto& runs = runs_.runs();
  const auto alive = std::find_if(runs.begin(), runs.end(), [](const runs::RunSummary& run) {
    return run.state.live && run.state.word != "queued";
  });
  if (alive == runs.end()) return;
  attaching_ = false;
  const view::Page seen = page_;
  const bool left_there = options_.live && seen == view::Page::kLaunch;
  if (open(alive->folder.path().string(), 0) && !left_there) page_ = seen;
}

void Session::started(const launch::Experiment& experiment) {
  experiment_ = experiment.folders;
  follow_experiment();
  go_to(view::Page::kLive);
  runs_.scan();
}

/// Opens the next run of the experiment that was started here: the baseline first, then what it is
/// the baseline of.
void Session::follow_experiment() {
  if (experiment_.empty()) return;
  const runlog::RunFolder next = experiment_.front();
  experiment_.erase(experiment_.begin());
  const view::Page seen = page_;
  if (const auto opened = open(next.path().string(), 0)) {
    opened_->watch_from_start();
  } else {
    notify(view::Tone::kError, opened.error().message);
  }
  page_ = seen;  // whoever reads or types elsewhere by now is left there
}

void Session::notify(view::Tone tone, const std::string& text) {
  view::Message message;
  message.tone = tone;
  message.text = text;
  show(std::move(message));
}

void Session::show(view::Message message) {
  message.number = message_.number + 1;
  message_ = std::move(message);
  message_time_.begin(message_, mono_now_ns());
}

void Session::hold_message(bool on) { message_time_.hold(on, mono_now_ns()); }

bool Session::update_alerts() {
  if (opened_ != nullptr) alerts_.watch(*opened_);
  const auto problems = alerts_.take_problems();
  for (const std::string& problem : problems) notify(view::Tone::kWarning, problem);
  return !problems.empty();
}

bool Session::update() {
  bool changed = jobs_.finish();
  if (opened_ != nullptr) opened_->set_rules_off(alerts_.off());
  if (opened_ != nullptr) {
    changed = opened_->update() || changed;
    changed = update_alerts() || changed;
    const bool over = opened_->over();
    if (over && !was_over_) {
      asking_stop_ = false;
      const auto& state = opened_->model().run_state();
      const bool finished = state && state->state == messages::State::kFinished;
      runs_.scan();
      was_over_ = true;
      if (finished) follow_experiment();
      changed = true;
    }
    was_over_ = opened_->over();
  }
  if (page_ == view::Page::kRuns && mono_now_ns() - scanned_ns_ > kScanEveryNs) {
    if (++scans_ % kScansToAll == 0) {
      runs_.scan();
    } else {
      runs_.poll();
    }
    scanned_ns_ = mono_now_ns();
  }
  if (opened_ == nullptr) changed = update_alerts() || changed;
  changed = runs_.update() || changed;
  attach();
  if (runs_.roster_revision() != roster_seen_) {
    roster_seen_ = runs_.roster_revision();
    launch_.set_runs(runs_.runs());
    offer_baselines();
  }
  if (runs_.marks_revision() != marks_seen_) {
    marks_seen_ = runs_.marks_revision();
    compare_.set_marked(runs_.marked(), runs_.runs());
    changed = true;
  }
  changed = compare_.update() || changed;
  if (const double share = export_.share(); message_.share >= 0 && share > message_.share) {
    message_.share = share;
    changed = true;
  }
  if (message_time_.over(mono_now_ns())) {
    show({});
    changed = true;
  }
  return launch_.update() || changed;
}

double Session::next_update_s() const {
  double next = page_ == view::Page::kRuns ? static_cast<double>(kScanEveryNs) * 1e-9 : kNever;
  if (opened_ != nullptr) next = std::min(next, opened_->next_update_s());
  if (compare_.more() || runs_.marks_revision() != marks_seen_) next = 0;
  return std::min(next, std::max(0.0, message_time_.left_s(mono_now_ns())));
}

view::ScreenInput Session::input() const {
  view::ScreenInput input;
  input.page = page_;
  if (opened_ != nullptr) opened_->fill(input.live);
  launch_.fill(input.launch);
  runs_.fill(input.runs);
  compare_.fill(input.runs);
  input.last = runs_.last_result();
  input.message = message_;
  export_.fill(input.exporting);
  input.asking_stop = asking_stop_;
  input.showing_keys = showing_keys_;
  input.showing_palette = showing_palette_;
  input.showing_alerts = alerts_.showing();
  if (alerts_.showing()) input.alerts = alerts_.view();
  input.showing_settings = showing_settings_;
  input.showing_open = showing_open_;
  input.can_browse = can_browse_;
  input.browsed = browsed_;
  return input;
}

void Session::go_to(view::Page page) {
  page_ = page;
  if (page == view::Page::kLaunch) launch_.look_again();
  if (page == view::Page::kRuns) {
    runs_.scan();
    scanned_ns_ = mono_now_ns();
  }
}

void Session::stop(const std::string& id, view::StopMode mode) {
  const auto found = runs::find_run(options_.runs_dir, id);
  if (!found) {
    notify(view::Tone::kError, found.error().message);
    return;
  }
  experiment_.clear();
  jobs_.start("stop " + id, [this, folder = found->folder, mode]() -> Jobs::Completion {
    auto answer = ask_to_stop(folder, mode);
    return [this, answer = std::move(answer)] {
      if (!answer) notify(view::Tone::kError, answer.error().message);
    };
  });
}

/// The feed of the open run finds the new attempt by itself.
void Session::resume(const std::string& id) {
  const std::string which = id.empty() && opened_ != nullptr ? opened_->listed().folder.id() : id;
  const runs::RunSummary* run = runs_.find(which);
  if (run == nullptr) return;
  const bool begun =
      jobs_.start("resume " + which, [this, which, listed = *run]() -> Jobs::Completion {
        const auto started = start_resumable(listed);
        return [this, which, started] {
          notify(started ? view::Tone::kOk : view::Tone::kError,
                 started ? "Run " + which + " resumed." : started.error().message);
          runs_.scan();
        };
      });
  if (begun) notify(view::Tone::kInfo, "Starting a new attempt of run " + which + "…");
}

void Session::search_logs(const std::string& text) {
  if (search_cancel_ != nullptr) *search_cancel_ = true;
  if (opened_ == nullptr) return;
  view::LogSearch begun;
  begun.text = text;
  begun.running = !text.empty();
  opened_->show_search(begun);
  if (text.empty()) return;
  search_cancel_ = std::make_shared<std::atomic<bool>>(false);
  jobs_.start(
      "search " + std::to_string(mono_now_ns()),
      [this, text, cancel = search_cancel_,
       folder = opened_->listed().folder]() -> Jobs::Completion {
        auto found = search_texts(folder, text, *cancel);
        return [this, cancel, folder, found = std::move(found)] {
          const bool wanted =
              !*cancel && opened_ != nullptr && opened_->listed().folder.path() == folder.path();
          if (wanted) opened_->show_search(found);
        };
      },
      JobKind::kReads);
}

bool Session::carry_out_about_run(const view::Command& command) {
  if (const auto* launch = std::get_if<view::LaunchExperiment>(&command)) {
    // Keys pressed once more while the first start was under way find the run open by now.
    if (page_ != view::Page::kLaunch) return true;
    launch_.launch(
        launch->spec, [this](const launch::Experiment& experiment) { started(experiment); },
        [this](const Error&) { page_ = view::Page::kLaunch; });
  } else if (const auto* stopped = std::get_if<view::StopRun>(&command)) {
    stop(stopped->id, stopped->mode);
  } else if (const auto* again = std::get_if<view::ResumeRun>(&command)) {
    resume(again->id);
  } else if (const auto* ask = std::get_if<view::AskStop>(&command)) {
    asking_stop_ = ask->open && opened_ != nullptr && !opened_->over();
  } else if (const auto* opened = std::get_if<view::OpenRun>(&command)) {
    open_or_notify(opened->id, 0);
  } else if (const auto* replay = std::get_if<view::Replay>(&command)) {
    open_or_notify(replay->id, replay->speed);
  } else if (const auto* baseline = std::get_if<view::SetBaseline>(&command)) {
    if (opened_ != nullptr)
      launch_.use_as_baseline(baseline->id.empty() ? opened_->listed().folder.id() : baseline->id);
    page_ = view::Page::kLaunch;
  } else if (const auto* other = std::get_if<view::CompareWith>(&command)) {
    compare_with(other->id);
  } else {
    return false;
  }
  return true;
}

bool Session::carry_out(const view::Command& command) {
  if (const auto* page = std::get_if<view::SelectPage>(&command)) {
    go_to(page->page);
  } else if (const auto* keys = std::get_if<view::ShowKeys>(&command)) {
    showing_keys_ = keys->on;
  } else if (const auto* palette = std::get_if<view::ShowPalette>(&command)) {
    showing_palette_ = palette->on;
  } else if (const auto* settings = std::get_if<view::ShowSettings>(&command)) {
    showing_settings_ = settings->on;
  } else if (const auto* sheet = std::get_if<view::ShowOpenRun>(&command)) {
    showing_open_ = sheet->on;
    if (sheet->on && options_.folder_dialog.available)
      can_browse_ = options_.folder_dialog.available();
  } else if (const auto* preset = std::get_if<view::SelectPreset>(&command)) {
    const auto loaded = launch_.select_preset(preset->name, preset->quick);
    if (!loaded) notify(view::Tone::kError, loaded.error().message);
    if (loaded) go_to(view::Page::kLaunch);
  } else {
    const std::string open =
        opened_ == nullptr ? std::string() : opened_->listed().folder.path().string();
    return carry_out_about_run(command) || carry_out_about_folder(command) ||
           export_.apply(command, open) || (opened_ != nullptr && opened_->apply(command)) ||
           launch_.apply(command) || runs_.apply(command) || alerts_.apply(command);
  }
  return true;
}

bool Session::name_image(view::SaveImage& wanted) {
  if (opened_ == nullptr) return false;
  const auto folder = opened_->listed().folder.export_dir();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (wanted.path.empty())
    wanted.path = folder / (wanted.chart + (wanted.vector ? ".svg" : ".png"));
  return true;
}

/// An SVG is written here; a PNG is taken by the window.
void Session::save_image(const view::SaveImage& wanted) {
  jobs_.start(
      "picture",
      [this, path = wanted.path, svg = opened_->chart_drawing(wanted.chart)]() -> Jobs::Completion {
        const auto written = write_text_atomically(path, svg, 0644);
        return [this, path, written] {
          notify(written ? view::Tone::kOk : view::Tone::kError,
                 written ? "Saved " + path : written.error().message);
        };
      });
}

view::CommandQueue Session::execute(const view::CommandQueue& commands) {
  view::CommandQueue rest;
  for (const view::Command& command : commands) {
    if (const auto* asked = std::get_if<view::SaveImage>(&command)) {
      view::SaveImage picture = *asked;
      if (!name_image(picture)) continue;
      if (picture.vector) save_image(picture);
      if (!picture.vector) rest.emplace_back(picture);
    } else if (!carry_out(command)) {
      rest.push_back(command);
    }
  }
  return rest;
}

bool Session::reached(const std::string& moment) const {
  if (moment == "ready" && page_ != view::Page::kLive) {
    view::LaunchInput launch;
    launch_.fill(launch);
    return !launch.checks.empty() && runs_.settled() && !jobs_.running("preflight") &&
           !compare_.more();
  }
  if (opened_ == nullptr) return false;
  if (moment == "ready") return opened_->loaded();
  if (moment == "training")
    return experiment_.empty() && opened_->model().newest_common_step() >= 60;
  return experiment_.empty() && opened_->over() && opened_->loaded();
}

}  // namespace ringside::session
