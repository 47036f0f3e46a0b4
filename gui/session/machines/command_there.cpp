#include "gui/session/machines/command_there.h"

#include <utility>

#include "gui/view/carry_out.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

CommandThere trash_run(const std::string& id) {
  const std::string run = "Run " + id;
  return {"delete " + id,       remote::DeleteThere{{}, id},       {},
          run + " was deleted", remote::DeleteThere{{}, id, true}, run + " was restored"};
}

CommandThere trash_study(const view::TrashStudy& wanted) {
  const std::string study = "Study " + wanted.name;
  const char* const runs = wanted.with_runs ? " with its own runs" : ", its runs stay";
  return {"delete " + wanted.name,
          remote::DeleteThere{{}, wanted.name, false, wanted.with_runs},
          {},
          study + " was deleted" + runs,
          remote::DeleteThere{{}, wanted.name, true, wanted.with_runs},
          study + " was restored"};
}

CommandThere measure_pair(const view::MeasurePair& wanted) {
  return {"measure pair",
          remote::MeasureThere{{}, wanted.first, wanted.second, view::kPairsElsewhere},
          "Starting a study", "A study trains"};
}

CommandThere stop_study(const std::string& name) {
  return {"stop " + name, remote::StopThere{{}, name}, "Stopping study " + name};
}

CommandThere continue_study(const std::string& name) {
  return {"resume " + name, remote::ResumeThere{{}, name}, "Going on with study " + name,
          "Study " + name + " goes on"};
}

/// Returns the answers for one group of commands.
template <class Group, class... Answers>
requires view::kHandles<view::HandlerSet<Answers...>, Group> Elsewhere answer(const Group& group,
                                                                              Answers... answers) {
  return std::visit([all = view::HandlerSet<Answers...>{std::move(answers)...}](
                        const auto& one) -> Elsewhere { return all(one); },
                    group);
}

/// The answer for these kinds.
template <class Kind>
struct HereOf {
  DoneHere operator()(const Kind& /*command*/) const { return {}; }
};
template <class... Kinds>
struct Here : HereOf<Kinds>... {
  using HereOf<Kinds>::operator()...;
};

Elsewhere answer_of(const view::RunCommand& command) {
  return answer(command,
                Here<view::StartRun, view::StopRun, view::ResumeRun, view::OpenRun, view::Replay,
                     view::CompareWith, view::SaveImage, view::ChartData, view::SaveLines>(),
                [](const view::ProveChange&) { return OnlyThere{"predictions are proved"}; });
}

Elsewhere answer_of(const view::ListCommand& command) {
  return answer(
      command,
      Here<view::SetRunFilter, view::SortRuns, view::ToggleRunColumn, view::GroupRuns,
           view::SelectRun, view::MarkRun, view::ClearMarks, view::SetCompare>(),
      [](const view::EditLabels&) { return OnlyThere{"names, tags and notes are written"}; },
      [](const view::TagRuns&) { return OnlyThere{"tags are written"}; });
}

Elsewhere answer_of(const view::FolderCommand& command) {
  return answer(
      command,
      Here<view::OpenFolder, view::UndoTrash, view::BrowseRuns, view::BrowseScript,
           view::BrowseExport, view::ListFolder, view::ChoosePath>(),
      [](const view::TrashRun& run) { return trash_run(run.id); },
      [](const view::TrashStudy& study) { return trash_study(study); },
      [](const view::ImportRun&) { return OnlyThere{"runs are imported"}; },
      [](const view::WatchFolder&) { return OnlyThere{"what another tool writes is followed"}; });
}

Elsewhere answer_of(const view::StudyCommand& command) {
  return answer(
      command,
      Here<view::SelectStudy, view::SetScalingMetric, view::SelectSetting, view::RankSettings,
           view::AskStudy, view::EditStudy, view::StartStudy, view::ExportStudy>(),
      [](const view::MeasurePair& wanted) { return measure_pair(wanted); },
      [](const view::ContinueStudy& study) { return continue_study(study.name); },
      [](const view::StopStudy& study) { return stop_study(study.name); });
}

Elsewhere answer_of(const view::TryCommand& /*command*/) { return OnlyThere{"changes are tried"}; }

/// A group of commands that change no run. Call stacks are available for local processes only.
template <class Group>
concept ShowsOnly = view::kInGroup<
    Group,
    std::variant<view::PageCommand, view::PlaybackCommand, view::ChartCommand, view::FormCommand,
                 view::SamplerCommand, view::ExportCommand, view::AlertCommand, view::DoctorCommand,
                 view::StackCommand, view::ProfileCommand, view::TimelineCommand,
                 view::BoardCommand, view::SheetCommand, view::WindowCommand>>;

template <ShowsOnly Group>
Elsewhere answer_of(const Group& /*group*/) {
  return DoneHere();
}

}  // namespace

CommandThere stop_there(const std::string& run, view::StopMode mode) {
  return {"stop " + run, remote::StopThere{{}, run, mode == view::StopMode::kNow},
          "Stopping run " + run};
}

CommandThere resume_there(const std::string& run) {
  return {"resume " + run, remote::ResumeThere{{}, run}, "Starting a new attempt of run " + run,
          "Run " + run + " was resumed"};
}

CommandThere start_study_there(const view::StudyForm& form) {
  const bool is_new = form.more.empty();
  remote::StartStudyThere study;
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

Elsewhere elsewhere(const view::Command& command) {
  return std::visit([](const auto& group) { return answer_of(group); }, command);
}

}  // namespace ringside::session
