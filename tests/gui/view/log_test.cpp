#include "gui/view/live/log_view.h"

#include "gui/view/live/event_strip.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"
#include "tests/support/failed_run.h"

using namespace ringside;
using namespace ringside::view;
using messages::Severity;
using support::model_of;

namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> texts_of(const std::vector<LogLine>& lines) {
  std::vector<std::string> texts;
  for (const LogLine& line : lines) texts.push_back(line.text);
  return texts;
}

model::RunModel with_notices() {
  model::RunModel model;
  messages::RankHello hello;
  hello.world_size = 2;
  model.accept({0, 0, 0, 10}, hello);
  model.accept({0, 1, 0, 11}, hello);
  model.accept({0, 1, 1, 30}, messages::Notice{Severity::kWarning, "slow", "Data wait 14.8 ms"});
  model.accept({0, kNoRank, 0, 20}, messages::Notice{Severity::kInfo, "hi", "started"});
  model.accept({0, kNoRank, 1, 40}, messages::Notice{Severity::kError, "disk", "disk full"});
  return model;
}

}  // namespace

TEST_CASE("Bytes become readable lines") {
  CHECK(clean_lines("one\ntwo\n", false, 10) == Lines{"one", "two"});
  CHECK(clean_lines("one\n\ntwo", false, 10) == Lines{"one", "", "two"});
  CHECK(clean_lines("", false, 10).empty());
  CHECK(clean_lines("windows\r\n", false, 10) == Lines{"windows"});
  CHECK(clean_lines("10 %\r55 %\r100 %\n", false, 10) == Lines{"100 %"});
  CHECK(clean_lines("\x1b[31mred\x1b[0m \x1b]0;title\x07plain", false, 10) == Lines{"red plain"});
  CHECK(clean_lines("a\tb\x01\x7f", false, 10) == Lines{"a    b"});
  CHECK(clean_lines("\x1b", false, 10) == Lines{""});
  CHECK(clean_lines("\x1b[", false, 10) == Lines{""});
}

TEST_CASE("Text that is not UTF-8 is replaced byte by byte") {
  CHECK(clean_lines("größe 3×", false, 10) == Lines{"größe 3×"});
  CHECK(clean_lines("a\xffz", false, 10) == Lines{"a�z"});
  CHECK(clean_lines("cut \xe2\x82", false, 10) == Lines{"cut ��"});
  CHECK(clean_lines("\xc0\xaf", false, 10) == Lines{"��"});       // Overlong.
  CHECK(clean_lines("\xed\xa0\x80", false, 10) == Lines{"���"});  // A surrogate.
  CHECK(clean_lines("\xf0\x9f\x98\x80", false, 10) == Lines{"😀"});
}

TEST_CASE("Only the newest lines are kept, and an incomplete first one is left out") {
  CHECK(clean_lines("1\n2\n3\n4\n", false, 2) == Lines{"3", "4"});
  CHECK(clean_lines("half\nwhole\n", true, 10) == Lines{"whole"});
  CHECK(clean_lines("half", true, 10).empty());
}

TEST_CASE("Events of the run are in the order in which they happened") {
  const auto model = with_notices();
  CHECK(texts_of(event_lines(model)) == Lines{"started", "Data wait 14.8 ms", "disk full"});
  const auto demo = model_of(support::demo_small(4));
  const auto lines = texts_of(event_lines(demo));
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front() == "run: Starting");
  CHECK(lines.back() == "run: Finished");
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const std::string& text) { return text.starts_with("epoch "); }) == 3);
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& text) {
          return text.starts_with("checkpoint saved: ");
        }) == 3);
}

TEST_CASE("Tabs are one per rank, with the warnings of each") {
  const LogView view = build_log(with_notices(), {}, {});
  REQUIRE(view.tabs.size() == 4);
  CHECK(view.tabs[0].label == label::kAllRanks);
  CHECK(view.tabs[2].label == "Rank 1");
  CHECK(view.tabs[2].warnings == 1);
  CHECK(view.tabs[3].label == label::kLauncher);
  CHECK(view.tabs[3].warnings == 1);
}

TEST_CASE("The log is filtered by rank, severity and text") {
  const auto model = with_notices();
  const std::vector<RankText> texts{{0, false, "hello from 0\nloss 1.5\n", false},
                                    {1, true, "Traceback\n", false}};
  LogChoice choice;
  CHECK(build_log(model, texts, choice).lines.size() == 6);
  choice.all = false;
  choice.rank = 0;
  CHECK(texts_of(build_log(model, texts, choice).lines) == Lines{"hello from 0", "loss 1.5"});
  choice.all = true;
  choice.lowest = Severity::kWarning;
  CHECK(texts_of(build_log(model, texts, choice).lines) ==
        Lines{"Traceback", "Data wait 14.8 ms", "disk full"});
  choice.lowest = Severity::kInfo;
  choice.filter = "LOSS";
  CHECK(texts_of(build_log(model, texts, choice).lines) == Lines{"loss 1.5"});
  choice.filter = "/^hello|full$/";
  CHECK(texts_of(build_log(model, texts, choice).lines) == Lines{"hello from 0", "disk full"});
}

TEST_CASE("The lines of one node are those of its ranks and its agent") {
  auto options = support::demo_small(4);
  options.nodes = 2;
  auto model = support::model_of(options);
  model.accept({1, kNoRank, 500'000, model.last_ns() + 1},
               messages::Notice{Severity::kWarning, "n", "disk of node 1"});
  const std::vector<RankText> texts{{0, false, "hello from 0\n", false},
                                    {2, false, "hello from 2\n", false}};
  LogChoice choice;
  choice.node = 1;
  const LogView view = build_log(model, texts, choice);
  const Lines lines = texts_of(view.lines);
  CHECK(std::find(lines.begin(), lines.end(), "hello from 2") != lines.end());
  CHECK(std::find(lines.begin(), lines.end(), "hello from 0") == lines.end());
  CHECK(std::find(lines.begin(), lines.end(), "node 1: disk of node 1") != lines.end());
  const auto tab = std::find_if(view.tabs.begin(), view.tabs.end(),
                                [](const LogTab& one) { return one.label == "Node 1"; });
  REQUIRE(tab != view.tabs.end());
  CHECK(tab->warnings >= 1);
  CHECK(tab->is_of(choice));
  CHECK_FALSE(view.tabs.front().is_of(choice));
  // With one node there is nothing to choose.
  for (const LogTab& one : build_log(with_notices(), texts, {}).tabs) CHECK(one.node == kNoNode);
}

TEST_CASE("An invalid pattern is reported, and an endless line crashes nothing") {
  const auto model = with_notices();
  LogChoice choice;
  choice.filter = "/(/";
  CHECK_FALSE(build_log(model, {}, choice).filter_error.empty());
  choice.filter = "/(a*)*b/";
  const std::string endless(3'000'000, 'x');
  const std::vector<RankText> texts{{0, false, endless, false}};
  CHECK(build_log(model, texts, choice).lines.empty());
}

TEST_CASE("Lines are sorted by the time at which the agent saw them, across streams") {
  model::RunModel model;
  messages::RankHello hello;
  hello.wall_ns = 1'000'000'000'000;
  model.accept({0, 0, 0, 0}, hello);
  const std::int64_t offset = *model.wall_offset_ns();
  const auto notice = [&](std::int64_t at_ns, const char* text) {
    model.accept({0, kNoRank, 0, at_ns}, messages::Notice{Severity::kInfo, "n", text});
  };
  notice(100, "early");
  notice(250, "late");
  const std::vector<runlog::OutputMark> marks{{offset + 200, 4, 4}, {offset + 300, 8, 4}};
  const std::vector<RankText> texts{{0, false, "ut1\nut2\nut3\n", true, 4, marks},
                                    {0, false, "o 1\no 2\no 3\n", false, 0, marks},
                                    {0, true, "e 1\n", false, 0, marks},
                                    {kNoRank, false, "launcher\n", false, 0, {}}};
  const auto lines = build_log(model, texts, {}).lines;
  CHECK(texts_of(lines) ==
        Lines{"launcher", "early", "o 1", "e 1", "late", "o 2", "ut2", "ut3", "o 3"});
  CHECK(lines[0].time.empty());
  CHECK(lines[2].time == wall_clock_text(offset + 200));
  CHECK(lines[8].time.empty());
}

TEST_CASE("Lines of a node whose wall clock is ahead are beside the events they belong to") {
  constexpr std::int64_t kS = 1'000'000'000;
  model::RunModel model;
  messages::RankHello hello;
  hello.wall_ns = 10'000 * kS;
  model.accept({0, 0, 0, 1000 * kS}, hello);
  hello.wall_ns = 10'030 * kS;
  model.accept({1, 1, 0, 5000 * kS}, hello);
  model.accept({1, kNoRank, 0, 5000 * kS}, messages::ClockSync{0, -4000 * kS, 1000});
  const auto notice = [&](std::int64_t at_ns, const char* text) {
    model.accept({0, kNoRank, 0, at_ns}, messages::Notice{Severity::kInfo, "n", text});
  };
  notice(1006 * kS, "before");
  notice(1008 * kS, "after");
  const std::vector<runlog::OutputMark> here{{10'007 * kS, 5, 0}};
  const std::vector<runlog::OutputMark> ahead{{10'037 * kS, 5, 0}};
  const std::vector<RankText> texts{{1, false, "of 1\n", false, 0, ahead},
                                    {0, false, "of 0\n", false, 0, here}};
  const auto lines = build_log(model, texts, {}).lines;
  REQUIRE(texts_of(lines) == Lines{"before", "of 1", "of 0", "after"});
  CHECK(lines[1].time == wall_clock_text(10'007 * kS));
  CHECK(lines[2].time == lines[1].time);
}

TEST_CASE("A program that sent no telemetry is not described as one that never began") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  const model::RunModel silent(spec);
  RunContext over;
  over.contact = Contact::kInterrupted;
  CHECK(plain(build_loss_chart(silent, over, {}, {}, 400, 200).empty) ==
        "The program of this run sent no telemetry. What it prints is in the log.");
  CHECK(plain(build_rank_table(silent, over, {}).table.empty) ==
        "No rank has sent telemetry. What it prints is in the log.");
}

TEST_CASE("Lines beyond the limit are counted") {
  model::RunModel model;
  for (int i = 0; i < 30; ++i)
    model.accept({0, kNoRank, 0, i}, messages::Notice{Severity::kInfo, "n", std::to_string(i)});
  LogChoice choice;
  choice.most_lines = 10;
  const LogView view = build_log(model, {}, choice);
  CHECK(view.lines.size() == 10);
  CHECK(view.lines.back().text == "29");
  CHECK(view.hidden == "20 earlier lines");
}

TEST_CASE("Empty logs say so") {
  const model::RunModel empty;
  CHECK(plain(build_log(empty, {}, {}).empty) == label::kNoOutput);
  LogChoice choice;
  choice.filter = "x";
  CHECK(plain(build_log(empty, {}, choice).empty) == label::kNoMatchingLine);
}

TEST_CASE("Lines have the time of day if a hello reported it") {
  const auto demo = model_of(support::demo_small(1));
  for (const LogLine& line : event_lines(demo)) CHECK(line.time.size() == 12);
  CHECK(event_lines(with_notices()).front().time.empty());
}

TEST_CASE("A date is above the first line of a day that is not today") {
  constexpr std::int64_t kDayNs = std::int64_t{24} * 3600 * 1'000'000'000;
  model::RunModel model;
  messages::RankHello hello;
  hello.world_size = 1;
  hello.wall_ns = 20 * kDayNs + kDayNs / 2;
  model.accept({0, 0, 0, 1000}, hello);
  const auto told = [&model](std::uint64_t seq, std::int64_t at_ns, const char* text) {
    model.accept({0, kNoRank, seq, at_ns}, messages::Notice{Severity::kInfo, "x", text});
  };
  told(0, 2000, "first");
  told(1, 3000, "second");
  told(2, 2 * kDayNs, "two days later");
  const std::int64_t today = hello.wall_ns;
  const auto date = [](std::int64_t wall_ns) { return date_time_text(wall_ns).substr(0, 10); };
  const std::string later = date(hello.wall_ns + 2 * kDayNs);
  CHECK(texts_of(build_log(model, {}, {}, nullptr, today).lines) ==
        Lines{"first", "second", later, "two days later"});
  CHECK(texts_of(build_log(model, {}, {}, nullptr, today + 5 * kDayNs).lines) ==
        Lines{date(today), "first", "second", later, "two days later"});
  CHECK(build_log(model, {}, {}).lines.size() == 3);
  RunContext context;
  context.today_wall_ns = today;
  const auto moments = build_event_strip(model, context, {}).moments;
  REQUIRE(moments.size() >= 3);
  CHECK(moments.front().time == date_time_text(hello.wall_ns + 2 * kDayNs - 1000));
  CHECK(moments.back().time.size() == 12);
}

TEST_CASE("the colors of terminal escape sequences become colors of the theme") {
  const auto lines = styled_lines(
      "plain \x1b[1;31mred\x1b[0m "
      "end\n\x1b[38;5;196mours\x1b[92mgreen\n\x1b[38;2;1;2;33mx\x1b[33my",
      false, 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].text == "plain red end");
  CHECK(lines[0].color == std::vector<ColorSpan>{{6, Tone::kError, true}, {9, Tone::kText, false}});
  CHECK(lines[1].text == "oursgreen");
  CHECK(lines[1].color == std::vector<ColorSpan>{{4, Tone::kOk, false}});
  CHECK(lines[2].text == "xy");
  CHECK(lines[2].color == std::vector<ColorSpan>{{1, Tone::kWarning, false}});
}

TEST_CASE("The level of a line follows from its words") {
  using messages::Severity;
  LevelGuess guess;
  CHECK(guess.of("INFO all is well") == Severity::kInfo);
  CHECK(guess.of("2026-01-01 WARNING low memory") == Severity::kWarning);
  CHECK(guess.of("Traceback (most recent call last):") == Severity::kError);
  CHECK(guess.of("  File \"train.py\", line 3, in <module>") == Severity::kError);
  CHECK(guess.of("KeyboardInterrupt") == Severity::kError);
  CHECK(guess.of("and then") == Severity::kInfo);
  CHECK(guess.of("RuntimeError: no") == Severity::kError);
}

TEST_CASE("The rank that failed first is listed before the others") {
  support::DemoOptions options = support::demo_small(4);
  options.killed_rank = 2;
  const auto model = model_of(options);
  const LogView view = build_log(model, {}, {});
  CHECK(view.first_failed == 2);
  REQUIRE(view.tabs.size() == 6);
  CHECK(view.tabs[1].rank == 2);
  CHECK(view.tabs[1].failed);
  CHECK(view.tabs[2].rank == 0);
  CHECK(build_log(model_of(support::demo_small(2)), {}, {}).first_failed == kNoRank);
}

TEST_CASE("The rank that is the cause is first, not a victim that failed before it") {
  model::RunModel model;
  support::play_failure({0, 1, 3}, "node 1 (b): rank 3: killed by SIGKILL", model);
  const LogView view = build_log(model, {}, {});
  CHECK(view.first_failed == 3);
  CHECK(view.tabs[1].rank == 3);
  CHECK(view.tabs[1].failed);
}

TEST_CASE("No rank is first if a node is gone and the others are its victims") {
  model::RunModel model;
  support::play_failure({0, 1}, support::kNodeGone, model);
  const LogView view = build_log(model, {}, {});
  CHECK(view.first_failed == kNoRank);
  for (const LogTab& tab : view.tabs) CHECK_FALSE(tab.failed);
}

TEST_CASE("Results of a search in the whole files replace the newest lines") {
  const auto model = model_of(support::demo_small(2));
  LogChoice choice;
  choice.filter = "nan";
  CHECK(build_log(model, {}, choice).can_search);
  LogSearch search;
  search.text = "nan";
  search.running = true;
  CHECK(build_log(model, {}, choice, &search).searched == label::kSearching);
  search.running = false;
  search.found = {{0, 1204, "loss is nan", {{8, Tone::kError, true}}}, {1, 3, "nan"}};
  search.matches = 12;
  search.files = 2;
  search.bytes = 1'000'000'000;
  const LogView view = build_log(model, {}, choice, &search);
  REQUIRE(view.lines.size() == 2);
  CHECK(view.lines[0].time == "line 1,204");
  CHECK(view.lines[0].color == std::vector<ColorSpan>{{8, Tone::kError, true}});
  CHECK(view.lines[1].color.empty());
  CHECK(view.searched == "The last 2 of 12 lines with \"nan\" in 2 files, 1,000.0 MB read");
  choice.all = false;
  choice.rank = 1;
  CHECK(build_log(model, {}, choice, &search).lines.size() == 1);
}

TEST_CASE("An epoch that was stopped before its end is not called done") {
  const auto model = support::model_stopped_within(messages::Phase::kTrain);
  std::string all;
  for (const std::string& text : texts_of(build_log(model, {}, {}).lines)) all += text + "\n";
  INFO(all);
  CHECK(all.find("epoch 2 done: ") != std::string::npos);
  CHECK(all.find("epoch 3 ended after 20 of 40 steps: ") != std::string::npos);
  CHECK(all.find("epoch 3 done") == std::string::npos);
}
