#include "gui/session/machines/remote_command.h"

#include <utility>

#include "gui/view/carry_out.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

RemoteCommand trash_run(const std::string& id) {
  const std::string run = "Run " + id;
  return {"delete " + id,       remote::RemoteDelete{{}, id},       {},
          run + " was deleted", remote::RemoteDelete{{}, id, true}, run + " was restored"};
}

RemoteCommand trash_study(const view::TrashStudy& wanted) {
  const std::string study = "Study " + wanted.name;
  const char* const runs = wanted.with_runs ? " with its own runs" : ", its runs stay";
  return {"delete " + wanted.name,
          remote::RemoteDelete{{}, wanted.name, false, wanted.with_runs},
          {},
          study + " was deleted" + runs,
          remote::RemoteDelete{{}, wanted.name, true, wanted.with_runs},
          study + " was restored"};
}

RemoteCommand measure_pair(const view::MeasurePair& wanted) {
  return {"measure pair",
          remote::RemoteMeasure{{}, wanted.first, wanted.second, view::kPairsElsewhere},
          "Starting a study", "A study trains"};
}

RemoteCommand stop_study(const std::string& name) {
  return {"stop " + name, remote::RemoteStop{{}, name}, "Stopping study " + name};
}

RemoteCommand continue_study(const std::string& name) {
  return {"resume " + name, remote::RemoteResume{{}, name}, "Going on with study " + name,
          "Study " + name + " goes on"};
}

/// Returns the answers for one group of commands.
template <class Group, class... Answers>
requires view::kHandles<view::HandlerSet<Answers...>, Group> RemoteHandling
answer(const Group& group, Answers... answers) {
  return std::visit([all = view::HandlerSet<Answers...>{std::move(answers)...}](
                        const auto& one) -> RemoteHandling { return all(one); },
                    group);
}

/// The answer for these kinds.
template <class Kind>
struct HereOf {
  HandledLocally operator()(const Kind& /*command*/) const { return {}; }
};
template <class... Kinds>
struct Here : HereOf<Kinds>... {
  using HereOf<Kinds>::operator()...;
};

RemoteHandling answer_of(const view::RunCommand& command) {
  return answer(command,
                Here<view::StartRun, view::StopRun, view::ResumeRun, view::OpenRun, view::Replay,
                     view::CompareWith, view::SaveImage, view::ChartData, view::SaveLines>(),
                [](const view::ProveChange&) { return RemoteOnly{"predictions are proved"}; });
}

RemoteHandling answer_of(const view::ListCommand& command) {
  return answer(
      command,
      Here<view::SetRunFilter, view::SortRuns, view::ToggleRunColumn, view::GroupRuns,
           view::SelectRun, view::MarkRun, view::ClearMarks, view::SetCompare>(),
      [](const view::EditLabels&) { return RemoteOnly{"names, tags and notes are written"}; },
      [](const view::TagRuns&) { return RemoteOnly{"tags are written"}; });
}

RemoteHandling answer_of(const view::FolderCommand& command) {
  return answer(
      command,
      Here<view::OpenFolder, view::UndoTrash, view::BrowseRuns, view::BrowseScript,
           view::BrowseExport, view::ListFolder, view::ChoosePath>(),
      [](const view::TrashRun& run) { return trash_run(run.id); },
      [](const view::TrashStudy& study) { return trash_study(study); },
      [](const view::ImportRun&) { return RemoteOnly{"runs are imported"}; },
      [](const view::WatchFolder&) { return RemoteOnly{"what another tool writes is followed"}; });
}

RemoteHandling answer_of(const view::StudyCommand& command) {
  return answer(
      command,
      Here<view::SelectStudy, view::SetScalingMetric, view::SelectSetting, view::RankSettings,
           view::AskStudy, view::EditStudy, view::StartStudy, view::ExportStudy>(),
      [](const view::MeasurePair& wanted) { return measure_pair(wanted); },
      [](const view::ContinueStudy& study) { return continue_study(study.name); },
      [](const view::StopStudy& study) { return stop_study(study.name); });
}

RemoteHandling answer_of(const view::TryCommand& /*command*/) {
  return RemoteOnly{"changes are tried"};
}

/// A group of commands that change no run. Call stacks are available for local processes only.
template <class Group>
concept ShowsOnly = view::kInGroup<
    Group,
    std::variant<view::PageCommand, view::PlaybackCommand, view::ChartCommand, view::FormCommand,
                 view::SamplerCommand, view::ExportCommand, view::AlertCommand, view::DoctorCommand,
                 view::StackCommand, view::ProfileCommand, view::TimelineCommand,
                 view::BoardCommand, view::SheetCommand, view::WindowCommand>>;

template <ShowsOnly Group>
RemoteHandling answer_of(const Group& /*group*/) {
  return HandledLocally();
}

}  // namespace

RemoteCommand remote_stop(const std::string& run, view::StopMode mode) {
  return {"stop " + run, remote::RemoteStop{{}, run, mode == view::StopMode::kNow},
          "Stopping run " + run};
}

RemoteCommand remote_resume(const std::string& run) {
  return {"resume " + run, remote::RemoteResume{{}, run}, "Starting a new attempt of run " + run,
          "Run " + run + " was resumed"};
}

RemoteCommand remote_start_study(const view::StudyForm& form) {
  const bool is_new = form.more.empty();
  remote::RemoteStartStudy study;
  study.name = is_new ? form.recipe : form.more;
  if (!form.settings) study.world = form.world;
  if (is_new && form.settings) {
    study.set = view::varied(form);
    study.random = whole_number(form.random).value_or(0);
    study.seed = whole_number(form.seed).value_or(0);
  }
  if (is_new || form.settings) study.repeats = whole_number(form.repeats).value_or(0);
  if (form.series != "recipe" && !form.settings) study.series = form.series;
  if (!form.settings) study.variants = form.variants;
  study.quick = is_new && form.quick;
  study.fresh = form.fresh;
  study.queue = form.slurm.typed();
  return {"start study", std::move(study), "Starting a study", "A study trains"};
}

RemoteHandling elsewhere(const view::Command& command) {
  return std::visit([](const auto& group) { return answer_of(group); }, command);
}

}  // namespace ringside::session
