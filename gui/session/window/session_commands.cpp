// Carries out commands that concern several parts of the session.
#include <system_error>
#include <utility>

#include "gui/launch/start/ask_stop.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/session/resumable.h"
#include "gui/session/studies/study_start.h"
#include "gui/session/trace/trace_reader.h"
#include "gui/session/window/session.h"
#include "gui/view/carry_out.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/watch/sources.h"
#include "protocol/host/files.h"
#include "protocol/runlog/whole_argv.h"

namespace ringside::session {

void Session::stop(const std::string& id, view::StopMode mode) {
  const auto found = runs::find_run(options_.runs_dir, id);
  if (!found) return line_.notify(found.error());
  following_.forget();
  if (machine_.elsewhere()) {
    machine_.command(remote_stop(found->folder.id(), mode));
    return;
  }
  // Reading a long log first would delay the stop.
  const runs::RunSummary* const known = runs_.find(found->folder.id());
  const auto listed = known == nullptr ? std::nullopt : std::optional(*known);
  jobs_.start("stop " + id, [this, run = *found, listed, mode]() -> Jobs::Completion {
    launch::wait_until_askable(run.folder);
    auto answer =
        stop_run(listed ? *listed : runs::read_summary(run),
                 mode == view::StopMode::kNow ? wire::StopMode::kNow : wire::StopMode::kGraceful);
    return [this, answer = std::move(answer)] {
      if (!answer) line_.notify(answer.error());
    };
  });
}

/// The feed of the open run detects the new attempt by itself.
void Session::resume(const std::string& id) {
  const std::string which = id.empty() && opened_ != nullptr ? opened_->folder().id() : id;
  const runs::RunSummary* run = runs_.find(which);
  if (run == nullptr) return;
  if (machine_.elsewhere()) {
    machine_.command(remote_resume(which));
    return;
  }
  const bool begun =
      jobs_.start("resume " + which, [this, which, listed = *run]() -> Jobs::Completion {
        const auto started = resume_run(listed);
        return [this, which, started] {
          line_.notify(started ? view::Tone::kOk : view::Tone::kError,
                       started ? "Run " + which + " resumed." : started.error().message);
          runs_.scan();
        };
      });
  if (begun) line_.notify(view::Tone::kInfo, "Starting a new attempt of run " + which + "…");
}

void Session::launch() {
  // The key may be pressed again before the first start has finished; by then the run is open.
  if (page_ != view::Page::kLaunch) return;
  launch_.launch([this](const launch::Started& runs) { started(runs); },
                 [this](const Error&) { page_ = view::Page::kLaunch; });
}

void Session::select_preset(const view::SelectPreset& preset) {
  const auto loaded = launch_.select_preset(preset.name, preset.quick);
  if (!loaded) line_.notify(loaded.error());
  if (loaded) go_to(view::Page::kLaunch);
}

void Session::use_settings(const std::string& id) {
  const runs::RunSummary* run = runs_.find(id);
  if (run == nullptr) return;
  messages::RunSpec spec = run->spec;
  // If the run's secrets are not on this machine the form says so. Secrets on this machine are not
  // sent to another one.
  if (!machine_.elsewhere()) {
    auto whole = runlog::whole_argv(id, spec.program.argv);
    if (whole) spec.program.argv = std::move(*whole);
  }
  launch_.use_settings(std::move(spec));
  go_to(view::Page::kLaunch);
}

void Session::choose_script(const std::string& path) {
  launch_.choose_script(path);
  go_to(view::Page::kLaunch);
}

void Session::set_baseline(const std::string& id) {
  if (opened_ != nullptr) launch_.use_as_baseline(id.empty() ? opened_->folder().id() : id);
  page_ = view::Page::kLaunch;
}

void Session::fix_sampling(const std::string& id) {
  if (runs_.find(id) == nullptr) {
    line_.notify(view::Tone::kWarning, "This run is not in the list of runs; import it first.");
    return;
  }
  use_settings(id);
  launch_.apply(view::EditField{"sampler.set_epoch", "true"});
}

void Session::prove(const analysis::StepChange& change) {
  if (opened_ == nullptr) return;
  const view::LiveInput live = live_input();
  what_if_.prove(opened_->folder(), *live.model, live.context.probe.get(), change,
                 [this](const Result<StartedStudy>& proof) {
                   if (!proof) return line_.notify(proof.error());
                   sheets_.waterfall = false;
                   started(proof->runs);
                 });
}

void Session::apply(const view::TryCommand& command) {
  view::carry_out(
      command, [this](const view::StartTries& wanted) { tries_.start(wanted); },
      [this](const view::StopTries&) { tries_.stop(); },
      [this](const view::LaunchTried&) {
        const auto best = tries_.best();
        if (!best) return;
        sheets_.tries = false;
        launch_.use_settings(*best);
        go_to(view::Page::kLaunch);
        launch();
      });
}

void Session::apply(const view::PageCommand& command) {
  view::carry_out(
      command, [this](const view::SelectPage& wanted) { go_to(wanted.page); },
      [this](const view::SelectPreset& preset) { select_preset(preset); },
      [this](const view::UseSettings& wanted) { use_settings(wanted.id); },
      [this](const view::SetBaseline& wanted) { set_baseline(wanted.id); },
      [this](const view::FixSampling& wanted) { fix_sampling(wanted.id); });
}

void Session::apply(const view::RunCommand& command, std::vector<view::WindowCommand>& rest) {
  view::carry_out(
      command, [this](const view::StartRun&) { launch(); },
      [this](const view::StopRun& wanted) { stop(wanted.id, wanted.mode); },
      [this](const view::ResumeRun& wanted) { resume(wanted.id); },
      [this](const view::OpenRun& wanted) { open_named(wanted.id); },
      [this](const view::Replay& wanted) { open_or_notify(wanted.id, wanted.speed); },
      [this](const view::CompareWith& wanted) {
        if (opened_ == nullptr) return;
        compare_with(wanted.id);
        if (machine_.elsewhere()) return;  // its machine chooses a copy's baseline
        if (const auto kept = runs::choose_baseline(opened_->folder(), wanted.id); !kept)
          line_.notify(kept.error());
        runs_.scan();
      },
      [&](const view::SaveImage& wanted) { save_image(wanted, rest); },
      [&](const view::ChartData& wanted) { take_data(wanted, rest); },
      [this](const view::SaveLines& wanted) { save_lines(wanted); },
      [this](const view::ProveChange& wanted) { prove(wanted.change); });
}

void Session::ask_note(const view::AskNote& wanted) {
  sheets_.note.reset();
  if (!wanted.open || opened_ == nullptr) return;
  const view::LiveInput live = live_input();
  sheets_.note = view::note_step(*live.model, live.context, live.choice, wanted.step);
  if (!sheets_.note)
    line_.notify(view::Tone::kInfo, live.context.takes_notes
                                        ? "There is no step yet to write a note at."
                                        : "Notes are written on runs in the list of this machine.");
}

void Session::apply(const view::SheetCommand& command) {
  view::carry_out(
      command,
      [this](const view::AskStop& ask) {
        sheets_.stop = ask.open && opened_ != nullptr && !opened_->live().over();
      },
      [this](const view::AskNote& wanted) { ask_note(wanted); },
      [this](const view::ShowKeys& keys) { sheets_.keys = keys.on; },
      [this](const view::ShowManual& manual) {
        sheets_.manual = manual.on;
        if (manual.on) manual_.open({manual.topic, manual.section});
      },
      [this](const view::ShowPalette& palette) {
        sheets_.palette = palette.on;
        if (palette.on) manual_.read();  // its topics are listed in the palette
      },
      [this](const view::ShowSettings& settings) { sheets_.settings = settings.on; },
      [this](const view::ShowAlertSettings& alerts) { sheets_.alerts = alerts.on; },
      [this](const view::ShowOpenRun& sheet) { sheets_.open = sheet.on; },
      [this](const view::ShowDoctor& doctor) {
        sheets_.doctor = doctor.on;
        if (doctor.on) doctor_.look();
      },
      [this](const view::ShowWaterfall& waterfall) {
        sheets_.waterfall = waterfall.on && opened_ != nullptr;
        if (sheets_.waterfall) what_if_.look();
      },
      [this](const view::ShowTries& tries) {
        sheets_.tries = tries.on && opened_ != nullptr;
        if (!sheets_.tries) return;
        const LiveRun& live = opened_->live();
        tries_.look(live.listed(), live.over(), live.model());
      },
      [this](const view::ShowExperiment& experiment) {
        const bool any = page_ == view::Page::kScaling || opened_ != nullptr;
        sheets_.experiment = experiment.on && any;
      },
      [this](const view::ShowMachines& machines) { sheets_.machines = machines.on; });
}

/// Returns the default folder for files of the open run, which must exist. A run folder that was
/// deleted is not made again, so that it can be restored.
std::filesystem::path Session::export_folder() const {
  auto folder = export_.place(opened_->folder());
  std::error_code ignored;
  if (folder == opened_->folder().export_dir()) {
    std::filesystem::create_directory(folder, ignored);
  } else {
    std::filesystem::create_directories(folder, ignored);
  }
  return folder;
}

/// Returns the name, or the name with the lowest free number from 2 on: "log_all_2.txt".
std::filesystem::path free_name(const std::filesystem::path& wanted) {
  std::filesystem::path name = wanted;
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(name, ignored); ++i)
    name.replace_filename(wanted.stem().string() + "_" + std::to_string(i) +
                          wanted.extension().string());
  return name;
}

void Session::save_lines(const view::SaveLines& wanted) {
  if (opened_ == nullptr) return;
  const auto folder = export_folder();
  const bool begun = jobs_.start("lines", [this, folder, wanted]() -> Jobs::Completion {
    const std::string path = free_name(folder / wanted.name);
    const auto written = write_text_atomically(path, wanted.text, 0644);
    return [this, path, written] { line_.notify(written, "Saved " + path); };
  });
  if (!begun) line_.notify(view::Tone::kInfo, "Lines are being saved; try again when it is done.");
}

/// Sends changes of another machine's runs to its own ringside. Shows a message if it cannot do
/// them.
bool Session::done_elsewhere(const view::Command& command) {
  if (!machine_.elsewhere()) return false;
  if (view::as<view::UndoTrash>(command)) {
    machine_.undo();
    return true;
  }
  if (view::as<view::StartStudy>(command)) {
    machine_.command(remote_start_study(studies_.form()));
    std::vector<view::WindowCommand> none;
    studies_.apply(view::AskStudy{false, {}, {}}, none);
    return true;
  }
  const RemoteHandling answer = elsewhere(command);
  if (const auto* there = std::get_if<RemoteCommand>(&answer)) machine_.command(*there);
  if (const auto* only = std::get_if<RemoteOnly>(&answer))
    line_.notify(view::Tone::kWarning, "On " + machine_.name() + " " + only->what +
                                           " only by its own ringside: ssh there, or choose this "
                                           "machine (Ctrl M).");
  return !std::holds_alternative<HandledLocally>(answer);
}

void Session::select_machine(const view::SelectMachine& wanted,
                             std::vector<view::WindowCommand>& rest) {
  const view::MachineFacts now = machine_.facts();
  const bool failed = now.elsewhere() && now.contact == view::MachineContact::kFailed;
  if (wanted.address == now.name && !failed) {  // it is shown already
    go_to(wanted.page);
    if (!wanted.partition.empty()) launch_.choose_partition(wanted.partition);
    return;
  }
  const auto machine = other_machine(wanted.address);
  if (wanted.address.empty() || machine) {
    rest.emplace_back(wanted);
  } else {
    line_.notify(machine.error());
  }
}

std::vector<view::WindowCommand> Session::execute(const view::CommandQueue& commands) {
  std::vector<view::WindowCommand> rest;
  for (const view::Command& command : commands) {
    if (done_elsewhere(command)) continue;
    view::carry_out(
        command, [this](const view::PageCommand& one) { apply(one); },
        [&](const view::RunCommand& one) { apply(one, rest); },
        [this](const view::PlaybackCommand& one) {
          if (opened_ != nullptr) opened_->apply(one);
        },
        [this](const view::ChartCommand& one) {
          if (opened_ == nullptr) return;
          opened_->apply(one);
          options_.charts = view::kept_style(opened_->choice());
        },
        [this](const view::FormCommand& one) {
          const auto* edit = std::get_if<view::EditField>(&one);
          if (edit != nullptr && view::SlurmForm::asks_for_machine(*edit)) {
            sheets_.machines = true;
            return;
          }
          launch_.apply(one);
        },
        [this](const view::ListCommand& one) { runs_.apply(one); },
        [this](const view::SamplerCommand& one) { sampler_.apply(one, runs_); },
        [this](const view::FolderCommand& one) { folders_.apply(one, open_folder()); },
        [this](const view::ExportCommand& one) { export_.apply(one, open_folder()); },
        [this](const view::AlertCommand& one) { alerts_.apply(one); },
        [&](const view::StudyCommand& one) {
          if (std::holds_alternative<view::AskStudy>(one) ||
              std::holds_alternative<view::MeasurePair>(one))
            go_to(view::Page::kScaling);
          studies_.apply(one, rest);
        },
        [this](const view::DoctorCommand& one) { doctor_.apply(one); },
        [this](const view::TryCommand& one) { apply(one); },
        [this](const view::StackCommand& one) {
          stacks_.apply(one, opened_ == nullptr ? nullptr : &opened_->folder());
        },
        [this](const view::ProfileCommand& one) {
          profile_.apply(one, opened_ == nullptr ? nullptr : &opened_->live().listed());
        },
        [this](const view::TimelineCommand& one) { timeline_.apply(one); },
        [this](const view::BoardCommand& one) { board_.apply(one); },
        [this](const view::SheetCommand& one) { apply(one); },
        [&](const view::WindowCommand& one) {
          const auto* machine = std::get_if<view::SelectMachine>(&one);
          if (machine != nullptr) return select_machine(*machine, rest);
          rest.push_back(one);
        });
  }
  return rest;
}

/// Opens a path as if it was dropped on the window, or a run by its id.
void Session::open_named(const std::string& text) {
  std::error_code ignored;
  const bool is_path = text.find('/') != std::string::npos;
  if (!is_path || machine_.elsewhere() || !std::filesystem::exists(text, ignored))
    return open_or_notify(text, 0);
  open_dropped({text});
  if (runs_.choice().filter == text) runs_.apply(view::SetRunFilter{});
}

/// Shows one run at a time. A file in a run folder opens the folder, a Python file becomes the
/// script to run, and files of another tool are followed.
void Session::open_dropped(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::filesystem::path first = paths.front();
  std::error_code ignored;
  if (first.extension() == ".py" && std::filesystem::is_regular_file(first, ignored)) {
    sheets_.open = false;
    choose_script(first.string());
    if (paths.size() > 1)
      line_.notify(view::Tone::kInfo, "Took " + first.string() + ", the first of " +
                                          std::to_string(paths.size()) + " dropped items.");
    return;
  }
  if (std::filesystem::is_regular_file(first, ignored) && runs::holds_run(first.parent_path()))
    first = first.parent_path();
  sheets_.open = false;
  if (!runs::holds_run(first)) return open_foreign(paths);
  open_or_notify(first.string(), 0);
  if (paths.size() > 1) {
    line_.add("Opened the first of " + std::to_string(paths.size()) +
              " dropped items: one run is shown at a time.");
  }
}

/// Searches the folder in a job, since it may be large and its file system slow.
void Session::open_foreign(const std::vector<std::string>& paths) {
  const bool begun = jobs_.start(
      "look into a folder",
      [this, paths]() -> Jobs::Completion {
        const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
        if (std::ranges::all_of(files, is_trace)) {
          return [this, files] {
            timeline_.open(files);
            go_to(view::Page::kTimeline);
          };
        }
        return [this, path = paths.front(), watched = watch::can_watch(files.front())] {
          if (!watched) return open_or_notify(path, 0);
          if (!machine_.elsewhere()) return folders_.watch(path);
          line_.notify(view::Tone::kWarning,
                       "What another tool writes is followed in a window of this machine, not of " +
                           machine_.name() + ".");
        };
      },
      JobKind::kReads);
  if (!begun)
    line_.notify(view::Tone::kInfo, "Something is being opened; try again when it is done.");
}

}  // namespace ringside::session
