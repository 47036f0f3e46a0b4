#include "gui/view/table_filter.h"

#include "gui/view/table_cells.h"
#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

/// Returns whether one word of a filter fits a cell.
bool word_fits(const std::string& word, const Cell& cell) {
  const auto tests = row_tests(word);
  REQUIRE(tests.size() == 1);
  return fits(tests[0], cell);
}

}  // namespace

TEST_CASE("a filter word has a column, a sign and a value, or matches any text of a row") {
  const auto tests = row_tests("  lr>=0.04 state:failed digits name=a=b >5 ");
  REQUIRE(tests.size() == 5);
  CHECK(tests[0].key == "lr");
  CHECK(tests[0].comparison == Comparison::kAtLeast);
  CHECK(tests[0].value == "0.04");
  CHECK(tests[1].comparison == Comparison::kHas);
  CHECK(tests[2].key.empty());
  CHECK(tests[3].value == "a=b");
  CHECK(tests[4].key.empty());
  CHECK(row_tests("").empty());
}

TEST_CASE("numbers are compared by size, and can be typed as a percentage") {
  const Cell cell{0.992, "99.2 %"};
  CHECK(word_fits("val>99%", cell));
  CHECK(word_fits("val>0.99", cell));
  CHECK_FALSE(word_fits("val<0.99", cell));
  CHECK(word_fits("val<=0.992", cell));
  CHECK(word_fits("val!=0.5", cell));
  CHECK_FALSE(word_fits("val>good", cell));
  CHECK_FALSE(word_fits("ranks:1", count_cell(12)));
  CHECK(word_fits("ranks:12", count_cell(12)));
  CHECK(word_fits("ranks<100", count_cell(12)));
  CHECK_FALSE(word_fits("ranks=nan", count_cell(12)));
}

TEST_CASE("a number equals the one that the cell prints, at that precision") {
  const Cell share{0.813962, "81.40"};
  CHECK(word_fits("val=81.4%", share));
  CHECK(word_fits("val=81.40%", share));
  CHECK(word_fits("val=0.814", share));
  CHECK(word_fits("val>=81.4%", share));
  CHECK_FALSE(word_fits("val!=81.4%", share));
  CHECK_FALSE(word_fits("val=81.41%", share));
  CHECK_FALSE(word_fits("val=81%", share));
  const Cell speedup{1.3441, "1.34×"};
  CHECK(word_fits("speedup=1.34", speedup));
  CHECK_FALSE(word_fits("speedup=1.3", speedup));
  CHECK_FALSE(word_fits("speedup=1.34%", speedup));
  CHECK_FALSE(word_fits("seconds=1", {83.2, "1:23"}));
}

TEST_CASE("texts are compared ignoring case") {
  CHECK(word_fits("state:fail", text_cell("Failed")));
  CHECK(word_fits("state=failed", text_cell("Failed")));
  CHECK_FALSE(word_fits("state=fail", text_cell("Failed")));
  CHECK(word_fits("name:0.1", text_cell("at 0.1")));
  CHECK(word_fits("started>2026-01-02", text_cell("2026-01-02T10:00:00Z")));
  // A state is sorted by its stage and filtered by its word.
  CHECK(word_fits("state:failed", {std::int64_t{5}, "Failed"}));
  CHECK(word_fits("state:nan", {std::int64_t{5}, "NaN/Inf"}));
  CHECK_FALSE(word_fits("state:nan", {std::int64_t{5}, "Failed"}));
  CHECK(word_fits("live=yes", yes_no_cell(true)));
}

TEST_CASE("an unknown value passes only the test for inequality") {
  for (const char* word : {"speedup>0", "speedup<9", "speedup=1", "speedup:1"})
    CHECK_FALSE(word_fits(word, unknown_cell()));
  CHECK(word_fits("speedup!=1", unknown_cell()));
}
