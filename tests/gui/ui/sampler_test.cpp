// The Sampler page without a display: drawing empty, small, large and damaged runs, commands of its
// controls and keys, and the time for a million samples.
#include <cmath>

#include "protocol/base/clock.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using support::draw_epoch;
using support::MadeRun;
using test::NullScreen;

namespace {

messages::RunSpec spec_of(Rank ranks, std::int64_t samples, bool set_epoch = true) {
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  spec.data.name = "integers";
  spec.data.train_samples = samples;
  spec.sampler.set_epoch = set_epoch;
  return spec;
}

MadeRun epochs(Rank ranks, std::uint32_t samples, Epoch count, bool set_epoch = true) {
  MadeRun run(spec_of(ranks, samples, set_epoch));
  for (Epoch epoch = 0; epoch < count; ++epoch)
    draw_epoch(run, epoch, samples, set_epoch ? static_cast<std::uint64_t>(epoch) : 0);
  return run;
}

void sampler_open(const model::RunModel& model, view::ScreenInput& input) {
  input.page = view::Page::kSampler;
  input.live.model = input.sampler.model = &model;
  input.live.context.id = input.sampler.id = "20261121T134005Z-7f3a1c";
  input.sampler.number = 1036;
  input.sampler.title = "resnet50";
  input.sampler.revision = model.revision();
}

void check_inside(const NullScreen& screen) {
  for (const ui::Item& item : ui::items()) {
    if (item.label == item.window) continue;  // a panel that the page scrolls to
    INFO(item.label << " in " << item.window);
    REQUIRE(item.area.right() <= screen.size().x + 1);
    REQUIRE(item.area.bottom() <= screen.size().y + 1);
  }
}

bool sampler_drawn(const std::string& words) {
  for (const ui::DrawnText& text : ui::drawn_texts()) {
    if (text.text.find(words) != std::string::npos) return true;
  }
  return false;
}

double sampler_seconds_of(const std::function<void()>& work) {
  const std::int64_t begun = mono_now_ns();
  work();
  return static_cast<double>(mono_now_ns() - begun) * 1e-9;
}

}  // namespace

TEST_CASE(
    "without a run the page offers a choice, and without a shard it says that there is none") {
  const MadeRun run(spec_of(2, 8));
  view::RunSummary known;
  known.id = "20261121T134005Z-7f3a1c";
  NullScreen screen;
  screen.input.page = view::Page::kSampler;
  screen.frame();
  screen.frame();
  CHECK(sampler_drawn("No runs yet. Launch one."));
  screen.input.runs.runs = std::span(&known, 1);
  screen.frame();
  CHECK(sampler_drawn("No run is open"));
  CHECK(sampler_drawn("Choose a run"));
  sampler_open(run.model(), screen.input);
  screen.frame();
  CHECK(sampler_drawn(view::label::kNoShards));
  CHECK_FALSE(screen.find("Owners"));
  check_inside(screen);
}

TEST_CASE("one, two, eight and 64 ranks are drawn at every size and in both themes") {
  const Rank ranks = GENERATE(1, 2, 8, 64);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(800, 500));
  const bool light = GENERATE(false, true);
  const MadeRun run = epochs(ranks, 5000, 24, false);
  NullScreen screen(size.x, size.y, 1, light);
  sampler_open(run.model(), screen.input);
  for (const std::int64_t per_cell : view::kSamplesPerCell) {
    screen.input.sampler.choice.per_cell = per_cell;
    screen.frame();
    screen.frame();
    INFO(ranks << " ranks, " << per_cell << " samples a cell");
    CHECK(screen.vertices() > 1000);
    CHECK(screen.find("Owners"));
    check_inside(screen);
  }
  for (int tab = 0; tab < 4; ++tab) {
    screen.memory.sampler.tab = tab;
    screen.frame();
    check_inside(screen);
  }
}

TEST_CASE("the published eight samples are drawn with their ranks") {
  MadeRun run(spec_of(2, 8));
  draw_epoch(run, 0, 8, 0);
  draw_epoch(run, 1, 8, 1);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  screen.frame();
  screen.frame();
  CHECK(sampler_drawn("25.0"));
  CHECK(sampler_drawn("4 7 2 1"));
  CHECK(sampler_drawn("4 6 3 0"));
  CHECK(sampler_drawn("50.0 % expected, 25.0 % seen in epoch 2"));
  CHECK_FALSE(screen.find(view::label::kFixSampling));
}

TEST_CASE("controls send the command of their label") {
  const MadeRun run = epochs(3, 5000, 24, false);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  REQUIRE(screen.click(view::label::kFixSampling));
  CHECK(screen.asked<view::FixSampling>()->id == screen.input.sampler.id);
  REQUIRE(screen.click("16"));
  CHECK(screen.asked<view::SetSamplesPerCell>()->samples == 16);
  REQUIRE(screen.click(view::label::kExportShards));
  CHECK(screen.asked<view::ExportRun>()->tables == std::vector<std::string>{"shards"});
  REQUIRE(screen.click("Epoch 3##2"));
  CHECK(screen.asked<view::PickEpoch>()->pass == 2);
  REQUIRE(screen.click("All samples"));
  CHECK(screen.asked<view::ScrollSamples>()->first_sample > 2000);
  REQUIRE(screen.click("Owners"));
  CHECK(screen.asked<view::PickEpoch>());
}

TEST_CASE("keys scroll, zoom and select, and 4 opens the page") {
  const MadeRun run = epochs(3, 5000, 24);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  screen.frame();
  screen.press(ImGuiKey_RightArrow);
  CHECK(screen.asked<view::ScrollSamples>()->first_sample == screen.memory.sampler.columns / 4);
  screen.press(ImGuiKey_Minus);
  CHECK(screen.asked<view::SetSamplesPerCell>()->samples == 16);
  screen.press(ImGuiKey_Equal);
  CHECK(screen.asked<view::SetSamplesPerCell>()->samples == 1);
  screen.press(ImGuiKey_UpArrow);
  CHECK(screen.asked<view::PickEpoch>()->pass == 22);
  screen.press(ImGuiKey_Home);
  CHECK(screen.asked<view::ScrollSamples>()->first_sample == 0);
  screen.input.page = view::Page::kLaunch;
  screen.press(ImGuiKey_4);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kSampler);
}

TEST_CASE("a run with lost parts and nonsense shows the complete parts") {
  MadeRun run(spec_of(2, 5000));
  draw_epoch(run, 0, 5000, 0);
  auto reports = support::dealt_out(2, 1, 5000, 1);
  reports[1].offset = 400;  // the part before it is lost
  run.say(0, 0, reports[0]);
  run.say(1, 0, reports[1]);
  messages::ShardReport wild = reports[0];
  wild.epoch = 2;
  wild.shard_size = 4;
  wild.padded = 9;
  wild.indices = {4'000'000'000U, 1, 1, 2};
  run.say(0, 0, wild);
  wild.indices = {7, 7, 7, 7};
  wild.padded = -3;
  run.say(1, 0, wild);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  screen.frame();
  screen.frame();
  CHECK(screen.find("Epoch 1##0"));
  CHECK_FALSE(screen.find("Epoch 2##1"));
  CHECK(screen.find("Epoch 3##1"));
  check_inside(screen);
}

TEST_CASE("a view is rebuilt only when something it shows has changed") {
  const MadeRun run = epochs(3, 5000, 4);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  screen.frame();
  screen.frame();
  const unsigned long built = screen.memory.view_builds();
  screen.frame();
  CHECK(screen.memory.view_builds() == built);
  screen.input.sampler.choice.first_sample = 100;
  screen.frame();
  CHECK(screen.memory.view_builds() == built + 1);
  ++screen.input.sampler.revision;
  screen.frame();
  CHECK(screen.memory.view_builds() == built + 3);
}

TEST_CASE("24 epochs of 50,000 samples build within a frame, 60 of a million stay fluid") {
  const bool large = GENERATE(false, true);
  const MadeRun run = large ? epochs(8, 1'000'000, 60) : epochs(8, 50'000, 24);
  NullScreen screen;
  sampler_open(run.model(), screen.input);
  screen.frame();
  for (const std::int64_t per_cell : view::kSamplesPerCell) {
    screen.input.sampler.choice.per_cell = per_cell;
    constexpr int kFrames = 20;
    const double built = sampler_seconds_of([&] {
      for (int i = 0; i < kFrames; ++i) {
        ++screen.input.sampler.revision;
        screen.input.sampler.choice.first_sample += 997 * per_cell;
        screen.frame();
      }
    });
    WARN((large ? "1,000,000 x 60" : "50,000 x 24")
         << " samples, 8 ranks, " << per_cell << " a cell: " << built * 1000 / kFrames
         << " ms a frame with new data");
    // The limit is for a slow, busy machine.
    CHECK(built < 0.1 * kFrames);
  }
  WARN("kept: " << static_cast<double>(run.model().shards().memory_bytes()) / 1e6 << " MB");
}
