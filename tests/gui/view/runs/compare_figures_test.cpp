// Final figures of compared runs: figures selected by name, and repeats.
#include "gui/view/runs/compare_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gui/view/runs/compare_view.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

TEST_CASE("runs that differ only in their seeds are repeats, and a fair comparison") {
  support::DemoOptions options = support::demo_small(2);
  messages::RunSpec spec = support::demo_spec(options);
  std::deque<model::RunModel> models;
  std::vector<ComparedRun> runs;
  for (const std::int64_t seed : {7, 8, 9}) {
    spec.train.seed = seed;
    models.emplace_back(spec);
    support::play_demo(options, models.back());
    runs.push_back({&models.back(), support::ended_context(models.back())});
  }
  const CompareView view = build_compare_view(runs, {}, 500, 200);
  CHECK(view.fair);
  CHECK(plain(view.verdict) == "Repeats of one recipe with other seeds: a fair comparison.");
  CHECK(view.differences.rows.front().key == "train.seed");
}

TEST_CASE("metrics of the steps are among the figures that can be selected by name") {
  const auto a = support::model_of(support::demo_small(2));
  const auto b = support::model_of(support::demo_small(1));
  CompareChoice choice;
  choice.step_figures = true;
  const CompareView view = build_compare_view(
      std::vector<ComparedRun>{{&a, support::ended_context(a)}, {&b, support::ended_context(b)}},
      choice, 500, 200);
  const auto usual = figure_names(view.figures);
  CHECK(std::ranges::find(usual, "forward") == usual.end());
  std::string unknown;
  const Table chosen = with_figures(view.all_figures, {"forward", "grad_norm", "loss"}, unknown);
  CHECK(unknown.empty());
  CHECK(chosen.rows.size() == 6);
  const Cell& forward = cell_of(chosen, chosen.rows[0], "value");
  CHECK(number_of(forward.value) > 0);
  CHECK(forward.text == fmt::format("{:.1f}", number_of(forward.value)));
  with_figures(view.all_figures, {"no_such"}, unknown);
  CHECK(unknown == "no_such");
}
