#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "gui/analysis/findings/detectors.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/compare_charts.h"
#include "gui/view/runs/compare_figures.h"
#include "gui/view/runs/compare_view.h"
#include "protocol/messages/spec/settings.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

CompareView compared(const std::vector<ComparedRun>& runs, XAxis axis) {
  return build_compare_view(runs, {axis}, 500, 200);
}

}  // namespace

TEST_CASE("Two runs are compared over the same epochs") {
  const auto a = model_of(support::demo_run());
  const auto b = model_of(support::demo_baseline());
  RunContext b_context = support::ended_context(b);
  b_context.number = 983;
  const CompareView view =
      compared({{&a, support::live_context(a)}, {&b, b_context}}, XAxis::kEpoch);
  REQUIRE(view.runs.size() == 2);
  CHECK(view.runs[0].letter == "A");
  CHECK(view.runs[0].label == "#1042 4 GPUs");
  CHECK(view.runs[0].hint == "training, epoch 47/60");
  CHECK(view.runs[1].label == "#983 1 GPU");
  CHECK(view.runs[1].hint == "finished, epoch 60/60");
  CHECK(view.runs[0].time == "7:34");
  CHECK(view.runs[1].time == "25:47");
  CHECK(view.runs[0].ratio == "100 %");
  CHECK(view.ratio == "B takes 341 % of A's time");
  CHECK(view.same_epochs == "46 epochs");
  CHECK(view.runs[1].share == 1.0);
  CHECK(view.runs[0].share == Approx(1 / 3.41).margin(0.002));
  CHECK(view.accuracy.aside == "at epoch 46  A 75.21  B 75.85  A − B −0.64 pp");
  CHECK(view.loss.aside.starts_with("at epoch 46  A 0."));
  CHECK(view.loss.lines.size() == 2);
  CHECK(view.loss.lines[0].kind == LineKind::kRun);
  CHECK(view.loss.x.high == Approx(60));
  CHECK(view.accuracy.lines[0].columns.size() == 46);
  CHECK(view.accuracy.lines[1].columns.size() == 60);
  CHECK(view.fair);
  CHECK(plain(view.verdict) == "Same model, data, seed, epochs and evaluation: a fair pair.");
  const auto settings = std::ranges::count_if(view.differences.rows, [](const TableRow& row) {
    return messages::find_setting(row.key) != nullptr;
  });
  CHECK(view.differs.starts_with(std::to_string(settings) + " of "));
}

TEST_CASE(
    "Compared metrics have the programs' own numbers of steps only if all of them gave some") {
  support::MadeRun a(1);
  support::MadeRun b(1);
  const auto first_tick = [&] {
    const std::vector<ComparedRun> runs{{&a.model(), support::ended_context(a.model())},
                                        {&b.model(), support::ended_context(b.model())}};
    return build_compare_chart(runs, {XAxis::kStep}, scalar_key("x"), 500, 200).x.ticks.front();
  };
  for (support::MadeRun* const run : {&a, &b}) {
    for (Step step = 0; step < 101; ++step) {
      run->step(0, step, 100.0 * static_cast<double>(step + 1), {});
      run->say(0, 100.0 * static_cast<double>(step + 1), messages::Scalar{"x", step, 0.5, 1});
    }
  }
  CHECK(first_tick().at == 0);
  CHECK(first_tick().label == "0");
  b.say(0, 20000, messages::Scalar{"x", 101, 0.5});
  CHECK(first_tick().label == "20");
}

TEST_CASE("Settings that cannot be read are dashes, and not default values") {
  const auto a = model_of(support::demo_small(2));
  const auto b = model_of(support::demo_small(1));
  const model::RunModel unread{messages::RunSpec()};
  RunContext context = support::ended_context(unread);
  context.number = 7;
  const CompareView view = compared(
      {{&unread, context, false}, {&a, support::ended_context(a)}, {&b, support::ended_context(b)}},
      XAxis::kStep);
  CHECK(view.runs[0].label == "#7");
  REQUIRE_FALSE(view.differences.rows.empty());
  for (const TableRow& row : view.differences.rows) {
    CHECK(row.cells[1].text == kDash);
    CHECK(row.cells[2].text != row.cells[3].text);
  }
  CHECK_FALSE(view.fair);
  CHECK(plain(view.verdict) ==
        "Whether this is a fair comparison is not known: the settings of #7 cannot be read.");
}

TEST_CASE("An unfair pair says in what it differs") {
  support::DemoOptions options = support::demo_small(2);
  messages::RunSpec spec = support::demo_spec(options);
  spec.optimizer.momentum = 0.5;
  model::RunModel a(spec);
  support::play_demo(options, a);
  const auto b = model_of(support::demo_small(2));
  const CompareView view =
      compared({{&a, support::ended_context(a)}, {&b, support::ended_context(b)}}, XAxis::kTime);
  CHECK_FALSE(view.fair);
  CHECK(plain(view.verdict) == "Not a fair pair: they differ in optimizer.momentum.");
  REQUIRE(view.differences.rows.size() == 1);
  CHECK(table_tsv(view.differences) == "Setting\t" + view.runs[0].label + "\t" +
                                           view.runs[1].label + "\noptimizer.momentum\t0.5\t0.9\n");
  CHECK(view.loss.axis == XAxis::kTime);
}

TEST_CASE("For custom programs it is stated what could be compared and what is unknown") {
  const auto script = [](Rank ranks, std::int32_t samples, std::int64_t steps_per_epoch) {
    messages::RunSpec spec;
    spec.program.argv = {"python3", "train.py"};
    spec.devices.world_size = ranks;
    support::MadeRun run(spec, steps_per_epoch);
    for (Step step = 0; step < 10; ++step) {
      for (Rank rank = 0; rank < ranks; ++rank)
        run.step(rank, step, 100.0 * static_cast<double>(step + 1), {}, samples);
    }
    return run;
  };
  const auto verdict = [](const support::MadeRun& a, const support::MadeRun& b) {
    const auto view = compared({{&a.model(), support::ended_context(a.model())},
                                {&b.model(), support::ended_context(b.model())}},
                               XAxis::kStep);
    CHECK_FALSE(view.fair);
    return plain(view.verdict);
  };
  const auto one = script(1, 8, 10);
  CHECK(verdict(one, script(2, 8, 5)) ==
        "Whether this is a fair pair is not known: the command and the samples of an epoch are the "
        "same; model, data, seed and evaluation are the program's own.");
  CHECK(verdict(one, script(2, 8, 10)) ==
        "Not a fair pair: they differ in the samples of an epoch, 80 against 160.");
  CHECK(verdict(one, script(2, 0, 5)) ==
        "Whether this is a fair pair is not known: the command is the same, the samples trained "
        "cannot be compared; model, data, seed and evaluation are the program's own.");
  CHECK(verdict(script(1, 8, 0), script(2, 8, 0)).find("before all runs have ended") !=
        std::string::npos);
}

TEST_CASE("The default of a setting is never shown for a custom program") {
  messages::RunSpec script;
  script.program.argv = {"python3", "train.py"};
  messages::RunSpec one = support::demo_spec(support::demo_small(1));
  one.name.clear();
  one.program = {};
  one.devices = script.devices;
  one.train.seed = 7;
  messages::RunSpec two = one;
  two.train.seed = 8;
  const std::array<model::RunModel, 3> models{model::RunModel(script), model::RunModel(one),
                                              model::RunModel(two)};
  const RunContext context = support::ended_context(models[0]);
  const auto of = [&](std::initializer_list<int> places) {
    std::vector<ComparedRun> runs;
    for (const int place : places)
      runs.push_back({&models.at(static_cast<std::size_t>(place)), context});
    return compared(runs, XAxis::kStep);
  };
  for (const auto& pair : {of({0, 1}), of({1, 0})}) {
    REQUIRE(pair.differences.rows.size() == 1);
    CHECK(pair.differences.rows[0].cells[0].text == "program.argv");
    CHECK(pair.differs.starts_with("1 of "));
    CHECK(plain(pair.verdict) == "Not a fair pair: they differ in program.argv.");
  }
  // A setting in which two others are known to differ is listed, with a dash for the script.
  for (const auto& all : {of({0, 1, 2}), of({1, 2, 0})}) {
    REQUIRE(all.differences.rows.size() == 2);
    const bool first = all.differences.rows[0].cells[0].text == "train.seed";
    const auto& seed = all.differences.rows[first ? 0 : 1].cells;
    REQUIRE(seed[0].text == "train.seed");
    CHECK(std::count_if(seed.begin(), seed.end(),
                        [](const Cell& cell) { return cell.text == kDash; }) == 1);
  }
}

TEST_CASE("The words that distinguish command lines are shown") {
  using Words = std::vector<std::string>;
  const auto texts = [](const std::vector<Words>& lines) {
    std::deque<model::RunModel> models;
    std::vector<ComparedRun> runs;
    for (const Words& line : lines) {
      messages::RunSpec spec;
      spec.program.argv = line;
      models.emplace_back(spec);
      runs.push_back({&models.back(), support::ended_context(models.back())});
    }
    const CompareView view = compared(runs, XAxis::kStep);
    REQUIRE(view.differences.rows.size() == 1);
    Words found;
    for (const Cell& cell : view.differences.rows[0].cells) found.push_back(cell.text);
    found.erase(found.begin());
    CHECK((lines[0].empty() ||
           view.differences.rows[0].cells[1].hint == fmt::format("{}", fmt::join(lines[0], " "))));
    return found;
  };
  const auto line = [](const Words& options) {
    Words words{"/a/long/way/to/python", "ddp.py"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  };
  CHECK(texts({line({"--lr", "0.1", "--amp"}), line({"--lr", "0.05", "--amp"})}) ==
        Words{"… --lr 0.1 …", "… --lr 0.05 …"});
  CHECK(texts({line({"--lr=1"}), line({"--lr=2"}), line({})}) ==
        Words{"… --lr=1", "… --lr=2", "…"});
  CHECK(texts({line({"x"}), line({"x", "x"})}) == Words{"…", "… x"});
  CHECK(texts({{"python", "a.py"}, {"python3", "a.py"}}) == Words{"python …", "python3 …"});
  CHECK(texts({line({}), Words{}, line({})}) ==
        Words{"/a/long/way/to/python ddp.py", std::string(kDash), "/a/long/way/to/python ddp.py"});
}

TEST_CASE("A script that was edited between two runs of one name is not a fair pair") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  support::MadeRun older(spec, 10);
  support::MadeRun newer(spec, 10);
  older.set_program_parts({{"packages", "1"}, {"train.py", "1"}});
  newer.set_program_parts({{"packages", "1"}, {"train.py", "2"}});
  const view::RunContext context = support::ended_context(newer.model());
  const auto view = compared({{&older.model(), context}, {&newer.model(), context}}, XAxis::kStep);
  CHECK_FALSE(view.fair);
  CHECK(plain(view.verdict) ==
        "Not a fair pair: they differ in their program (train.py was edited).");
}

TEST_CASE("A global batch changed by rounding is not a fair pair, and `show` says the same") {
  messages::RunSpec spec = support::demo_spec(support::demo_small(3));
  spec.batch.meaning = "global";
  spec.batch.size = 64;
  const model::RunModel three(spec);
  spec.devices.world_size = 1;
  const model::RunModel one(spec);
  const RunContext context = support::ended_context(one);
  const std::string differ = "they differ in a real global batch of 63 against 64.";
  const CompareView view = compared({{&three, context}, {&one, context}}, XAxis::kStep);
  CHECK_FALSE(view.fair);
  CHECK(plain(view.verdict) == "Not a fair pair: " + differ);
  const auto found = analysis::unfair_baseline(three, one);
  REQUIRE(found);
  CHECK(found->text == "Not a fair comparison with the baseline: " + differ);
  CHECK_FALSE(analysis::unfair_baseline(one, one));
}

TEST_CASE("Runs without common epochs have no ratio") {
  const auto a = model_of(support::demo_small(2));
  const model::RunModel b(support::demo_spec(support::demo_small(1)));
  const CompareView view =
      compared({{&a, support::ended_context(a)}, {&b, support::live_context(b)}}, XAxis::kEpoch);
  CHECK(view.ratio == "–");
  CHECK(view.runs[1].time == "–");
  CHECK(view.same_epochs.empty());
  CHECK(view.loss.axis == XAxis::kStep);
  const CompareView nothing =
      compared({{&b, support::live_context(b)}, {&b, support::live_context(b)}}, XAxis::kEpoch);
  CHECK(plain(nothing.loss.empty) == "No data yet.");
}

TEST_CASE("A scalar is compared between the runs that have logged it") {
  auto options = support::demo_small(4);
  options.metrics = 2;
  const auto a = model_of(options);
  const auto b = model_of(support::demo_small(1));
  options.ranks = 1;
  options.metrics = 3;
  const auto c = model_of(options);
  const std::vector<ComparedRun> runs{{&a, support::ended_context(a)},
                                      {&b, support::ended_context(b)},
                                      {&c, support::ended_context(c)}};
  const CompareView none = compared(runs, XAxis::kEpoch);
  std::vector<std::string> logged;
  for (const ComparedChart& one : none.charts)
    if (const auto name = scalar_name(one.key)) logged.push_back(*name);
  CHECK(logged == std::vector<std::string>{"images_per_s", "train/perplexity", "train/top5"});
  CHECK(none.metric.empty());
  CompareChoice choice{GENERATE(XAxis::kEpoch, XAxis::kStep, XAxis::kTime, XAxis::kSamples)};
  const auto with = [&](const std::string& metric) {
    choice.metric = metric;
    return build_compare_view(runs, choice, 500, 200);
  };
  const CompareView view = with(scalar_key("train/perplexity"));
  const ChartView& chart = view.metric_chart;
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].label == "A");
  CHECK(chart.lines[1].label == "C");
  CHECK(chart.lines[1].run == 2);
  CHECK(chart.lines[0].columns.size() == 24);
  CHECK(chart.x.high == view.loss.x.high);
  CHECK(chart.lines[0].columns.back().x <= chart.x.high);
  CHECK(chart.aside.starts_with("A "));
  CHECK(with(scalar_key("train/top5")).metric_chart.lines.size() == 1);
  CHECK(with("unknown").metric.empty());
  CHECK(with("train/top5").metric.empty());  // without the prefix of a scalar it would be a metric
}

TEST_CASE("Eight runs are compared, and one run says what to do") {
  std::deque<model::RunModel> models;
  for (int i = 0; i < 9; ++i) {
    support::DemoOptions options = support::demo_small(i % 3 + 1);
    options.compute_ms = 40 + 10 * i;
    models.push_back(model_of(options));
  }
  std::vector<ComparedRun> runs;
  for (const auto& model : models) runs.push_back({&model, support::ended_context(model)});
  const CompareView view = build_compare_view(runs, {}, 500, 160);
  REQUIRE(view.runs.size() == kMostCompared);
  CHECK(view.runs[7].letter == "H");
  CHECK(view.loss.lines[7].run == 7);
  CHECK(view.loss.lines[7].label == "H");
  CHECK(view.ratio.empty());
  CHECK(view.runs[3].ratio.ends_with(" %"));
  for (const auto& row : view.differences.rows) CHECK(row.cells.size() == 1 + kMostCompared);
  CHECK(plain(view.verdict).find("fair comparison") != std::string::npos);
  const CompareView one = build_compare_view(std::span(runs).first(1), {}, 500, 160);
  CHECK(one.runs.empty());
  CHECK(plain(one.empty).find("Mark two") == 0);
}
