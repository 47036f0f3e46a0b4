// Handles the keyboard: the meaning of each key on each page.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/model/run_model.h"
#include "gui/ui/live/live_panels.h"
#include "gui/ui/theme.h"
#include "gui/ui/tips.h"
#include "gui/ui/window/screen.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/window/help_subject.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

bool pressed(ImGuiKeyChord chord) {
  return (chord & ImGuiMod_Mask_) == ImGui::GetIO().KeyMods &&
         ImGui::IsKeyPressed(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_), false);
}

bool repeated(ImGuiKey key) {
  return ImGui::GetIO().KeyMods == ImGuiMod_None && ImGui::IsKeyPressed(key, true);
}

void page_keys(Queue& commands) {
  constexpr std::array<std::pair<ImGuiKey, view::Page>, 7> kPages{
      {{ImGuiKey_1, view::Page::kLaunch},
       {ImGuiKey_2, view::Page::kLive},
       {ImGuiKey_3, view::Page::kScaling},
       {ImGuiKey_4, view::Page::kSampler},
       {ImGuiKey_5, view::Page::kRuns},
       {ImGuiKey_6, view::Page::kTimeline},
       {ImGuiKey_7, view::Page::kMachines}}};
  for (const auto& [key, page] : kPages) {
    if (pressed(key)) commands.emplace_back(view::SelectPage{page});
  }
}

void text_size_keys(Queue& commands) {
  const double percent = static_cast<double>(theme().scale) * 100.0;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Equal) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) ||
      pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal)) {
    commands.emplace_back(view::SetTextSize{std::round(percent * 1.1)});
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Minus) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract)) {
    commands.emplace_back(view::SetTextSize{std::round(percent / 1.1)});
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_0)) commands.emplace_back(view::SetTextSize{100});
}

void zoom_keys(const view::LiveInput& live, Queue& commands) {
  const model::Window now = view::shown_window(*live.model, live.choice);
  const double span = now.end - now.begin;
  const double middle = now.begin + span * 0.5;
  const auto show = [&commands](double begin, double end) {
    const double shift = begin < 0 ? -begin : 0.0;
    if (end - begin >= 4) commands.emplace_back(view::SetWindow{begin + shift, end + shift});
  };
  if (repeated(ImGuiKey_Equal) || repeated(ImGuiKey_KeypadAdd))
    show(middle - span * 0.4, middle + span * 0.4);
  if (repeated(ImGuiKey_Minus) || repeated(ImGuiKey_KeypadSubtract))
    show(middle - span * 0.625, middle + span * 0.625);
  if (repeated(ImGuiKey_LeftArrow)) show(now.begin - span * 0.1, now.end - span * 0.1);
  if (repeated(ImGuiKey_RightArrow)) show(now.begin + span * 0.1, now.end + span * 0.1);
}

void rank_keys(Queue& commands) {
  for (int digit = 0; digit <= 9; ++digit) {
    const auto key = static_cast<ImGuiKey>(static_cast<int>(ImGuiKey_0) + digit);
    if (pressed(ImGuiMod_Alt | key)) commands.emplace_back(view::ShowOnlyRank{digit});
  }
  if (pressed(ImGuiMod_Alt | ImGuiKey_A)) commands.emplace_back(view::ShowAllRanks{});
}

void live_keys(const view::LiveInput& live, ScreenMemory& memory, Queue& commands) {
  if (pressed(ImGuiKey_L)) {
    if (memory.live.log.low) {
      memory.live.log.open = !memory.live.log.open;
    } else {
      commands.emplace_back(view::ToggleDock{view::Dock::kLogs});
    }
  }
  if (pressed(ImGuiKey_T) && live.model != nullptr) {
    const auto tab = static_cast<int>(shown_table_tab(memory.live, live.model->ranks().size()));
    commands.emplace_back(view::ShowTable{
        static_cast<view::TableTab>((tab + 1) % static_cast<int>(view::TableTab::kCount))});
  }
  if (pressed(ImGuiKey_F)) memory.live.log.follow = !memory.live.log.follow;
  if (live.model == nullptr) return;
  if (pressed(ImGuiKey_X)) {
    commands.emplace_back(
        view::SetXAxis{static_cast<view::XAxis>((static_cast<int>(live.choice.axis) + 1) % 4)});
  }
  if (pressed(ImGuiMod_Shift | ImGuiKey_X)) commands.emplace_back(view::SetPlan{!live.choice.plan});
  if (pressed(ImGuiKey_G)) commands.emplace_back(view::SetLogScale{!live.choice.logarithmic});
  if (pressed(ImGuiKey_S))
    commands.emplace_back(view::SetSmoothing{view::next_smoothing(live.choice.smoothing)});
  if (pressed(ImGuiKey_P)) commands.emplace_back(view::Pause{!live.context.paused});
  if (pressed(ImGuiKey_B)) commands.emplace_back(view::ToggleBaseline{});
  if (pressed(ImGuiKey_E)) commands.emplace_back(view::NextEvent{});
  if (pressed(ImGuiKey_N)) {
    const double metric = memory.live.metrics.pointed_step;
    commands.emplace_back(view::AskNote{metric >= 0 ? metric : live.choice.cursor_step});
  }
  if (pressed(ImGuiKey_W)) commands.emplace_back(view::ShowWaterfall{});
  if (pressed(ImGuiKey_Y)) commands.emplace_back(view::ShowTries{});
  if (pressed(ImGuiKey_U)) commands.emplace_back(view::ShowExperiment{});
  if (pressed(ImGuiKey_Home)) commands.emplace_back(view::WholeRun{});
  zoom_keys(live, commands);
  rank_keys(commands);
}

/// Handles the chart keys of Live on the comparison of runs.
void compare_keys(const view::RunsInput& runs, Queue& commands) {
  view::CompareChoice wanted = runs.choice.compare;
  if (pressed(ImGuiKey_X)) {
    wanted.axis = static_cast<view::XAxis>((static_cast<int>(wanted.axis) + 1) % 4);
    wanted.low = wanted.high = 0;
  }
  if (pressed(ImGuiMod_Shift | ImGuiKey_X)) wanted.plan = !wanted.plan;
  if (pressed(ImGuiKey_G)) wanted.logarithmic = !wanted.logarithmic;
  if (pressed(ImGuiKey_S)) wanted.smoothing = view::next_smoothing(wanted.smoothing);
  if (pressed(ImGuiKey_D)) wanted.only_differing = !wanted.only_differing;
  if (pressed(ImGuiKey_F)) wanted.fold_repeats = !wanted.fold_repeats;
  if (pressed(ImGuiKey_Home)) wanted.low = wanted.high = 0;
  if (pressed(ImGuiKey_C)) wanted.chart = view::next_chart(runs.compared, wanted.chart);
  if (pressed(ImGuiKey_B)) wanted.baseline = view::next_baseline(runs.compared, wanted.baseline);
  if (wanted != runs.choice.compare) commands.emplace_back(view::SetCompare{wanted});
}

void runs_keys(const view::RunsInput& runs, RunsMemory& memory, Queue& commands) {
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_F) || pressed(ImGuiKey_Slash)) memory.filter.focus = true;
  if (runs.compared.size() > 1) compare_keys(runs, commands);
  run_menu_keys(runs, memory.menu);
  // If a control has the focus, Enter presses it.
  if (ImGui::GetIO().NavVisible || runs.choice.selected.empty()) return;
  if (pressed(ImGuiKey_Enter)) commands.emplace_back(view::OpenRun{runs.choice.selected});
  if (pressed(ImGuiKey_Space)) {
    commands.emplace_back(
        view::MarkRun{runs.choice.selected, !runs.choice.marked.contains(runs.choice.selected)});
  }
  if (pressed(ImGuiMod_Shift | ImGuiKey_S)) {
    const auto run = std::ranges::find(runs.runs, runs.choice.selected, &view::RunSummary::id);
    view::EditLabels star{runs.choice.selected};
    star.starred = run == runs.runs.end() || !run->starred;
    commands.emplace_back(std::move(star));
  }
  if (pressed(ImGuiKey_Delete)) commands.emplace_back(view::TrashRun{runs.choice.selected});
  if (pressed(ImGuiKey_R))
    commands.emplace_back(view::Replay{runs.choice.selected, view::kReplaySpeed});
}

void scaling_keys(const view::ScalingInput& scaling, Queue& commands) {
  if (scaling.facts == nullptr) return;
  if (pressed(ImGuiKey_U)) commands.emplace_back(view::ShowExperiment{});
  if (pressed(ImGuiKey_Delete))
    commands.emplace_back(view::TrashStudy{scaling.facts->study.head.study});
}

void sampler_keys(const view::SamplerInput& input, const SamplerMemory& shown, Queue& commands) {
  if (input.model == nullptr) return;
  if (repeated(ImGuiKey_LeftArrow)) commands.emplace_back(view::ScrollSamples{shown.beside(-1)});
  if (repeated(ImGuiKey_RightArrow)) commands.emplace_back(view::ScrollSamples{shown.beside(1)});
  if (repeated(ImGuiKey_PageUp)) commands.emplace_back(view::ScrollEpochs{shown.row_at(-10)});
  if (repeated(ImGuiKey_PageDown)) commands.emplace_back(view::ScrollEpochs{shown.row_at(10)});
  if (repeated(ImGuiKey_UpArrow) && shown.pass > 0)
    commands.emplace_back(view::PickEpoch{shown.pass - 1});
  if (repeated(ImGuiKey_DownArrow)) commands.emplace_back(view::PickEpoch{shown.pass + 1});
  if (repeated(ImGuiKey_Equal) || repeated(ImGuiKey_KeypadAdd))
    commands.emplace_back(view::SetSamplesPerCell{shown.zoomed(-1)});
  if (repeated(ImGuiKey_Minus) || repeated(ImGuiKey_KeypadSubtract))
    commands.emplace_back(view::SetSamplesPerCell{shown.zoomed(1)});
  if (pressed(ImGuiKey_Home)) commands.emplace_back(view::ScrollSamples{0});
}

void timeline_keys(const view::TimelineInput& input, TimelineMemory& memory) {
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_F)) memory.focus_search = true;
  if (input.timeline == nullptr) return;
  const model::Timeline& shown = *input.timeline;
  view::TimelineChoice& choice = memory.choice;
  // Zooms around the mouse, as the wheel does, if it is over the tracks.
  const double at = memory.mouse_at >= 0 ? memory.mouse_at : 0.5;
  if (repeated(ImGuiKey_W) || repeated(ImGuiKey_Equal) || repeated(ImGuiKey_KeypadAdd))
    view::zoom(shown, 1 / 1.4, at, choice);
  if (repeated(ImGuiKey_S) || repeated(ImGuiKey_Minus) || repeated(ImGuiKey_KeypadSubtract))
    view::zoom(shown, 1.4, at, choice);
  if (repeated(ImGuiKey_A) || repeated(ImGuiKey_LeftArrow)) view::move_by(shown, -0.1, choice);
  if (repeated(ImGuiKey_D) || repeated(ImGuiKey_RightArrow)) view::move_by(shown, 0.1, choice);
  if (repeated(ImGuiKey_UpArrow)) memory.scrolled -= px(48);
  if (repeated(ImGuiKey_DownArrow)) memory.scrolled += px(48);
  if (pressed(ImGuiKey_F)) view::fit(shown, choice);
  if (pressed(ImGuiKey_Home)) choice.begin_ns = choice.end_ns = 0;
  if (pressed(ImGuiKey_Escape)) choice.selected.reset();
}

void machines_keys(const view::BoardInput& input, Queue& commands) {
  const bool watch = pressed(ImGuiKey_Space);
  // If a control has the focus, Enter and Space press it.
  if (ImGui::GetIO().NavVisible || (!watch && !pressed(ImGuiKey_Enter))) return;
  const view::BoardView board = view::build_board(input);
  if (board.board.rows.empty()) return;
  const view::BoardRow& row = board.board.rows[board.selected];
  if (watch) {
    commands.emplace_back(view::WatchMachine{row.address, !row.watched || row.address.empty()});
  } else {
    commands.emplace_back(view::launch_on(row.address, row.partition));
  }
}

/// Reserves the arrows and Home for lists and charts; otherwise they would also move the focus, at
/// first to the top bar. Tab still reaches every control, and an arrow takes the focus back to the
/// list, so that Enter acts there and not on a control that Tab had reached.
void claim_arrows() {
  const ImGuiID owner = ImGui::GetID("arrows");
  for (const ImGuiKey key : {ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_LeftArrow,
                             ImGuiKey_RightArrow, ImGuiKey_Home}) {
    ImGui::SetKeyOwner(key, owner);
    if (ImGui::IsKeyPressed(key)) ImGui::SetNavCursorVisible(false);
  }
}

}  // namespace

view::ManualPlace help_place(const view::ScreenInput& input, const ScreenMemory& memory) {
  if (const view::Term* const term = explained()) return term->place();
  const view::HelpSubject subject = view::help_subject(input);
  const model::RunModel* run = input.live.model;
  if (subject != view::HelpSubject::kLive || run == nullptr) return view::manual_place(subject);
  const view::TableTab tab = shown_table_tab(memory.live, run->ranks().size());
  return view::manual_place(tab == view::TableTab::kGroups  ? view::HelpSubject::kGroups
                            : tab == view::TableTab::kNodes ? view::HelpSubject::kNodes
                                                            : subject);
}

void read_keys(const view::ScreenInput& input, const view::LaunchView* launch, ScreenMemory& memory,
               Queue& commands) {
  if (pressed(ImGuiKey_F1)) {
    const view::ManualPlace help = help_place(input, memory);
    commands.emplace_back(view::ShowManual{!input.sheets.manual, help.topic, help.section});
  }
  const view::Sheets& sheets = input.sheets;
  const bool covered = sheets.manual || sheets.stop || sheets.note || input.chooser.open ||
                       input.exporting.asking || sheets.keys || sheets.palette || sheets.alerts ||
                       sheets.settings || sheets.open || sheets.machines || sheets.waterfall ||
                       sheets.tries || sheets.experiment || input.scaling.asking ||
                       input.stack.open;
  // A field takes the key for the end of the input, and its value first.
  const bool launches = launch != nullptr && !covered &&
                        (pressed(ImGuiMod_Ctrl | ImGuiKey_Enter) || memory.launch_after_field);
  memory.launch_after_field = launches && ImGui::GetIO().WantTextInput;
  if (ImGui::GetIO().WantTextInput || covered) return;
  page_keys(commands);
  text_size_keys(commands);
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_K)) commands.emplace_back(view::ShowPalette{true});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Comma)) commands.emplace_back(view::ShowSettings{true});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_O)) commands.emplace_back(view::ShowOpenRun{true});
  if (pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O))
    commands.emplace_back(view::WatchFolder{});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_M)) commands.emplace_back(view::ShowMachines{});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Q)) commands.emplace_back(view::Quit{});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Z)) commands.emplace_back(view::UndoTrash{});
  if (pressed(ImGuiMod_Shift | ImGuiKey_Slash)) commands.emplace_back(view::ShowKeys{true});
  if (pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S) && input.live.model != nullptr) {
    commands.emplace_back(view::AskStop{true});
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_E)) {
    const bool listed = input.page == view::Page::kRuns;
    std::vector<std::string> ids;
    if (listed) ids = view::exported_runs(input.runs.choice);
    commands.emplace_back(view::AskExport{std::move(ids)});
  }
  if (launches && launch->can_launch) {
    commands.emplace_back(view::StartRun{});
    ImGui::SetNavCursorVisible(false);  // the next Enter is not for a button of the next page
  }
  // The next frame may show another page and have an arrow before that page can reserve it.
  const bool goes_on = std::ranges::any_of(commands, [](const view::Command& command) {
    const auto* const page = view::as<view::SelectPage>(command);
    return page != nullptr && page->page != view::Page::kLaunch;
  });
  if ((input.page != view::Page::kLaunch || goes_on) &&
      !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup))
    claim_arrows();
  if (input.page == view::Page::kLive) live_keys(input.live, memory, commands);
  if (input.page == view::Page::kScaling) scaling_keys(input.scaling, commands);
  if (input.page == view::Page::kSampler) sampler_keys(input.sampler, memory.sampler, commands);
  if (input.page == view::Page::kRuns) runs_keys(input.runs, memory.runs, commands);
  if (input.page == view::Page::kTimeline) timeline_keys(input.timeline, memory.timeline);
  if (input.page == view::Page::kMachines) machines_keys(input.board, commands);
}

}  // namespace ringside::ui
