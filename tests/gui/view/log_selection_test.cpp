// The selected part of a log, as copied to the clipboard and to a file.
#include "gui/view/live/log_selection.h"

#include <algorithm>

#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

LogLine made_line(const std::string& text, Rank rank, LogStream stream, std::uint64_t key) {
  LogLine line;
  line.time = "14:32:07.912";
  line.rank = rank;
  line.stream = stream;
  line.text = text;
  line.key = key;
  return line;
}

std::vector<LogLine> three_lines() {
  return {made_line("first line", 0, LogStream::kOut, 11),
          made_line("second line", 2, LogStream::kErr, 12),
          made_line("run: Finished", kNoRank, LogStream::kNone, 13)};
}

LogSelection between(std::size_t line, std::size_t byte, std::size_t to_line, std::size_t to_byte) {
  return {{line, byte, line + 11}, {to_line, to_byte, to_line + 11}};
}

}  // namespace

TEST_CASE("a selection is copied as it reads, from either end") {
  const auto lines = three_lines();
  CHECK(selected_text(lines, between(0, 6, 0, 10), false) == "line");
  CHECK(selected_text(lines, between(0, 10, 0, 6), false) == "line");
  CHECK(selected_text(lines, between(0, 6, 1, 6), false) == "line\nsecond");
  CHECK(selected_text(lines, between(2, 3, 0, 6), false) == "line\nsecond line\nrun");
  CHECK(selected_text(lines, between(0, 4, 0, 4), false).empty());
  CHECK(selected_text(lines, between(0, 0, 1, 0), true) == timed_text(lines[0]) + "\n");
  CHECK(selected_text(lines, all_lines(lines), false) == "first line\nsecond line\nrun: Finished");
}

TEST_CASE("lines are copied and saved with their time, rank and stream") {
  const auto lines = three_lines();
  CHECK(selected_text(lines, all_lines(lines), true) ==
        "14:32:07.912  r0 stdout  first line\n"
        "14:32:07.912  r2 stderr  second line\n"
        "14:32:07.912  run: Finished");
  LogLine day;
  day.day = true;
  day.text = "2026-11-30";
  CHECK(timed_text(day) == "2026-11-30");
  CHECK(log_file_name({}) == "log_all.txt");
  LogChoice choice;
  choice.node = 1;
  CHECK(log_file_name(choice) == "log_node_1.txt");
  choice.all = false;
  CHECK(log_file_name(choice) == "log_launcher.txt");
  choice.rank = 3;
  CHECK(log_file_name(choice) == "log_rank_3.txt");
}

TEST_CASE("a selection stays on its lines while others are added or removed") {
  auto lines = three_lines();
  LogSelection selection = between(1, 0, 2, 4);
  lines.insert(lines.begin(), made_line("zeroth", 0, LogStream::kOut, 10));
  selection.follow(lines);
  CHECK(selection.anchor.line == 2);
  CHECK(selected_text(lines, selection, false) == "second line\nrun:");
  lines.erase(lines.begin(), lines.begin() + 2);
  selection.follow(lines);
  CHECK(selected_text(lines, selection, false) == "second line\nrun:");
  lines.erase(lines.begin());
  selection.follow(lines);
  CHECK_FALSE(selection.any());
}

TEST_CASE("a word ends where a path, a number or a name does") {
  const std::string text = "saved /runs/a-1/w.pt (3.5 MB), rank=2";
  const auto word = [&text](const char* at) {
    const LogPart part = word_around(text, text.find(at));
    return text.substr(part.begin, part.end - part.begin);
  };
  CHECK(word("a-1") == "/runs/a-1/w.pt");
  CHECK(word("5 MB") == "3.5");
  CHECK(word("MB") == "MB");
  CHECK(word("2") == "2");
  CHECK(word("(") == "(");
  CHECK(word_around("", 0) == LogPart{});
  CHECK(word_around("end", 3) == LogPart{0, 3, false});
}

TEST_CASE("every line has its stream, and no two lines have the same key") {
  const auto model = support::model_of(support::demo_small(2));
  const std::vector<RankText> texts{{0, false, "a\na\n"},
                                    {0, true, "a\n"},
                                    {1, false, "a\n"},
                                    {kNoRank, false, "of the agent\n"}};
  const auto lines = build_log(model, texts, {}).lines;
  std::vector<std::uint64_t> keys;
  std::size_t errors = 0;
  for (const LogLine& line : lines) {
    keys.push_back(line.key);
    errors += line.stream == LogStream::kErr ? 1 : 0;
    if (line.text == "of the agent") CHECK(line.stream == LogStream::kNone);
  }
  CHECK(errors == 1);
  std::ranges::sort(keys);
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
}
