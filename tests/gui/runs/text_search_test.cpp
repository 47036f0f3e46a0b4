// The search through whole files finds what a simple search finds, also across block borders.
#include "gui/runs/text_search.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

const std::atomic<bool> kGoOn{false};

std::filesystem::path written(const TempFolder& folder, const std::string& text) {
  const auto path = folder.path() / "out";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace

TEST_CASE("lines are found with their numbers, ignoring case") {
  const TempFolder folder;
  const auto path = written(folder, "one\nTwo error\nthree\nERROR error\nlast Error");
  const auto found = runs::search_file(path, "error", 10, kGoOn).value();
  CHECK(found.matches == 3);
  CHECK(found.bytes == 42);
  REQUIRE(found.lines.size() == 3);
  CHECK(found.lines[0].line == 2);
  CHECK(found.lines[0].text == "Two error");
  CHECK(found.lines[1].line == 4);
  CHECK(found.lines[2].line == 5);
  CHECK(runs::search_file(path, "nothing", 10, kGoOn)->matches == 0);
  CHECK(runs::search_file(path, "", 10, kGoOn)->matches == 0);
  CHECK(runs::search_file(folder.path() / "missing", "x", 10, kGoOn)->matches == 0);
}

TEST_CASE("the last matches of a long file are kept, and all blocks are counted") {
  const TempFolder folder;
  std::string text;
  std::uint64_t wanted = 0;
  for (int line = 1; line <= 200'000; ++line) {
    const bool hit = line % 7 == 0;
    wanted += hit ? 1U : 0U;
    text += "step " + std::to_string(line) + (hit ? " loss is NaN here" : " fine") + "\n";
  }
  const auto path = written(folder, text);
  const auto found = runs::search_file(path, "nan", 3, kGoOn).value();
  CHECK(found.matches == wanted);
  CHECK(found.bytes == text.size());
  REQUIRE(found.lines.size() == 3);
  CHECK(found.lines[2].line == 199'997);
  CHECK(found.lines[2].text == "step 199997 loss is NaN here");
  CHECK(found.lines[0].line == 199'983);
}

TEST_CASE("a very long line is shortened around the match, and matches across borders are found") {
  const TempFolder folder;
  std::string text(5 << 20, 'x');
  text.replace(3 << 20, 6, "needle");
  const auto found = runs::search_file(written(folder, text), "needle", 10, kGoOn).value();
  CHECK(found.matches >= 1);
  CHECK(found.lines.front().text.find("needle") != std::string::npos);
  CHECK(found.lines.front().text.size() <= runs::kMostLineBytes);
  // The text starts at each offset around the end of a block.
  for (int shift = -8; shift <= 2; ++shift) {
    std::string border(static_cast<std::size_t>((1 << 20) + shift), '.');
    border[100] = '\n';
    border += "needle\nrest\n";
    const auto path = written(folder, border);
    INFO(shift);
    CHECK(runs::search_file(path, "needle", 10, kGoOn)->matches == 1);
  }
}

TEST_CASE("a cancelled search ends") {
  const TempFolder folder;
  const std::atomic<bool> cancelled{true};
  CHECK(runs::search_file(written(folder, "error\n"), "error", 10, cancelled)->bytes == 0);
}
