#include "gui/view/scaling/waterfall_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gui/view/chart/chart_svg.h"
#include "gui/view/scaling/waterfall_svg.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

const WaterfallRow* row_of(const WaterfallView& view, const std::string& key) {
  const auto found = std::find_if(view.rows.begin(), view.rows.end(),
                                  [&](const WaterfallRow& row) { return row.key == key; });
  return found == view.rows.end() ? nullptr : &*found;
}

/// The demo run with its baseline and its waterfall.
struct Drawn {
  model::RunModel run = model_of(support::demo_run());
  model::RunModel baseline = model_of(support::demo_baseline());
  WaterfallView view = build_waterfall_view(run, &baseline, false);
};

}  // namespace

TEST_CASE("The waterfall goes from the ideal down to the measured speedup") {
  const Drawn drawn;
  const WaterfallView& view = drawn.view;
  REQUIRE(view.shown);
  CHECK(view.title == "From 4.00× down to 3.41×");
  CHECK(view.subtitle == "4 GPUs, same 46 epochs");
  CHECK(view.ideal.label == "Ideal on 4 GPUs");
  CHECK(view.ideal.x == "4.00×");
  CHECK(view.ideal.text.starts_with("baseline 1,5"));
  CHECK(view.ideal.text.ends_with(" s divided by 4"));
  CHECK(view.measured.x == "3.41×");
  CHECK(view.measured.text == "efficiency 85 %");
  double at = view.ideal.at;
  for (const WaterfallRow& row : view.rows) {
    INFO(row.key);
    CHECK(row.from == at);
    CHECK((!row.gain || row.to > row.from));
    at = row.to;
  }
  CHECK(at == Approx(view.measured.at).epsilon(1e-9));
  CHECK(view.cut);
  CHECK(view.axis.low < view.measured.at);
  CHECK(view.axis.high == 4);
  CHECK(view.note.starts_with(
      "Seconds add up exactly; each bar's × is its share of the loss of 0.59×, in proportion"));
  CHECK(view.note.find("Without waiting and exchange it would be 3.7") != std::string::npos);
  CHECK(view.note.find("Start-up is outside of this clock") != std::string::npos);
}

TEST_CASE("Each part of the waterfall says how much it is, over which steps, and how certain") {
  const Drawn drawn;
  const WaterfallRow* data = row_of(drawn.view, "data_wait");
  REQUIRE(data != nullptr);
  CHECK(data->label == "Data wait");
  CHECK(data->text.starts_with("r2 loads 6."));
  CHECK(data->text.find(" longer than the others, mean of 4,508 steps (its loss ±0.") !=
        std::string::npos);
  CHECK(data->hint.starts_with("r2 loads 6."));
  CHECK(data->hint.ends_with(" longer than the others"));
  CHECK(data->seconds.front() == '+');
  CHECK(data->x.starts_with("−0."));
  const WaterfallRow* saving = row_of(drawn.view, "checkpoint");
  REQUIRE(saving != nullptr);
  CHECK(
      saving->text ==
      "0.31 s in each of 46 checkpoints, ideal 77.5 ms (0.31 s on the baseline); one rank writes, "
      "the others wait.");
  CHECK(saving->hint == "0.31 s each, ideal 77.5 ms");
  const WaterfallRow* evaluation = row_of(drawn.view, "evaluation");
  REQUIRE(evaluation != nullptr);
  CHECK(evaluation->text ==
        "0.58 s in each of 46 evaluations, ideal 0.58 s (2.32 s on the baseline).");
  const WaterfallRow* transfer = row_of(drawn.view, "exposed_transfer");
  REQUIRE(transfer != nullptr);
  CHECK(transfer->text.starts_with("3.60 ms of transfer in each of 4,508 steps not hidden"));
  const WaterfallRow* compute = row_of(drawn.view, "compute");
  REQUIRE(compute != nullptr);
  CHECK(compute->text.find("in batches of 128 per device") != std::string::npos);
}

TEST_CASE("Phases of different ranks that overlap leave no time outside of them") {
  analysis::Waterfall all;
  all.run_ns = 8'983'000'000;
  analysis::LostTime rest;
  rest.measured = true;
  rest.run_ns = 40'000'000;
  rest.error_ns = std::nan("");
  CHECK(loss_sentence(all, rest).starts_with("40.0 ms of 8.98 s lie outside of steps"));
  rest.run_ns = -32'600'000;
  CHECK(loss_sentence(all, rest).starts_with(
      "Steps, evaluation and checkpoints of different ranks overlap by 32.6 ms of 8.98 s"));
  CHECK(loss_hint(all, rest) == "phases of the ranks overlap by 32.6 ms");
}

TEST_CASE("The table of the waterfall adds up to the nanosecond") {
  const Drawn drawn;
  const Table& table = drawn.view.table;
  REQUIRE(table.rows.size() == drawn.view.rows.size() + 2);
  const auto ns = [&](const TableRow& row, const char* key) {
    return std::get<std::int64_t>(cell_of(table, row, key).value);
  };
  std::int64_t lost = 0;
  for (std::size_t i = 1; i + 1 < table.rows.size(); ++i) {
    lost += ns(table.rows[i], "lost_ns");
    CHECK(ns(table.rows[i], "lost_ns") ==
          ns(table.rows[i], "run_ns") - ns(table.rows[i], "ideal_ns"));
  }
  const TableRow& ideal = table.rows.front();
  const TableRow& measured = table.rows.back();
  CHECK(ns(ideal, "run_ns") + lost == ns(measured, "run_ns"));
  CHECK(ns(measured, "lost_ns") == lost);
  CHECK(cell_of(table, table.rows[1], "text").text == drawn.view.rows[0].text);
  CHECK(table_tsv(table).find("Data wait\t+") != std::string::npos);
}

TEST_CASE("A bar of the waterfall opens its evidence in Live") {
  const Drawn drawn;
  const CommandQueue data = show_evidence(row_of(drawn.view, "data_wait")->evidence);
  const auto asked = [](const CommandQueue& commands, const auto& matches) {
    return std::any_of(commands.begin(), commands.end(), matches);
  };
  CHECK(asked(data, [](const Command& one) {
    const auto* page = as<SelectPage>(one);
    return page != nullptr && page->page == Page::kLive;
  }));
  CHECK(asked(data, [](const Command& one) {
    const auto* rank = as<ShowOnlyRank>(one);
    return rank != nullptr && rank->rank == 2;
  }));
  CHECK(asked(data, [](const Command& one) {
    const auto* whole = as<SetStepTimeWhole>(one);
    return whole != nullptr && !whole->whole;
  }));
  const CommandQueue saving = show_evidence(row_of(drawn.view, "checkpoint")->evidence);
  CHECK(asked(saving, [](const Command& one) {
    const auto* axis = as<SetXAxis>(one);
    return axis != nullptr && axis->axis == XAxis::kTime;
  }));
  const CommandQueue some = show_evidence({{40, 80}, kNoRank, false, true});
  CHECK(asked(some, [](const Command& one) {
    const auto* window = as<SetWindow>(one);
    return window != nullptr && window->begin == 40 && window->end == 80;
  }));
}

TEST_CASE("The image of a waterfall has every bar and its numbers") {
  const Drawn drawn;
  const std::string svg = waterfall_svg(drawn.view, 1200);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  for (const WaterfallRow& row : drawn.view.rows) {
    CHECK(svg.find(">" + row.label + "<") != std::string::npos);
    CHECK(svg.find(">" + row.seconds + "<") != std::string::npos);
  }
  CHECK(waterfall_svg({}, 1200).empty());
  // Each colour has a dark one for pages.
  std::set<std::string> known;
  for (const Color& color : svg_colors()) known.insert(css_color(color.light));
  for (std::size_t at = svg.find("\"#"); at != std::string::npos; at = svg.find("\"#", at + 1))
    CHECK(known.contains(svg.substr(at + 1, 7)));
}

TEST_CASE("Without a speedup the waterfall says why there is none") {
  const auto run = model_of(support::demo_small(2));
  const WaterfallView view = build_waterfall_view(run, nullptr, true);
  CHECK_FALSE(view.shown);
  CHECK(view.rows.empty());
  CHECK(view.table.rows.empty());
  CHECK(plain(view.empty) == "No speedup to take apart. No baseline is selected.");
}

TEST_CASE("The waterfall of a run that beats the ideal goes up") {
  support::DemoOptions fast = support::demo_small(2);
  fast.compute_ms = 20;
  fast.late_rank = kNoRank;
  const auto run = model_of(fast);
  support::DemoOptions one = support::demo_small(1);
  one.steps_per_epoch = 40;
  const auto baseline = model_of(one);
  const WaterfallView view = build_waterfall_view(run, &baseline, true);
  REQUIRE(view.shown);
  CHECK(view.title.find(" up to ") != std::string::npos);
  const WaterfallRow* compute = row_of(view, "compute");
  REQUIRE(compute != nullptr);
  CHECK(compute->gain);
  CHECK(compute->seconds.starts_with("−"));
  CHECK(compute->x.front() == '+');
}
