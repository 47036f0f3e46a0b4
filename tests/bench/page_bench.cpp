// Measures a frame of each page with 64 ranks on 8 nodes, and of Live with 8 to 1,024 ranks, after
// new data, from the model to the finished pixels: every chart and table is rebuilt and redrawn,
// with the OpenGL of the display (software under Xvfb). Prints one line of JSON; needs a display.

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gui/model/rank_model.h"
#include "gui/ui/window/screen.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/window/window.h"
#include "tests/bench/bench_window.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/gui/view/demo_models.h"
#include "tests/gui/view/study_story.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 21;
constexpr Rank kRanks = 64;
constexpr std::uint32_t kSamples = 50'000;
constexpr Epoch kEpochs = 24;

/// A run with eight ranks per node.
model::RunModel run_of(Rank ranks, Epoch epochs) {
  auto options = support::demo_small(ranks);
  options.nodes = ranks / 8;
  options.epochs = epochs;
  options.steps = epochs * options.steps_per_epoch;
  options.finish = false;
  return support::model_of(options);
}

model::RunModel large_run() { return run_of(kRanks, 20); }

/// Adds one step of every rank.
void go_on(model::RunModel& model) {
  messages::StepReport body;
  body.step = model.newest_common_step() + 1;
  body.loss = 0.5F;
  body.samples = 128;
  body.data_wait_ns = body.forward_ns = body.backward_ns = body.exposed_comm_ns = 20'000'000;
  body.host_to_device_ns = body.optimizer_ns = 1'000'000;
  body.step_ns = 82'000'000;
  const std::int64_t at_ns = model.last_ns() + body.step_ns;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    model.accept({known.node, rank, 1'000'000U + static_cast<std::uint64_t>(body.step), at_ns},
                 messages::Record(body));
  }
}

class Screen {
 public:
  explicit Screen(window::Window& window) : window_(window) {}

  /// `change` changes the data before each frame.
  std::string measured(const char* name, const std::function<void()>& change) {
    const auto frame = [&] {
      change();
      return screen_frame(window_, input, memory);
    };
    frame();  // panels settle their sizes
    const FrameTime time = median_frame(kRounds, frame);
    return "," + field((std::string(name) + "_cpu_ms").c_str(), time.cpu) + "," +
           field((std::string(name) + "_ms").c_str(), time.wall);
  }

  view::ScreenInput input;
  ui::ScreenMemory memory;

 private:
  window::Window& window_;
};

std::string live_of(window::Window& window, const char* name, model::RunModel model,
                    std::optional<view::TableTab> tab) {
  Screen screen(window);
  screen.input.page = view::Page::kLive;
  screen.input.live.model = &model;
  screen.memory.live.table_tab = tab;
  return screen.measured(name, [&] {
    go_on(model);
    screen.input.live.context = support::live_context(model);
    screen.input.live.chart_revision = screen.input.live.number_revision = model.revision();
  });
}

std::string live(window::Window& window) { return live_of(window, "live_64", large_run(), {}); }

/// Live with the same number of steps for each number of ranks; for the largest also every tab that
/// depends on the number of ranks.
std::string live_of_nodes(window::Window& window) {
  constexpr Epoch kFew = 3;
  std::string line;
  for (const Rank ranks : {8, 512, 1024}) {
    const std::string name = "live_few_" + std::to_string(ranks);
    line += live_of(window, name.c_str(), run_of(ranks, kFew), view::TableTab::kGrid);
  }
  using Tab = view::TableTab;
  for (const auto& [name, tab] : {std::pair("live_few_1024_ranks", Tab::kRanks),
                                  std::pair("live_few_1024_nodes", Tab::kNodes),
                                  std::pair("live_few_1024_devices", Tab::kDevices),
                                  std::pair("live_few_1024_resources", Tab::kResources)})
    line += live_of(window, name, run_of(1024, kFew), tab);
  return line;
}

std::string scaling(window::Window& window) {
  const auto facts = test::story_study();
  const model::RunModel run = large_run();
  const model::RunModel baseline = support::model_of(support::demo_small(1));
  const auto waterfall = view::build_waterfall_view(run, &baseline, false);
  Screen screen(window);
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  screen.input.scaling.selected = "weak-4";
  screen.input.scaling.waterfall = &waterfall;
  screen.input.scaling.waterfall_run = "20261121T142400Z-7f3a1c";
  return screen.measured("scaling_64", [&] { ++screen.input.scaling.revision; });
}

std::string sampler(window::Window& window) {
  messages::RunSpec spec;
  spec.devices.world_size = kRanks;
  spec.data.name = "integers";
  spec.data.train_samples = kSamples;
  support::MadeRun run(spec);
  for (Epoch epoch = 0; epoch < kEpochs; ++epoch)
    support::draw_epoch(run, epoch, kSamples, static_cast<std::uint64_t>(epoch));
  Screen screen(window);
  screen.input.page = view::Page::kSampler;
  screen.input.live.model = screen.input.sampler.model = &run.model();
  screen.input.live.context.id = screen.input.sampler.id = "20261121T134005Z-7f3a1c";
  return screen.measured("sampler_64", [&] { ++screen.input.sampler.revision; });
}

int run() {
  const auto window = open_bench_window();
  if (!window) return 2;
  std::string line = "{\"bench\":\"pages\"";
  for (const auto page : {live, live_of_nodes, scaling, sampler}) line += page(*window);
  std::printf("%s}\n", line.c_str());
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() { return ringside::bench::run(); }
