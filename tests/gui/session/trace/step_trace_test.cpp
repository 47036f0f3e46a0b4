// Traces of synthetic runs, parsed as a viewer of traces would.
#include "gui/session/trace/step_trace.h"

#include <map>
#include <nlohmann/json.hpp>

#include "gui/model/run_model.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"

namespace ringside {
namespace {

using nlohmann::json;
using support::MadeRun;

json events_of(const session::StepTrace& trace) {
  return json::parse(trace.json).at("traceEvents");
}

TEST_CASE("parts of a step are inside of it, one after the other") {
  MadeRun run(2);
  MadeRun::Parts parts;
  parts.data = 10;
  parts.forward = 20;
  parts.backward = 40;
  parts.optimizer = 5;
  parts.step = 100;
  for (Step step = 0; step < 3; ++step) {
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, 100.0 * static_cast<double>(step + 1), parts);
  }
  const auto trace = session::step_trace(run.model(), {1, 10}, "run");
  CHECK(trace.steps == analysis::StepRange{1, 3});
  CHECK(trace.events == 2 * 2 * 5);
  std::map<std::string, double> begins;
  for (const json& event : events_of(trace)) {
    if (event.at("ph") != "X" || event.at("pid") != 1 || event.at("args").at("step") != 2) continue;
    begins[event.at("name")] = event.at("ts");
    if (event.at("name") == "backward") CHECK(event.at("dur") == 40'000.0);
  }
  CHECK(begins == std::map<std::string, double>{{"step 2", 100'000},
                                                {"data_wait", 100'000},
                                                {"forward", 110'000},
                                                {"backward", 130'000},
                                                {"optimizer", 170'000}});
}

TEST_CASE("a collective is drawn for each of its members and names the last to arrive") {
  const MadeRun run = support::run_of({{{"dp", 2}}, 3, 1});
  int begun = 0, ended = 0;
  for (const json& event : events_of(session::step_trace(run.model(), {0, 3}, "run"))) {
    ended += event.at("ph") == "e" ? 1 : 0;
    if (event.at("ph") != "b") continue;
    ++begun;
    if (event.at("name") != "all-gather of dp" || event.at("pid") != 0) continue;
    CHECK(event.at("args").at("last_rank") == 1);
    CHECK(event.at("args").at("wait_for_last_us").get<int>() > 19'000);
    CHECK(event.at("args").at("bytes") == 1'000'000);
  }
  CHECK(begun == 3 * 2 * 2);
  CHECK(ended == begun);
}

TEST_CASE("collectives on a device do not name the last to arrive") {
  support::MadeGroups made{{{"dp", 2}}, 2};
  made.on_device = true;
  for (const json& event :
       events_of(session::step_trace(support::run_of(made).model(), {0, 2}, "run"))) {
    if (event.at("ph") == "b") CHECK_FALSE(event.at("args").contains("last_rank"));
  }
}

TEST_CASE("names of runs and groups cannot break a trace") {
  const MadeRun run = support::run_of({{{"a\"\\\xff", 2}}, 2});
  const auto trace = session::step_trace(run.model(), {0, 2}, "say \"no\"\n");
  CHECK(json::parse(trace.json).at("otherData").at("run") == "say \"no\"\n");
}

}  // namespace
}  // namespace ringside
