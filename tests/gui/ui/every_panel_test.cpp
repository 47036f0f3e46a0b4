// Unusually large or damaged runs: 1,024 ranks, ten million points, a damaged log. Every panel
// draws them, and a frame stays fast.
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "gui/view/window/top_bar.h"
#include "protocol/base/clock.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using test::NullScreen;

namespace {

void open(const model::RunModel& model, view::ScreenInput& input) {
  input.page = view::Page::kLive;
  input.live.model = &model;
  input.live.context.id = "20261121T134005Z-7f3a1c";
  input.live.context.number = 7;
  input.live.context.contact = view::Contact::kEnded;
  input.live.context.now_ns = model.last_ns();
  input.live.chart_revision = model.revision();
  input.live.number_revision = model.revision();
}

/// Draws all tabs of the tables and both charts that share a panel.
void check_every_panel(NullScreen& screen) {
  for (int tab = 0; tab < static_cast<int>(view::TableTab::kCount); ++tab) {
    screen.memory.live.table_tab = static_cast<view::TableTab>(tab);
    screen.memory.live.chart_tab = tab % 2;
    screen.frame();
    screen.frame();
    INFO("tab " << tab);
    CHECK(screen.vertices() > 1000);
    CHECK(screen.find("Loss plot"));
    CHECK(screen.find(view::label::kExport));
    for (const ui::Item& item : ui::items()) {
      INFO(item.label << " in " << item.window);
      REQUIRE(item.area.right() <= screen.size().x + 1);
      REQUIRE(item.area.bottom() <= screen.size().y + 1);
    }
  }
}

double seconds_of(const std::function<void()>& work) {
  const std::int64_t begun = mono_now_ns();
  work();
  return static_cast<double>(mono_now_ns() - begun) * 1e-9;
}

/// 8 ranks x 100,000 steps x 13 columns.
model::RunModel ten_million_points() {
  support::DemoOptions options = support::demo_small(8);
  options.epochs = 1000;
  options.steps_per_epoch = 100;
  model::RunModel model(support::demo_spec(options));
  options.steps = 1;
  options.finish = false;
  support::play_demo(options, model);
  for (Step step = 1; step < 100'000; ++step) {
    for (Rank rank = 0; rank < options.ranks; ++rank) {
      messages::StepReport body;
      body.epoch = static_cast<Epoch>(step / 100);
      body.step = step;
      body.samples = 128;
      body.loss = 2.0F / (1.0F + static_cast<float>(step % 977) * 0.001F);
      body.correct = 60;
      body.lr = 0.1;
      body.grad_norm = 1.5F;
      body.data_wait_ns = 1'000'000 + rank * 1000;
      body.host_to_device_ns = 200'000;
      body.forward_ns = 24'000'000;
      body.backward_ns = 51'000'000 + (step % 7) * 10'000;
      body.exposed_comm_ns = 3'000'000;
      body.optimizer_ns = 3'500'000;
      body.step_ns = 84'000'000;
      model.accept(
          {0, rank, static_cast<std::uint64_t>(step + 20), 1'010'000'000'000 + step * 84'000'000},
          body);
    }
  }
  return model;
}

}  // namespace

TEST_CASE("1,024 ranks are drawn, as a grid first, and a frame stays fast") {
  support::DemoOptions options = support::demo_small(1024);
  options.nodes = 128;
  options.steps = 20;
  options.steps_per_epoch = 10;
  options.buckets = false;
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  NullScreen screen;
  open(model, screen.input);
  screen.frame();
  CHECK(screen.find("Cell r0"));
  CHECK(screen.find("Sort by Step loss") == std::nullopt);
  check_every_panel(screen);
  screen.memory.live.table_tab = view::TableTab::kGrid;
  screen.frame();
  // Every view is built again, as after new data. The limit is for a slow, busy machine.
  const double built = seconds_of([&] {
    for (int i = 0; i < 10; ++i) {
      ++screen.input.live.chart_revision;
      ++screen.input.live.number_revision;
      screen.frame();
    }
  });
  const double kept = seconds_of([&] {
    for (int i = 0; i < 10; ++i) screen.frame();
  });
  WARN("1,024 ranks: " << built * 100 << " ms a frame with new data, " << kept * 100
                       << " ms without");
  CHECK(built < 5);
  CHECK(kept < 2);
}

TEST_CASE("ten million points are drawn, and a frame stays fast") {
  const model::RunModel model = ten_million_points();
  CHECK(model.newest_common_step() == 99'999);
  NullScreen screen(1920, 1080);
  open(model, screen.input);
  screen.frame();
  check_every_panel(screen);
  const double built = seconds_of([&] {
    for (int i = 0; i < 10; ++i) {
      ++screen.input.live.chart_revision;
      ++screen.input.live.number_revision;
      screen.frame();
    }
  });
  WARN("ten million points: " << built * 100 << " ms a frame with new data");
  CHECK(built < 5);
}

TEST_CASE("a damaged log is drawn as far as it can be read, with what is missing") {
  const TempFolder folder;
  const auto run =
      support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(4));
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(run.log_path(0)));
  {
    std::fstream file(run.log_path(0), std::ios::in | std::ios::out | std::ios::binary);
    for (const std::streamoff at : {size / 5, size / 2, size * 3 / 4}) {
      file.seekp(at);
      file.write("damaged", 7);
    }
  }
  std::filesystem::resize_file(run.log_path(0), static_cast<std::uintmax_t>(size - 100));
  model::RunModel model(support::demo_spec(support::demo_small(4)));
  const auto log = runlog::read_log(run.log_path(0), model);
  REQUIRE(log);
  CHECK(log->skipped_bytes > 0);
  const auto window = GENERATE(ImVec2(1600, 900), ImVec2(800, 500), ImVec2(300, 200));
  NullScreen screen(window.x, window.y);
  open(model, screen.input);
  screen.input.live.context.contact = view::Contact::kInterrupted;
  screen.input.live.context.log_skipped_bytes = log->skipped_bytes;
  screen.input.live.context.log_first_skipped = log->first_skipped;
  screen.frame();
  screen.frame();
  CHECK(screen.vertices() > 500);
  CHECK(screen.find("Loss plot"));
  if (window.x > 1000) check_every_panel(screen);
}
