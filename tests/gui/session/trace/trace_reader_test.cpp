// Tests traces of other programs, complete, unusual and damaged: which events are read, and the
// notices.
#include "gui/session/trace/trace_reader.h"

#include <zlib.h>

#include <fstream>

#include "gui/session/trace/step_timeline.h"
#include "gui/session/trace/step_trace.h"
#include "gui/session/trace/trace_events.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using session::read_traces;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

void write_gzip(const fs::path& file, const std::string& text) {
  const gzFile to = gzopen(file.c_str(), "wb");
  REQUIRE(gzwrite(to, text.data(), static_cast<unsigned>(text.size())) ==
          static_cast<int>(text.size()));
  REQUIRE(gzclose(to) == Z_OK);
}

Result<model::Timeline> read_files(const std::vector<fs::path>& files) {
  session::TraceProgress progress;
  return read_traces(files, progress);
}

Result<model::Timeline> read_json(const std::string& text) {
  TempFolder folder;
  write(folder.path() / "t.json", text);
  return read_files({folder.path() / "t.json"});
}

/// Returns "name@begin+duration" of every event, by track and lane.
std::vector<std::string> spans_in(const model::Timeline& timeline) {
  std::vector<std::string> events;
  for (const auto& track : timeline.tracks) {
    for (const auto& lane : track.lanes) {
      for (std::size_t i = 0; i < lane.size(); ++i)
        events.push_back(timeline.names[lane.name[i]].text + "@" +
                         std::to_string(lane.begin_ns[i]) + "+" +
                         std::to_string(lane.duration_ns(i)));
    }
  }
  return events;
}

using Events = std::vector<std::string>;

constexpr const char* kTwo =
    R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":10,"dur":5.25},)"
    R"({"ph":"X","name":"b","cat":"cpu_op","pid":1,"tid":2,"ts":11.4999999999,"dur":1,"args":{"x":["}",{}]}}])";

TEST_CASE("a bare list and an object of events give the same timeline, compressed or not") {
  TempFolder folder;
  const std::string object =
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"]}"}],"traceEvents": )" +
      std::string(kTwo) + R"(, "traceName":"x", "stackFrames":{"1":{"name":"\"}"}}})";
  write(folder.path() / "bare.json", kTwo);
  write(folder.path() / "object.json", object);
  write_gzip(folder.path() / "object.json.gz", object);
  for (const char* const name : {"bare.json", "object.json", "object.json.gz"}) {
    INFO(name);
    CHECK(session::is_trace(folder.path() / name));
    const auto made = read_files({folder.path() / name});
    REQUIRE(made);
    CHECK(spans_in(*made) == Events{"a@0+5250", "b@1500+1000"});
    CHECK(made->notices.empty());
  }
}

TEST_CASE("begin and end events are joined to spans, nested and asynchronous ones too") {
  const auto made =
      read_json(R"([{"ph":"B","name":"outer","pid":"p","tid":"t","ts":1},)"
                R"({"ph":"B","name":"inner","pid":"p","tid":"t","ts":2},)"
                R"({"ph":"E","pid":"p","tid":"t","ts":3},{"ph":"E","pid":"p","tid":"t","ts":5},)"
                R"({"ph":"b","name":"x","cat":"io","id":"0x1","pid":"p","ts":1},)"
                R"({"ph":"b","name":"y","cat":"io","id":"0x2","pid":"p","ts":2},)"
                R"({"ph":"e","name":"x","cat":"io","id":"0x1","pid":"p","ts":4},)"
                R"({"ph":"e","name":"y","cat":"io","id":"0x2","pid":"p","ts":3}])");
  REQUIRE(made);
  CHECK(spans_in(*made) == Events{"x@0+3000", "y@1000+1000", "outer@0+4000", "inner@1000+1000"});
  CHECK(made->tracks[0].process == "process p");
  CHECK(made->tracks[0].title == "overlapping");
  CHECK(made->tracks[1].title == "thread t");
}

TEST_CASE("events without a valid time, a begin or an end are counted and named") {
  const auto made = read_json(
      R"([{"ph":"X","name":"good","pid":1,"tid":1,"ts":1,"dur":2},{},)"
      R"({"ph":"X","name":"moment","pid":1,"tid":1,"ts":2},)"
      R"({"ph":"X","name":"no time","pid":1,"tid":1,"dur":2},)"
      R"({"ph":"X","name":"nan","pid":1,"tid":1,"ts":NaN,"dur":2},)"
      R"({"ph":"X","name":"inf","pid":1,"tid":1,"ts":1,"dur":Infinity},)"
      R"({"ph":"X","name":"text","pid":1,"tid":1,"ts":"1","dur":2},)"
      R"({"ph":"X","name":"huge","pid":1,"tid":1,"ts":1e300,"dur":2},)"
      R"({"ph":"X","name":"negative","pid":1,"tid":1,"ts":1,"dur":-2},)"
      R"({"ph":"X","name":"exponent","pid":1,"tid":1,"ts":0.5e1,"dur":1e-1},)"
      R"({"ph":"B","name":"open","pid":1,"tid":1,"ts":3},{"ph":"E","pid":1,"tid":9,"ts":3},)"
      R"({"ph":"i","name":"instant","pid":1,"tid":1,"ts":3},{"ph":"C","name":"c","pid":1,"ts":3}])");
  REQUIRE(made);
  CHECK(spans_in(*made) == Events{"good@0+2000", "exponent@4000+100", "moment@1000+0"});
  CHECK(made->notices == Events{"3 instants, counters and flows are not shown.",
                                "6 events without a valid time are left out.",
                                "1 event that was begun and never ended is left out.",
                                "1 end of an event that was never begun is left out."});
}

TEST_CASE("processes and threads have the names in the file, which may be any text") {
  const auto made = read_json(
      R"([{"ph":"M","name":"process_name","pid":3,"args":{"name":"rank 2, node 0"}},)"
      R"({"ph":"M","name":"thread_name","pid":3,"tid":7,"args":{"name":"main \"x\" é"}},)"
      R"({"ph":"X","name":"a\n\"b\" \u00e9","cat":"cpu_op","pid":3,"tid":7,"ts":1,"dur":1},)"
      R"({"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1},)"
      R"({"ph":"M","name":"process_name","pid":0,"args":null},)"
      R"({"ph":"M","name":"process_name","pid":0,"args":{"name":5}}])");
  REQUIRE(made);
  REQUIRE(made->tracks.size() == 2);
  CHECK(made->tracks[0].rank == 2);
  CHECK(made->tracks[0].title == "main \"x\" é");
  CHECK(made->names[0].text == "a\\n\"b\" é");
  CHECK(made->tracks[1].kind == model::TrackKind::kGpu);
  CHECK(made->tracks[1].title == "stream 7");
  CHECK(made->tracks[1].rank == kNoRank);
}

std::string of_rank(const std::string& head, int at_us) {
  return "{" + head +
         R"("traceEvents":[{"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":)" +
         std::to_string(at_us) + R"(,"dur":1}]})";
}

TEST_CASE("several files become several ranks on a common clock") {
  TempFolder folder;
  const auto file = [&](const char* name, const std::string& text) {
    write(folder.path() / name, text);
    return folder.path() / name;
  };
  const auto one = file("one.json", of_rank(R"("distributedInfo":{"rank":1,"world_size":2},)"
                                            R"("baseTimeNanoseconds":5000,)",
                                            10));
  const auto zero = file("zero.json", of_rank(R"("distributedInfo":{"rank":0},)"
                                              R"("baseTimeNanoseconds":9000,)",
                                              10));
  const auto made = read_files({one, zero});
  REQUIRE(made);
  CHECK(made->ranks() == std::vector<Rank>{0, 1});
  CHECK(spans_in(*made) == Events{"a@4000+1000", "a@0+1000"});
  const auto twice = read_files({one, one});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().kind == ErrorKind::kRequest);
  CHECK(twice.error().message.find("are both of rank 1") != std::string::npos);
  // Files without a rank are numbered in their order.
  const auto plain = file("plain.json", of_rank("", 77)),
             other = file("other.json", of_rank("", 99));
  const auto placed = read_files({plain, other});
  REQUIRE(placed);
  CHECK(placed->ranks() == std::vector<Rank>{0, 1});
  CHECK(spans_in(*placed) == Events{"a@0+1000", "a@22000+1000"});
  const auto mixed = read_files({zero, other});
  REQUIRE(mixed);
  CHECK(spans_in(*mixed) == Events{"a@0+1000", "a@0+1000"});
  CHECK(mixed->notices == Events{"The files share no clock, so each begins at 0."});
}

TEST_CASE("a file that is not a trace is refused with its name, the position and the reason") {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "byte 0: a trace in JSON begins with { or ["},
      {"hello", "byte 0: a trace in JSON begins with { or ["},
      {"{}", "has no traceEvents: it is no trace"},
      {R"({"a":1})", "has no traceEvents: it is no trace"},
      {R"({"traceEvents":{}})", "byte 15: traceEvents is no list"},
      {"[]", "has no event with a duration"},
      {"[1]", "byte 1: an event begins with {"},
      {R"([{"ph":"X" "ts":1}])", "byte 1: this is no JSON"},
      {R"([{"ph":"X","ts":1)", "byte 1: the file ends in the middle"},
      {R"({"traceEvents":[{"ph":"X","na)", "byte 16: the file ends in the middle"},
      {R"({"other":[[{"x":1})", "the file ends in the middle"},
      {R"({"key)", "byte 1: the file ends in the middle"}};
  for (const auto& [text, why] : bad) {
    INFO(text);
    const auto made = read_json(text);
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::kRequest);
    CHECK(made.error().message.find("t.json") != std::string::npos);
    CHECK(made.error().message.find(why) != std::string::npos);
  }
  CHECK(read_files({"/nowhere/t.json"}).error().message ==
        "/nowhere/t.json is not a file that can be read");
}

TEST_CASE("the mark of UTF-8 at the beginning of a trace is skipped") {
  TempFolder folder;
  write(folder.path() / "t.json", "\xEF\xBB\xBF" + std::string(kTwo));
  CHECK(session::is_trace(folder.path() / "t.json"));
  const auto made = read_files({folder.path() / "t.json"});
  REQUIRE(made);
  CHECK(spans_in(*made) == Events{"a@0+5250", "b@1500+1000"});
}

TEST_CASE("times of today since 1970 are read, and times whose sum would overflow are left out") {
  const auto made =
      read_json(R"([{"ph":"X","name":"now","pid":1,"tid":1,"ts":1790000000000000,"dur":2},)"
                R"({"ph":"X","name":"later","pid":1,"tid":1,"ts":4000000000000000,"dur":2},)"
                R"({"ph":"X","name":"long","pid":1,"tid":1,"ts":1,"dur":4000000000000000}])");
  REQUIRE(made);
  CHECK(spans_in(*made) == Events{"now@0+2000"});
  CHECK(made->notices == Events{"2 events without a valid time are left out."});
}

TEST_CASE("files whose clocks lie further apart than a trace can last share no clock") {
  TempFolder folder;
  std::vector<fs::path> files;
  for (const char* const base : {"-9223372036854775807", "9223372036854775807"}) {
    files.push_back(folder.path() / (std::to_string(files.size()) + ".json"));
    write(files.back(), of_rank("\"baseTimeNanoseconds\":" + std::string(base) + ",", 10));
  }
  const auto made = read_files(files);
  REQUIRE(made);
  CHECK(spans_in(*made) == Events{"a@0+1000", "a@0+1000"});
  CHECK(made->notices == Events{"The files share no clock, so each begins at 0."});
}

TEST_CASE("a list that is truncated after an event is read, with a notice") {
  const auto made = read_json(R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":10,"dur":5},)");
  REQUIRE(made);
  CHECK(made->events == 1);
  CHECK(made->notices == Events{"t.json ends before its list of events does: it may be cut off."});
}

TEST_CASE("a compressed file that is truncated or changed is refused") {
  TempFolder folder;
  const fs::path file = folder.path() / "t.json.gz";
  std::string many = "[";
  for (int i = 0; i < 5000; ++i)
    many += R"({"ph":"X","name":"n)" + std::to_string(i * 7919) + R"(","pid":1,"tid":2,"ts":)" +
            std::to_string(i) + R"(,"dur":1},)";
  write_gzip(file, many + "{}]");
  const auto whole = read_files({file});
  REQUIRE(whole);
  CHECK(whole->events == 5000);
  fs::resize_file(file, fs::file_size(file) / 2);
  const auto cut = read_files({file});
  REQUIRE_FALSE(cut);
  CHECK(cut.error().message.find("is damaged or cut off") != std::string::npos);
}

TEST_CASE("a file that is read in many pieces gives the same timeline as in one piece") {
  TempFolder folder;
  const fs::path file = folder.path() / "t.json";
  std::string text = R"({"pad":")" + std::string(5'000'000, 'x') + R"(","traceEvents":[)";
  std::string wide(200'000, 'y');
  for (int i = 0; i < 100; ++i)
    text += R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":)" + std::to_string(i * 10) +
            R"(,"dur":5,"args":{"text":")" + wide + R"("}},)";
  write(file, text + R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]})");
  const auto made = read_files({file});
  REQUIRE(made);
  CHECK(made->events == 100);
  CHECK(made->tracks[0].process == "p");
  CHECK(made->tracks[0].lanes[0].begin_ns.back() == 990'000);
}

TEST_CASE("events that have not ended count toward the memory of a trace, and so does their text") {
  model::TimelineBuilder builder;
  session::LeftOutEvents left_out;
  session::TraceEvents events(builder, left_out);
  const std::string args(4000, ' ');
  session::RawEvent event;
  event.phase = "B";
  event.name = "a";
  event.category = "collective";
  event.process = event.thread = event.time = "1";
  event.args = args;
  events.add(event);
  const std::uint64_t first = events.load();
  CHECK(first >= 100);
  events.add(event);
  CHECK(events.load() >= first + 100);
  event.phase = "E";
  events.add(event);
  CHECK(events.load() <= first + 3);
  const std::string name(4000, 'n');
  event.phase = "X";
  event.name = name;
  const std::uint64_t before = events.load();
  events.add(event);
  CHECK(events.load() >= before + 200);
}

TEST_CASE("a read that is cancelled leaves nothing") {
  TempFolder folder;
  write(folder.path() / "t.json", kTwo);
  session::TraceProgress progress;
  progress.cancel = true;
  const auto made = read_traces({folder.path() / "t.json"}, progress);
  REQUIRE_FALSE(made);
  CHECK(made.error().message == "cancelled");
}

TEST_CASE("a trace that Ringside wrote is read back as the timeline of the run") {
  const support::MadeRun run = support::run_of({{{"dp", 2}}, 3, 1});
  TempFolder folder;
  const fs::path file = folder.path() / "steps.json";
  write(file, session::step_trace(run.model(), {0, 3}, "run").json);
  const auto back = read_files({file});
  REQUIRE(back);
  const auto direct = session::step_timeline(run.model(), {0, 3});
  CHECK(back->ranks() == direct.ranks());
  CHECK(back->events == direct.events);
  CHECK(back->steps == 3);
  CHECK(direct.steps == 3);
  REQUIRE(back->waits.size() == direct.waits.size());
  CHECK_FALSE(direct.waits.empty());
  const std::int64_t shift = back->waits[0].end_ns - direct.waits[0].end_ns;
  for (std::size_t i = 0; i < direct.waits.size(); ++i) {
    CHECK(back->waits[i].waiting == direct.waits[i].waiting);
    CHECK(back->waits[i].last == direct.waits[i].last);
    CHECK(back->waits[i].end_ns - direct.waits[i].end_ns == shift);
  }
  for (std::size_t i = 0; i < direct.tracks.size(); ++i) {
    CHECK(back->tracks[i].title == direct.tracks[i].title);
    CHECK(back->tracks[i].kind == direct.tracks[i].kind);
  }
}

TEST_CASE(
    "no cut and no changed byte of a trace makes the reader fail otherwise than with an error") {
  const std::string whole =
      R"({"baseTimeNanoseconds":5,"distributedInfo":{"rank":0},"traceEvents":[)"
      R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},)"
      R"({"ph":"b","cat":"collective","name":"x","id":1,"pid":1,"ts":1,"args":{"number":1}},)"
      R"({"ph":"e","cat":"collective","name":"x","id":1,"pid":1,"ts":3},)"
      R"({"ph":"X","name":"a\\\"b","pid":1,"tid":2,"ts":-10.5,"dur":5}]})";
  REQUIRE(read_json(whole));
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char odd : {'"', '{', ']', '\\', '\0', '9'}) {
      std::string text = whole;
      text[i] = odd;
      refused += read_json(text) ? 0 : 1;
    }
    refused += read_json(whole.substr(0, i)) ? 0 : 1;
  }
  CHECK(refused > 100);
}

}  // namespace
}  // namespace ringside
