// Tests `ringside timeline` of traces, and `ringside import`, which keeps them: text and JSON.
#include <fstream>

#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::string rank_trace(const CliRig& rig, int rank) {
  const auto file = rig.path() / ("rank_" + std::to_string(rank) + ".json");
  std::ofstream(file) << R"({"distributedInfo":{"rank":)" << rank << R"(},"traceEvents":[)"
                      << R"({"ph":"X","name":"ProfilerStep#3","pid":1,"tid":1,"ts":0,"dur":9000},)"
                      << R"({"ph":"X","name":"aten::mm","cat":"cpu_op","pid":1,"tid":1,"ts":10,)"
                      << R"("dur":)" << 1000 + 2000 * rank << R"(},{"ph":"i","name":"x","ts":1}]})";
  return file.string();
}

}  // namespace

TEST_CASE("traces of two ranks are summarized, kept as a run, and read again from there") {
  const CliRig rig;
  const std::string zero = rank_trace(rig, 0), one = rank_trace(rig, 1);
  const auto read = rig.json_of({"timeline", zero, one, "--json"});
  CHECK(read.at("ranks") == nlohmann::json({0, 1}));
  CHECK(read.at("events") == 4);
  CHECK(read.at("steps") == 1);
  CHECK(read.at("notices").at(0) == "2 instants, counters and flows are not shown.");
  const auto& operation = read.at("operations").at(0);
  CHECK(operation.at("operation") == "aten::mm");
  CHECK(operation.at("slowest") == 1);
  CHECK(operation.at("excess_ms") == 2.0);
  CHECK(operation.at("rank_0_ms") == 1.0);
  const auto told = rig.ringside({"timeline", zero, one});
  CHECK(told.exit_code == 0);
  CHECK(told.output.find("2 ranks, 2 tracks, 4 events, 1 step, 9 ms") != std::string::npos);
  REQUIRE(rig.ringside({"import", zero, one, "--name", "kept"}).exit_code == 0);
  const auto listed = rig.json_of({"list", "--json"});
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("name") == "kept");
  CHECK(listed[0].at("state") == "finished");
  const auto again = rig.json_of({"timeline", "last", "--json"});
  CHECK(again.at("operations") == read.at("operations"));
  CHECK(again.at("tracks") == read.at("tracks"));
}

TEST_CASE("a file that is not a trace, or a run without steps, is a bad request with the reason") {
  const CliRig rig;
  const auto bad = rig.path() / "bad.json";
  std::ofstream(bad) << R"({"traceEvents":[{"ph":)";
  rig.refuses({"timeline", bad.string()}, "bad.json, byte 16: the file ends in the middle");
  rig.refuses({"timeline", "nothing"}, "there are no runs");
  rig.refuses({"timeline", bad.string(), "--recorded"}, "--recorded is for a run");
  rig.refuses({"import", (rig.path() / "none.json").string(), rank_trace(rig, 0)},
              "several files are imported at once where each of them is a trace");
  CHECK(rig.json_of({"list", "--json"}).empty());
}
