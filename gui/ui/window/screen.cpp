#include "gui/ui/window/screen.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "gui/model/run_model.h"
#include "gui/ui/live/live_page.h"
#include "gui/ui/sampler/sampler_page.h"
#include "gui/ui/scaling/scaling_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/chrome.h"
#include "gui/ui/window/machines_page.h"
#include "gui/view/scaling/study_experiment.h"
#include "gui/view/window/first_steps.h"
#include "gui/view/window/palette.h"

namespace ringside::ui {

struct ScreenMemory::Views {
  LivePage live;
  view::Cached<std::uint64_t, view::LaunchView> launch;
  struct RunsKey {
    std::uint64_t revision = 0;
    view::RunsChoice choice;
    std::string elsewhere = {};
    bool operator==(const RunsKey&) const = default;
  };
  /// The list, built for the state in `listed` and with the marks in `shown`.
  view::RunsView runs;
  std::optional<RunsKey> listed;
  view::RunsChoice shown;
  view::Cached<RunsKey, view::RunDetailsView> details;
  struct CompareKey {
    std::uint64_t revision = 0;
    view::CompareChoice choice;
    int width = 0;
    int height = 0;
    bool operator==(const CompareKey&) const = default;
  };
  view::Cached<CompareKey, view::CompareView> compare;
  SamplerPage sampler;
  view::Cached<std::pair<std::uint64_t, view::ScalingMetric>, view::ScalingView> scaling;
  struct BarKey {
    std::uint64_t numbers = 0;
    std::string id;
    bool has_run = false;
    std::string last;  ///< last result, shown while no run is open
    bool operator==(const BarKey&) const = default;
  };
  view::Cached<BarKey, view::TopBarView> top;
  view::Cached<BarKey, view::StatusBarView> status;
  struct WaterfallKey {
    std::uint64_t numbers = 0;
    std::uint64_t baseline = 0;
    std::string id;
    bool operator==(const WaterfallKey&) const = default;
  };
  view::Cached<WaterfallKey, view::WaterfallView> waterfall;
  view::Cached<WaterfallKey, analysis::Replayable> replayable;
  view::Cached<WaterfallKey, analysis::Speedup> speedup;
  view::Cached<std::tuple<WaterfallKey, std::uint64_t, analysis::StepChange>, view::WhatIfView>
      what_if;
  view::Cached<WaterfallKey, view::ExperimentView> experiment;
  view::Cached<std::uint64_t, view::ExperimentView> study_experiment;
  view::Cached<std::tuple<std::uint64_t, std::string, std::int64_t>, view::BoardView> board;
};

ScreenMemory::ScreenMemory() : views(std::make_unique<Views>()) {}
ScreenMemory::~ScreenMemory() = default;
unsigned long ScreenMemory::view_builds() const {
  return views->live.builds() + views->sampler.builds();
}

namespace {

const view::LaunchView& launch_view(const view::LaunchInput& input, ScreenMemory& memory) {
  return memory.views->launch.get(input.revision, [&input] {
    view::LaunchView launch =
        input.script != nullptr
            ? view::build_script_launch_view(*input.script, *input.machine, input.baselines,
                                             input.checks, input.recent_scripts, input.busy)
            : view::build_launch_view(*input.form, *input.machine, input.baselines, input.checks,
                                      input.busy);
    if (input.slurm != nullptr)
      view::show_slurm(*input.slurm, *input.form, input.sbatch, input.busy, launch);
    return launch;
  });
}

void draw_launch_place(const view::ScreenInput& screen, const FrameLayout& frame,
                       ScreenMemory& memory, view::CommandQueue& commands) {
  const view::LaunchInput& input = screen.launch;
  const view::LaunchView& launch = launch_view(input, memory);
  LaunchLayout layout = launch_layout(frame, theme().scale, memory.arrangement);
  const auto draw_button = [&] {
    draw_launch_button(launch, input.problem, layout.launch, commands);
  };
  if (layout.pinned) draw_button();
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  draw_devices(launch, *input.form, layout.devices, commands);
  draw_form(launch, *input.form, {input.presets, screen.runs.runs}, layout.form, memory.launch,
            commands);
  draw_plan(launch, layout.plan);
  draw_preflight(launch, layout.preflight, commands);
  draw_preview(launch, layout.command, memory.launch, commands);
  if (!layout.pinned) draw_button();
}

void draw_live_place(const view::LiveInput& input, const FrameLayout& frame, ScreenMemory& memory,
                     view::CommandQueue& commands) {
  LiveLayout layout = live_layout(frame, theme().scale, memory.arrangement);
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  memory.views->live.draw(input, layout, memory.arrangement.rank_columns, memory.live, commands);
}

/// The list is not rebuilt when only the selection changes, since it may have thousands of runs.
const view::RunsView& runs_view(const view::RunsInput& input, ScreenMemory::Views& views) {
  view::RunsChoice order;
  order.filter = input.choice.filter;
  order.sort = input.choice.sort;
  order.columns = input.choice.columns;
  order.group = input.choice.group;
  const ScreenMemory::Views::RunsKey key{input.revision, order, input.elsewhere};
  if (views.listed != key) {
    views.runs = view::build_runs_view(input.runs, input.choice, input.now_wall_ns, input.looked,
                                       input.elsewhere);
    views.listed = key;
  } else if (views.shown != input.choice) {
    view::show_choice(input.runs, input.choice, views.runs);
  }
  views.shown = input.choice;
  return views.runs;
}

void draw_runs_side(const view::RunsInput& input, const view::RunsView& runs, const Rect& area,
                    ScreenMemory& memory, view::CommandQueue& commands) {
  if (area.empty()) return;
  if (runs.marked < 2) {
    const auto& details = memory.views->details.get({input.revision, input.choice}, [&input] {
      return view::build_run_details(input.runs, input.choice, input.now_wall_ns,
                                     !input.elsewhere.empty());
    });
    draw_run_details(details, area, memory.labels, commands);
    return;
  }
  const view::CompareChoice& choice = input.choice.compare;
  const Rect plot = compare_plot(area, !choice.chart.empty(), input.compared.size());
  const ScreenMemory::Views::CompareKey key{input.compared_revision, choice,
                                            static_cast<int>(plot.w), static_cast<int>(plot.h)};
  const auto& compare = memory.views->compare.get(
      key, [&] { return view::build_compare_view(input.compared, choice, key.width, key.height); });
  draw_compare(compare, choice, area, memory.runs, commands);
  memory.live.chart_areas.insert(memory.runs.chart_areas.begin(), memory.runs.chart_areas.end());
}

void draw_runs_place(const view::RunsInput& input, const FrameLayout& frame, ScreenMemory& memory,
                     view::CommandQueue& commands) {
  const view::RunsView& runs = runs_view(input, *memory.views);
  const bool details = !frame.narrow || memory.runs.details;
  const RunsSide side = runs.marked >= 2 ? RunsSide::kComparison
                        : details        ? RunsSide::kDetails
                                         : RunsSide::kNothing;
  RunsLayout layout = runs_layout(frame, theme().scale, side, memory.arrangement);
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  draw_runs_strip(input, runs, layout.filter, frame.narrow, memory.runs, commands);
  if (!layout.table.empty()) draw_runs_table(input, runs, layout.table, memory.runs, commands);
  run_menu_popups(input, memory.runs.menu, commands);
  draw_runs_side(input, runs, layout.side, memory, commands);
}

void draw_sampler_place(const view::ScreenInput& input, const FrameLayout& frame,
                        ScreenMemory& memory, view::CommandQueue& commands) {
  SamplerPage& page = memory.views->sampler;
  page.build(input.sampler);
  SamplerLayout layout = sampler_layout(frame, theme().scale, page.alarmed(), memory.arrangement);
  const PageArea area(layout, memory.arrangement);
  scroll_by(layout, area.scrolled_x(), area.scrolled_y());
  page.draw({input.sampler, input.runs.runs, input.live.context.id}, layout, memory.sampler,
            commands);
}

void draw_scaling_place(const view::ScalingInput& input, const FrameLayout& frame,
                        ScreenMemory& memory, view::CommandQueue& commands) {
  const view::ScalingView* const study =
      input.facts == nullptr ? nullptr
                             : &memory.views->scaling.get({input.revision, input.metric}, [&input] {
                                 return view::build_scaling_view(*input.facts, input.metric);
                               });
  const bool settings = study != nullptr && !study->parallel.axes.empty();
  ScalingLayout layout = scaling_layout(frame, theme().scale, !settings);
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  if (study == nullptr) return draw_no_study(input, layout.content, commands);
  draw_study_strip(*study, input, layout.strip, commands);
  if (settings) {
    draw_parallel(*study, input, layout.chart, commands);
  } else {
    draw_scaling_chart(study->chart, input, layout.chart, commands);
    draw_setting_waterfall(input, layout.side, commands);
  }
  draw_settings_table(*study, input, layout.table, memory.setting_columns, commands);
  memory.live.chart_areas["scaling"] = layout.chart;
}

void draw_timeline_place(const view::TimelineInput& input, const FrameLayout& frame,
                         ScreenMemory& memory, view::CommandQueue& commands) {
  TimelineLayout layout = timeline_layout(frame, theme().scale);
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  draw_timeline_page(input, layout, memory.timeline, commands);
}

void draw_machines_place(const view::BoardInput& input, const FrameLayout& frame,
                         ScreenMemory& memory, view::CommandQueue& commands) {
  const auto& board = memory.views->board.get({input.revision, input.need.kind, input.need.ranks},
                                              [&input] { return view::build_board(input); });
  MachinesLayout layout =
      machines_layout(frame, theme().scale, board.board.rows.size(), board.tables.size());
  const PageArea page(layout, memory.arrangement);
  scroll_by(layout, page.scrolled_x(), page.scrolled_y());
  draw_machines_strip(board, layout.strip, commands);
  draw_board(board, layout.board, commands);
  draw_machine_tables(board, layout);
}

void draw_nothing_open(const FrameLayout& frame, ScreenMemory& memory,
                       view::CommandQueue& commands) {
  PageLayout layout;
  layout.viewport = layout.content = frame.main;
  layout.content.w = std::max(frame.main.w, px(320));
  layout.content.h = std::max(frame.main.h, px(140));
  const PageArea page(layout, memory.arrangement);
  Rect area = layout.content;
  area.x -= page.scrolled_x();
  area.y -= page.scrolled_y();
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  const float middle = area.middle_y() - px(30);
  text_centered(area.middle_x(), middle, Type::kTitle, Token::kHigh, "No run is open");
  text_centered(area.middle_x(), middle + px(24), Type::kSmall, Token::kDim,
                "Launch one, or open an earlier one from the list.");
  const float y = middle + px(48);
  if (button(view::label::kGoToLaunch, {area.middle_x() - px(128), y, px(120), px(28)})) {
    commands.emplace_back(view::SelectPage{view::Page::kLaunch});
  }
  if (button(view::label::kGoToRuns, {area.middle_x() + px(8), y, px(120), px(28)})) {
    commands.emplace_back(view::SelectPage{view::Page::kRuns});
  }
}

/// Draws the first steps above the page until something has been run; a low or narrow window has no
/// space for them. Returns the remaining area.
FrameLayout below_first_steps(const view::ScreenInput& input, FrameLayout frame,
                              view::CommandQueue& commands) {
  const bool page = input.page == view::Page::kLaunch || input.page == view::Page::kLive;
  const bool room = frame.main.h >= px(620) && frame.main.w >= px(900);
  if (!page || !room || !view::is_first_start(input)) return frame;
  draw_first_steps(frame.main.take_top(first_steps_height(), px(8)), commands);
  return frame;
}

void draw_page(const view::ScreenInput& input, const FrameLayout& whole, ScreenMemory& memory,
               view::CommandQueue& commands) {
  const FrameLayout frame = below_first_steps(input, whole, commands);
  if (input.page == view::Page::kLaunch && input.launch.form != nullptr) {
    draw_launch_place(input, frame, memory, commands);
  } else if (input.page == view::Page::kSampler) {
    draw_sampler_place(input, frame, memory, commands);
  } else if (input.page == view::Page::kScaling) {
    draw_scaling_place(input.scaling, frame, memory, commands);
  } else if (input.page == view::Page::kRuns) {
    draw_runs_place(input.runs, frame, memory, commands);
  } else if (input.page == view::Page::kTimeline) {
    draw_timeline_place(input.timeline, frame, memory, commands);
  } else if (input.page == view::Page::kMachines) {
    draw_machines_place(input.board, frame, memory, commands);
  } else if (input.live.model != nullptr) {
    draw_live_place(input.live, frame, memory, commands);
  } else {
    draw_nothing_open(frame, memory, commands);
  }
}

/// Built only while it is shown, since it reads every step.
const view::WaterfallView& waterfall_view(const view::LiveInput& live, ScreenMemory& memory) {
  const ScreenMemory::Views::WaterfallKey key{live.number_revision, live.baseline_revision,
                                              live.context.id};
  return memory.views->waterfall.get(key, [&live] {
    return view::build_waterfall_view(*live.model, live.baseline.model,
                                      view::is_over(*live.model, live.context));
  });
}

view::ExperimentView run_experiment(const view::LiveInput& live) {
  view::ReportRun run;
  run.id = live.context.id;
  run.label = view::run_label(live.context.number, live.context.id);
  run.model = live.model;
  run.baseline = live.baseline.model;
  if (run.baseline != nullptr)
    run.baseline_label = view::run_label(live.baseline.number, live.baseline.id);
  run.preset = live.context.preset.get();
  return view::build_experiment_view(std::span(&run, 1));
}

/// Returns the published experiment of the run or study on the page; built only while it is shown.
const view::ExperimentView& experiment_view(const view::ScreenInput& input, ScreenMemory& memory) {
  const view::StudyFacts* const study = input.scaling.facts;
  if (input.page == view::Page::kScaling && study != nullptr) {
    return memory.views->study_experiment.get(input.scaling.revision, [study] {
      return view::build_experiment_view(*study, view::scaling_of(*study));
    });
  }
  const view::LiveInput& live = input.live;
  if (live.model == nullptr) {
    static const view::ExperimentView kNone = view::build_experiment_view({});
    return kNone;
  }
  const ScreenMemory::Views::WaterfallKey key{live.number_revision, live.baseline_revision,
                                              live.context.id};
  return memory.views->experiment.get(key, [&live] { return run_experiment(live); });
}

constexpr ImGuiWindowFlags kRootFlags =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
    ImGuiWindowFlags_NoScrollWithMouse;

void draw_everything(const view::ScreenInput& input, ScreenMemory& memory,
                     view::CommandQueue& commands) {
  const FontScope font(Type::kSmall);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const bool on_launch = input.page == view::Page::kLaunch && input.launch.form != nullptr;
  read_keys(input, on_launch ? &launch_view(input.launch, memory) : nullptr, memory, commands);
  memory.live.metrics.pointed_step = -1;  // until its panel is drawn
  const FrameLayout frame = frame_layout(size.x, size.y, theme().scale);
  const ScreenMemory::Views::BarKey key{
      input.live.number_revision,
      input.live.context.id + input.live.context.name + std::to_string(input.live.context.newer),
      input.live.model != nullptr,
      input.last ? input.last->number + input.last->title : std::string()};
  const auto& top = memory.views->top.get(key, [&input] {
    return view::build_top_bar(input.live.model, input.live.context, input.last);
  });
  const auto& status = memory.views->status.get(
      key, [&input] { return view::build_status_bar(input.live.model, input.live.context); });
  draw_top_bar(frame, top, view::build_machine_view(input.machine), commands);
  draw_rail(frame, input.page, help_place(input, memory), commands);
  if (on_launch && input.live.model == nullptr) {
    view::StatusBarView free = status;
    view::add_machine(*input.launch.form, *input.launch.machine, free);
    draw_status_bar(frame, free);
  } else {
    draw_status_bar(frame, status);
  }
  draw_page(input, frame, memory, commands);
  draw_questions(input, memory, commands);
  if (input.sheets.manual) return;  // the other sheets appear again when it closes
  static const view::WaterfallView kNone;
  const bool taken_apart = input.sheets.waterfall && input.live.model != nullptr;
  waterfall_sheet(input, taken_apart ? waterfall_view(input.live, memory) : kNone, memory,
                  commands);
  tries_sheet(input, memory.tries, commands);
  static const view::ExperimentView kClosed;
  experiment_sheet(input, input.sheets.experiment ? experiment_view(input, memory) : kClosed,
                   commands);
}

}  // namespace

const view::WhatIfView& what_if_view(const view::ScreenInput& input, ScreenMemory& memory) {
  const view::LiveInput& live = input.live;
  ScreenMemory::Views& views = *memory.views;
  // A replay of many ranks takes longer than a frame, so for an active run it is repeated only
  // every 500 steps.
  const bool over = view::is_over(*live.model, live.context);
  const auto revision = over ? live.number_revision
                             : static_cast<std::uint64_t>(live.model->newest_common_step() / 500);
  const ScreenMemory::Views::WaterfallKey key{revision, live.baseline_revision, live.context.id};
  const auto& run = views.replayable.get(
      key, [&live] { return analysis::replayable(*live.model, live.context.probe.get()); });
  const auto& speedup = views.speedup.get(key, [&live] {
    return analysis::speedup(*live.model, live.baseline.model,
                             view::is_over(*live.model, live.context));
  });
  return views.what_if.get({key, input.what_if.revision, memory.what_if}, [&] {
    return view::build_what_if_view(
        {&run, &speedup, live.model->spec(), live.context.id, input.what_if.record, false},
        memory.what_if);
  });
}

void draw_screen(const view::ScreenInput& input, ScreenMemory& memory,
                 view::CommandQueue& commands) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("Ringside", nullptr, kRootFlags);
  ImGui::PopStyleVar(2);
  memory.live.chart_areas.clear();
  draw_everything(input, memory, commands);
  show_cut_text();
  ImGui::End();
}

}  // namespace ringside::ui
