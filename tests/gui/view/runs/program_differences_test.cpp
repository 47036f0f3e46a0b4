// Tests of the rows with the differences of compared programs.
#include "gui/view/runs/program_differences.h"

#include <random>

#include "gui/launch/program/saved_program.h"
#include "gui/view/runs/line_changes.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using launch::SavedProgram;

namespace {

std::vector<std::vector<std::string>> rows_of(const std::vector<const SavedProgram*>& programs) {
  Table table;
  add_program_differences(programs, table);
  std::vector<std::vector<std::string>> rows;
  for (const TableRow& row : table.rows) {
    rows.emplace_back();
    for (const Cell& cell : row.cells) rows.back().push_back(cell.text);
  }
  return rows;
}

/// The same number, by the table of all common subsequences.
std::size_t fewest(const std::string& one, const std::string& other) {
  std::vector<std::vector<std::size_t>> common(one.size() + 1,
                                               std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 1; i <= one.size(); ++i)
    for (std::size_t j = 1; j <= other.size(); ++j)
      common[i][j] = one[i - 1] == other[j - 1] ? common[i - 1][j - 1] + 1
                                                : std::max(common[i - 1][j], common[i][j - 1]);
  return one.size() + other.size() - 2 * common.back().back();
}

}  // namespace

TEST_CASE("the number of changed lines is the smallest possible") {
  CHECK(text_of(line_changes("a\nb\nc\n", "a\nb\nc\n")).empty());
  CHECK(text_of(line_changes("a\nb\nc\n", "a\nx\ny\nc\n")) == "+2 −1");
  CHECK(text_of(line_changes("", "a\n")) == "+1");
  CHECK(text_of(line_changes("a\nb\n", "b\n")) == "−1");
  CHECK(text_of(line_changes("a", "a\n")).empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::to_string(i) + "\n";
  CHECK(text_of(line_changes(many, "")) == "> 400 lines");
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::string one;
    std::string other;
    for (auto i = random() % 12; i > 0; --i) one += static_cast<char>('a' + random() % 3);
    for (auto i = random() % 12; i > 0; --i) other += static_cast<char>('a' + random() % 3);
    const auto lines = [](const std::string& letters) {
      std::string text;
      for (const char letter : letters) text += std::string(1, letter) + "\n";
      return text;
    };
    const LineChanges changes = line_changes(lines(one), lines(other));
    INFO(one << " " << other);
    CHECK(changes.added + changes.removed == fewest(one, other));
    CHECK(one.size() + changes.added - changes.removed == other.size());
  }
}

TEST_CASE("compared programs differ in lines, versions and commits") {
  SavedProgram a;
  a.files = {{"model.py", "width = 1\n"}, {"train.py", "a\nb\nc\n"}};
  a.packages = {{"torch", "2.11.0"}, {"numpy", "2.0"}};
  a.commit = "0123456789abcdef";
  SavedProgram b = a;
  CHECK(rows_of({&a, &b}).empty());
  b.files = {{"train.py", "a\nB\nc\nd\n"}, {"model.py", "width = 1\n"}, {"extra.py", "x\n"}};
  b.packages = {{"torch", "2.12.0"}};
  b.commit = "fedcba9876543210";
  b.uncommitted = "diff";
  using Rows = std::vector<std::vector<std::string>>;
  CHECK(rows_of({&a, nullptr, &b, &a}) ==
        Rows{{"extra.py", "not used", "–", "1 line", "not used"},
             {"train.py", "3 lines", "–", "+2 −1", "the same"},
             {"commit", "0123456789ab", "–", "fedcba987654 and changes", "0123456789ab"},
             {"numpy", "2.0", "–", "not installed", "2.0"},
             {"torch", "2.11.0", "–", "2.12.0", "2.11.0"}});
  CHECK(rows_of({&a, nullptr}).empty());
}
