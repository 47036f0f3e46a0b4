// Tests the page as a browser reads it: one well-formed file that loads nothing, with all text of
// other programs escaped.
#include "gui/view/report/report_page.h"

#include <algorithm>
#include <set>

#include "gui/view/chart/chart_svg.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/markup.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// Checks that all elements are nested and closed; returns the error, or "".
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name.starts_with('!') || name == "meta" || tag.ends_with('/')) continue;
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return name + " closes " + (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

ReportRun of(const model::RunModel& model, const std::string& name) {
  ReportRun run;
  run.id = "20261121T134005Z-7f3a1c";
  run.label = "#1042";
  run.name = name;
  run.state = "finished";
  run.model = &model;
  run.seconds = 600;
  return run;
}

void check_page(const std::string& page) {
  CHECK(unbalanced(page).empty());
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(has(page, "charset=\"utf-8\""));
  // The page loads nothing and runs nothing.
  CHECK(count(page, "http") ==
        count(page, "xmlns=\"http://www.w3.org/2000/svg\"") + count(page, "http-equiv"));
  for (const char* word : {"<script", "<link", "<img", "src=", "href=", "url(", "@import"})
    CHECK_FALSE(has(page, word));
}

}  // namespace

TEST_CASE("Text of other programs is escaped") {
  CHECK(markup_text("a<b>&\"c' d") == "a&lt;b&gt;&amp;&quot;c&#39; d");
  CHECK(markup_text("gr\xC3\xB6\xC3\x9F"
                    "e\n\xFF") ==
        "gr\xC3\xB6\xC3\x9F"
        "e\\n\\xff");
  CHECK(markup_text("").empty());
}

TEST_CASE("One page reports a finished run with its baseline") {
  const auto model = model_of(support::demo_small(4));
  auto one = support::demo_small(1);
  const auto baseline = model_of(one);
  ReportRun run = of(model, "four of them");
  run.baseline = &baseline;
  run.baseline_label = "#983";
  const ReportRun runs[] = {run};
  const std::string page = report_page(runs, "Ringside 1, today");
  check_page(page);
  CHECK(has(page, "<title>Ringside report: #1042 four of them</title>"));
  CHECK(count(page, "<svg") >= 3);
  CHECK(has(page, label::kLoss));
  CHECK(has(page, label::kAccuracy));
  CHECK(has(page, label::kStepTime));
  CHECK(has(page, label::kStepBreakdown));
  CHECK(has(page, "Ranks, where they ran, and their steps"));
  CHECK(has(page, "Settings and outcome of each run"));
  CHECK(has(page, "Notices"));
  CHECK(has(page, "devices.world_size"));
  CHECK(has(page, "world_size = 4"));
  CHECK(has(page, "<div class=\"big\">"));
  CHECK(has(page, "prefers-color-scheme:dark"));
  const std::string print = page.substr(page.find("@media print"), 800);
  CHECK(has(print, "section,figure,tr{break-inside:avoid}"));
  CHECK(has(print, "h2{break-before:page}"));
  CHECK(has(print, ".wide,pre{overflow:visible;white-space:pre-wrap}"));
  // The dark colours are for screens alone, so that paper stays white.
  CHECK(has(page, "@media screen and (prefers-color-scheme:dark)"));
  CHECK(count(page, "prefers-color-scheme") == 1);
  CHECK(has(page, "<footer>Ringside 1, today</footer>"));
}

TEST_CASE("Logged scalars have charts, up to a stated number, and a table") {
  auto options = support::demo_small(2);
  options.metrics = GENERATE(2, 60);
  const auto model = model_of(options);
  const ReportRun runs[] = {of(model, "logger")};
  const std::string page = report_page(runs, "now");
  check_page(page);
  CHECK(has(page, "<h3>Metrics</h3>"));
  CHECK(has(page, "latest 1,"));
  CHECK(has(page, ", mean over its ranks"));
  CHECK(has(page, "<td>train/perplexity</td>"));
  CHECK(has(page, "The first 24 of 60 metrics") == (options.metrics == 60));
  CHECK(count(page, "mean over its ranks") == (options.metrics == 60 ? 24 : 2));
  options.metrics = 0;
  const auto silent = model_of(options);
  const ReportRun without[] = {of(silent, "silent")};
  CHECK_FALSE(has(report_page(without, "now"), "Metrics"));
}

TEST_CASE("Names, notices and settings of a run cannot break out of the page") {
  const std::string bad = "</title><script>alert(\"1\")</script>&'\x01\xFF";
  auto spec = support::demo_spec(support::demo_small(2));
  spec.name = bad;
  spec.model.init_from = bad;
  model::RunModel model(spec);
  support::play_demo(support::demo_small(2), model);
  messages::Notice notice{messages::Severity::kError, bad, bad};
  model.accept({0, 0, 9000, model.last_ns()}, notice);
  messages::RankHello hello;
  hello.device_name = bad;
  hello.host = bad;
  model.accept({0, 1, 9001, model.last_ns()}, hello);
  const ReportRun runs[] = {of(model, bad)};
  const std::string page = report_page(runs, bad);
  check_page(page);
  CHECK(count(page, "&lt;script&gt;alert(&quot;1&quot;)") >= 5);
  CHECK_FALSE(has(page, "\x01"));
}

TEST_CASE("Every kind of run makes a page") {
  support::DemoOptions options = support::demo_small(4);
  const auto kind = GENERATE(Catch::Generators::as<std::string>(), "none", "NaN", "killed",
                             "64 ranks", "no step");
  if (kind == "NaN") options.nan_from = 20;
  if (kind == "killed") options.killed_rank = 3;
  if (kind == "64 ranks") options = support::demo_small(64);
  if (kind == "no step") options.steps = 0;
  const auto model =
      kind == "none" ? model::RunModel(support::demo_spec(options)) : model_of(options);
  INFO(kind);
  const ReportRun runs[] = {of(model, "x")};
  const std::string page = report_page(runs, "");
  check_page(page);
  CHECK(page.size() < std::size_t{4} << 20);
  CHECK_FALSE(has(page, ">nan<"));
  check_page(report_page({}, ""));
}

TEST_CASE("Each colour of a chart has a dark variant") {
  const auto model = model_of(support::demo_small(8));
  const auto baseline = model_of(support::demo_baseline());
  ChartView chart = build_loss_chart(model, support::live_context(model),
                                     support::baseline_context(baseline), {}, 1200, 480);
  for (int i = 0; i < 4; ++i) {
    LineView line;
    line.kind = LineKind::kRun;
    line.run = i;
    line.columns = {{0.1, 1, 2, 1, 2}};
    line.nan_at = {0.2};
    chart.lines.push_back(line);
  }
  chart.limits.push_back({1.0, "gate", Tone::kOk});
  chart.points.push_back({0.1, 1.0, false});
  const std::string svg = chart_svg(chart, "", 1200, 480);
  std::set<std::string> known;
  for (const Color& color : svg_colors()) CHECK(known.insert(css_color(color.light)).second);
  std::set<std::string> used;
  for (std::size_t at = svg.find("\"#"); at != std::string::npos; at = svg.find("\"#", at + 1))
    used.insert(svg.substr(at + 1, 7));
  CHECK(used.size() > 10);
  CHECK(std::includes(known.begin(), known.end(), used.begin(), used.end()));
}
