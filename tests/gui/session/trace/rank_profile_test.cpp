// Tests how profiles, written by hand in Kineto's format, are moved to the clock of a run.
#include "gui/session/trace/rank_profile.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace ringside {
namespace {

using nlohmann::json;

json span(const char* kind, const char* name, double at, double took, json process = 4711) {
  return {{"ph", "X"},   {"cat", kind}, {"name", name}, {"pid", std::move(process)},
          {"tid", 4711}, {"ts", at},    {"dur", took}};
}

json labels(int process, const char* text) {
  return {{"ph", "M"}, {"name", "process_labels"}, {"pid", process}, {"args", {{"labels", text}}}};
}

std::string profile(std::vector<json> events) {
  return json{{"baseTimeNanoseconds", 5'000'000},
              {"ringside", {{"first_step", 8}, {"wall_minus_mono_ns", 2'000'000}}},
              {"traceEvents", std::move(events)}}
      .dump();
}

/// Returns the time in the trace, which begins at 1 ms of the rank's clock.
double at_us(std::int64_t mono_ns) { return static_cast<double>(mono_ns - 1'000'000) / 1e3; }

TEST_CASE("events of a profile are moved to the run's clock and to their rank") {
  json flow{{"ph", "s"}, {"id", 3}, {"pid", 4711}, {"tid", 4711}, {"ts", 1}, {"name", "fwdbwd"}};
  json cut = span("cpu_op", "Optimizer.step", 90, 500);
  cut["args"] = {{"finished", false}};
  const auto read = session::rank_profile(
      2,
      profile(
          {span("cpu_op", "aten::mm", 10, 5),
           span("kernel", "gemm", 12, 4, 1),
           flow,
           span("Trace", "PyTorch Profiler (0)", 0, 50, "Spans"),
           labels(1, "GPU 1"),
           cut,
           {{"ph", "M"}, {"name", "process_name"}, {"pid", 4711}, {"args", {{"name", "python"}}}}}),
      at_us);
  REQUIRE(read);
  std::map<std::string, json> events;
  for (const std::string& text : read->events) {
    const json event = json::parse(text);
    events[event.at("name").get<std::string>()] = event;
  }
  CHECK(events.size() == 5);
  CHECK(events.at("aten::mm").at("ts") == 2010.0);  // 5 - 2 - 1 ms, and 10 us
  CHECK(events.at("aten::mm").at("pid") == 2);
  CHECK(events.at("gemm").at("pid") == events.at("process_name").at("pid"));
  CHECK(events.at("process_name").at("args").at("name") == "rank 2, GPU 1");
  CHECK(events.at("fwdbwd").at("id") != 3);
}

TEST_CASE("a host process with a small number, as in a container, is not taken for a GPU") {
  const auto read = session::rank_profile(
      0, profile({span("cpu_op", "aten::mm", 10, 5, 1), labels(1, "CPU")}), at_us);
  REQUIRE(read);
  REQUIRE(read->events.size() == 1);
  CHECK(json::parse(read->events[0]).at("pid") == 0);
}

TEST_CASE("a file that is not a profile of Ringside is refused") {
  for (const char* text : {"", "[]", "{}", R"({"traceEvents":[]})",
                           R"({"baseTimeNanoseconds":1,"ringside":{"wall_minus_mono_ns":"x"}})"}) {
    const auto read = session::rank_profile(3, text, at_us);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.starts_with("the profile of rank 3 cannot be read: "));
  }
}

}  // namespace
}  // namespace ringside
