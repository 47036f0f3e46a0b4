// A run as drawn in a terminal: the curve and the lines around it.
#include "gui/cli/print/live_face.h"

#include <algorithm>
#include <limits>

#include "gui/cli/print/line_chart.h"
#include "gui/cli/print/terminal.h"
#include "gui/model/run_model.h"
#include "protocol/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::cli;

namespace {

model::Series series_of(const std::vector<float>& values) {
  model::Series series;
  for (std::size_t i = 0; i < values.size(); ++i) series.set(i, values[i]);
  return series;
}

std::string face_of(const model::RunModel& model, FaceSize size) {
  view::RunContext context;
  context.id = "20261129T010000Z-abcdef";
  context.number = 7;
  context.contact = view::Contact::kLive;
  context.now_ns = model.last_ns();
  return live_face(model, context, {}, size, false);
}

}  // namespace

TEST_CASE("a text curve has its highest value at the top and its newest step at the right") {
  CHECK(line_chart(series_of({4, 3, 2, 1}), 2, 1) == std::vector<std::string>{"⠑⢄"});
  CHECK(line_chart(series_of({1, 1}), 1, 1) == std::vector<std::string>{"⠤"});
  const auto high = line_chart(series_of({0, 8, 0, 0}), 2, 2);
  REQUIRE(high.size() == 2);
  CHECK(high[0] == "⢸⡆");
  CHECK(high[1] == "⡸⣇");
}

TEST_CASE("a text curve has gaps where no value is finite, and is empty without values") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(line_chart(series_of({1, nan, nan, 1}), 2, 1) == std::vector<std::string>{"⠄⠠"});
  CHECK(line_chart(series_of({nan, nan}), 4, 2).empty());
  CHECK(line_chart({}, 4, 2).empty());
  const float most = std::numeric_limits<float>::max();
  CHECK(line_chart(series_of({most, -most}), 1, 1) == std::vector<std::string>{"⢱"});
}

TEST_CASE("a run in a terminal shows its state, its curve, its ranks and its problems") {
  model::RunModel model(support::demo_spec(support::demo_small(4)));
  support::play_demo(support::demo_small(4), model);
  const std::string face = face_of(model, {100, 30});
  INFO(face);
  const auto lines = parts_of(face, '\n');
  CHECK(lines.front().starts_with("#7 "));
  CHECK(lines.front().find("Finished") != std::string::npos);
  CHECK(lines[1].starts_with("epoch "));
  CHECK(face.find("\n loss ") != std::string::npos);
  CHECK(face.find("\nr3 ") != std::string::npos);
  CHECK(face.find("\n* ") > face.find("\nr3 "));
}

TEST_CASE("a run in a terminal fits into any terminal size") {
  model::RunModel model(support::demo_spec(support::demo_small(64)));
  support::play_demo(support::demo_small(64), model);
  for (const std::size_t rows : {2U, 5U, 9U, 24U, 200U}) {
    for (const std::size_t columns : {20U, 80U, 300U}) {
      const std::string face = face_of(model, {columns, rows});
      const auto lines = parts_of(face, '\n');
      CHECK(lines.size() - 1 <= rows);
      for (const auto line : lines) CHECK(shown_width(line) <= columns);
    }
  }
  CHECK(face_of(model, {80, 24}).find(" ranks more") != std::string::npos);
}
