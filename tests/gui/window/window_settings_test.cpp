// Tests that the window's settings are written and read back, and that invalid values become the
// defaults.
#include <filesystem>
#include <fstream>

#include "gui/window/window_settings.h"
#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using window::WindowSettings;

TEST_CASE("settings of the window are unchanged after they were written and read") {
  const TempFolder folder;
  const auto file = folder.path() / "state" / "ringside" / "window.toml";
  CHECK(window::read_settings(file) == WindowSettings{});
  WindowSettings settings;
  settings.light = true;
  settings.scale = 1.5;
  settings.width = 300;
  settings.height = 200;
  settings.page = "runs";
  settings.pinned = {"loss scale", "a \"b\" = [c]"};
  settings.charts.axis = view::XAxis::kSamples;
  settings.charts.logarithmic = false;
  settings.charts.smoothing = 200;
  settings.charts.plan = settings.charts.whole_step = true;
  settings.charts.baseline = false;
  settings.list.compare = {view::XAxis::kTime, true, 50};
  settings.list.compare.chart = "scalar:a \"b\"";
  settings.list.compare.metric = "grad_norm";
  settings.list.compare.only_differing = false;
  settings.list.columns.changed = {"optimizer.lr", "speedup", "logged.val/\"loss\""};
  settings.list.sort = {"optimizer.lr", false};
  settings.list.group = "batch.size";
  for (std::size_t i = 0; i < ui::kSplits; ++i)
    settings.arrangement.shares[i] = 0.125F + 0.0625F * static_cast<float>(i);
  settings.arrangement.closed = {true, false, true};
  for (const char* key : {"loss", "power", "forward"})
    settings.arrangement.rank_columns.toggle(key);
  REQUIRE(window::write_settings(file, settings));
  CHECK(window::read_settings(file) == settings);
  REQUIRE(window::write_settings(file, {}));
  CHECK(window::read_settings(file) == WindowSettings{});
  CHECK(read_text(file).value().find("[layout]") == std::string::npos);
}

TEST_CASE("columns that were hidden by an earlier version stay hidden") {
  const TempFolder folder;
  folder.write("window.toml", "[layout.hidden]\nloss = true\npower = false\n");
  const auto settings = window::read_settings(folder.path() / "window.toml");
  CHECK(settings.arrangement.rank_columns.changed == std::set<std::string, std::less<>>{"loss"});
}

TEST_CASE("invalid values become the defaults") {
  const TempFolder folder;
  const std::string text = GENERATE(
      as<std::string>(), "", "nonsense = [", "width = 20\nheight = -5\nscale = 40.0\n",
      "place = [1]\nlayout = 3\n", "[layout]\nlive_side = \"wide\"\nlive_logs = 7.5\nclosed = 1\n",
      "[layout]\nlive_logs = -0.5\nclosed.ranks = \"yes\"\nno_such_line = 0.5\n",
      "[layout]\nhidden.loss = \"yes\"\nhidden.no_such_column = true\n",
      "[layout]\nhidden = true\n",
      "[compare]\naxis = \"sideways\"\nsmoothing = 7\nlogarithmic = 3\n",
      "[charts]\naxis = 7\nsmoothing = 3\nplan = \"yes\"\n",
      "[runs]\ncolumns = 3\nsort = true\ngroup = []\n");
  folder.write("window.toml", text);
  CHECK(window::read_settings(folder.path() / "window.toml") == WindowSettings{});
}
