#include "gui/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gui/launch/ask_stop.h"
#include "gui/runs/catalogue.h"
#include "gui/session/run_actions.h"
#include "gui/view/carry_out.h"
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
  opened_ = std::make_unique<OpenedRun>(run, std::move(spec), replay_speed, wake_, jobs_);
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
      baseline_offers(opened_->folder().id(), opened_->live().model().spec(), runs_.runs()));
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
    opened_->live().watch_from_start();
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

std::string Session::open_folder() const {
  return opened_ == nullptr ? std::string() : opened_->folder().path().string();
}

bool Session::update_alerts() {
  if (opened_ != nullptr) alerts_.watch(opened_->live());
  const auto problems = alerts_.take_problems();
  for (const std::string& problem : problems) notify(view::Tone::kWarning, problem);
  return !problems.empty();
}

bool Session::update() {
  bool changed = jobs_.finish();
  if (opened_ != nullptr) opened_->live().set_rules_off(alerts_.off());
  if (opened_ != nullptr) {
    changed = opened_->update() || changed;
    changed = update_alerts() || changed;
    if (opened_->live().take_over()) {
      asking_stop_ = false;
      const auto& state = opened_->live().model().run_state();
      const bool finished = state && state->state == messages::State::kFinished;
      runs_.scan();
      if (finished) follow_experiment();
      changed = true;
    }
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
  input.showing_alerts = showing_alerts_;
  if (showing_alerts_) input.alerts = alerts_.view();
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
    auto answer = launch::ask_stop(
        folder, mode == view::StopMode::kNow ? wire::StopMode::kNow : wire::StopMode::kGraceful);
    return [this, answer = std::move(answer)] {
      if (!answer) notify(view::Tone::kError, answer.error().message);
    };
  });
}

/// The feed of the open run finds the new attempt by itself.
void Session::resume(const std::string& id) {
  const std::string which = id.empty() && opened_ != nullptr ? opened_->folder().id() : id;
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

void Session::launch() {
  // Keys pressed once more while the first start was under way find the run open by now.
  if (page_ != view::Page::kLaunch) return;
  launch_.launch([this](const launch::Experiment& experiment) { started(experiment); },
                 [this](const Error&) { page_ = view::Page::kLaunch; });
}

void Session::select_preset(const view::SelectPreset& preset) {
  const auto loaded = launch_.select_preset(preset.name, preset.quick);
  if (!loaded) notify(view::Tone::kError, loaded.error().message);
  if (loaded) go_to(view::Page::kLaunch);
}

void Session::use_settings(const std::string& id) {
  const runs::RunSummary* run = runs_.find(id);
  if (run == nullptr) return;
  launch_.use_settings(run->spec);
  go_to(view::Page::kLaunch);
}

void Session::set_baseline(const std::string& id) {
  if (opened_ != nullptr) launch_.use_as_baseline(id.empty() ? opened_->folder().id() : id);
  page_ = view::Page::kLaunch;
}

void Session::apply(const view::PageCommand& command) {
  view::carry_out(
      command, [this](const view::SelectPage& wanted) { go_to(wanted.page); },
      [this](const view::SelectPreset& preset) { select_preset(preset); },
      [this](const view::UseSettings& wanted) { use_settings(wanted.id); },
      [this](const view::SetBaseline& wanted) { set_baseline(wanted.id); });
}

void Session::apply(const view::RunCommand& command, std::vector<view::WindowCommand>& rest) {
  view::carry_out(
      command, [this](const view::LaunchExperiment&) { launch(); },
      [this](const view::StopRun& wanted) { stop(wanted.id, wanted.mode); },
      [this](const view::ResumeRun& wanted) { resume(wanted.id); },
      [this](const view::OpenRun& wanted) { open_or_notify(wanted.id, 0); },
      [this](const view::Replay& wanted) { open_or_notify(wanted.id, wanted.speed); },
      [this](const view::CompareWith& wanted) { compare_with(wanted.id); },
      [&](const view::SaveImage& wanted) { save_image(wanted, rest); });
}

void Session::apply(const view::SheetCommand& command) {
  view::carry_out(
      command,
      [this](const view::AskStop& ask) {
        asking_stop_ = ask.open && opened_ != nullptr && !opened_->live().over();
      },
      [this](const view::ShowKeys& keys) { showing_keys_ = keys.on; },
      [this](const view::ShowPalette& palette) { showing_palette_ = palette.on; },
      [this](const view::ShowSettings& settings) { showing_settings_ = settings.on; },
      [this](const view::ShowAlertSettings& alerts) { showing_alerts_ = alerts.on; },
      [this](const view::ShowOpenRun& sheet) {
        showing_open_ = sheet.on;
        if (sheet.on && options_.folder_dialog.available)
          can_browse_ = options_.folder_dialog.available();
      });
}

/// An SVG is written here; a PNG is taken by the window.
void Session::save_image(const view::SaveImage& wanted, std::vector<view::WindowCommand>& rest) {
  if (opened_ == nullptr) return;
  std::string path = wanted.path;
  if (path.empty()) {
    const auto folder = opened_->folder().export_dir();
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    path = folder / (wanted.chart + (wanted.vector ? ".svg" : ".png"));
  }
  if (!wanted.vector) {
    rest.emplace_back(view::TakePicture{wanted.chart, path});
    return;
  }
  jobs_.start("picture",
              [this, path, svg = opened_->chart_drawing(wanted.chart)]() -> Jobs::Completion {
                const auto written = write_text_atomically(path, svg, 0644);
                return [this, path, written] {
                  notify(written ? view::Tone::kOk : view::Tone::kError,
                         written ? "Saved " + path : written.error().message);
                };
              });
}

std::vector<view::WindowCommand> Session::execute(const view::CommandQueue& commands) {
  std::vector<view::WindowCommand> rest;
  for (const view::Command& command : commands) {
    view::carry_out(
        command, [this](const view::PageCommand& one) { apply(one); },
        [&](const view::RunCommand& one) { apply(one, rest); },
        [this](const view::PlaybackCommand& one) {
          if (opened_ != nullptr) opened_->apply(one);
        },
        [this](const view::ChartCommand& one) {
          if (opened_ != nullptr) opened_->apply(one);
        },
        [this](const view::FormCommand& one) { launch_.apply(one); },
        [this](const view::ListCommand& one) { runs_.apply(one); },
        [this](const view::FolderCommand& one) { apply(one); },
        [this](const view::ExportCommand& one) { export_.apply(one, open_folder()); },
        [this](const view::AlertCommand& one) { alerts_.apply(one); },
        [this](const view::SheetCommand& one) { apply(one); },
        [&](const view::WindowCommand& one) { rest.push_back(one); });
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
  if (moment == "ready") return opened_->live().loaded();
  if (moment == "training")
    return experiment_.empty() && opened_->live().model().newest_common_step() >= 60;
  return experiment_.empty() && opened_->live().over() && opened_->live().loaded();
}

}  // namespace ringside::session
