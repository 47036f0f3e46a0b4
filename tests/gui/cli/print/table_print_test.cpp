// Tables for the terminal and as JSON: the same cells, as text and as values.
#include "gui/cli/print/table_print.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "gui/cli/print/terminal.h"
#include "gui/view/table_cells.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::cli;
using view::add_row;
using view::number_column;
using view::text_cell;

namespace {

view::Table losses() {
  view::Table table{"losses", "Loss by rank"};
  table.columns = {{"rank", "rank"}, number_column("loss", "loss", "nats"), {"id", ""}};
  add_row(table, {text_cell("r0"), {0.5, "0.5"}, {std::int64_t{7}, ""}});
  add_row(table, {text_cell("r\n1", view::Tone::kError), view::unknown_cell(), {}});
  table.totals = {{"all", {text_cell("all"), {std::nan(""), "NaN"}, {true, ""}}}};
  table.notes = {"a note"};
  return table;
}

}  // namespace

TEST_CASE("the terminal shows headers with units, right-aligned numbers, and totals last") {
  CHECK(table_text(losses(), false) ==
        "rank  loss nats\nr0          0.5\nr\\n1          –\nall         NaN\n");
  const std::string colored = table_text(losses(), true);
  CHECK(colored.find(painted("r\\n1", view::Tone::kError, true)) != std::string::npos);
  view::Table bare = losses();
  bare.heads = false;
  CHECK(table_text(bare, false).starts_with("r0"));
}

TEST_CASE("columns are as wide as their widest cell without colors") {
  view::Table table{"", "", {number_column("n", "n"), {"state", "state"}}};
  add_row(table, {text_cell("12"), text_cell("ab", view::Tone::kError)});
  add_row(table, {text_cell("3"), text_cell("abc")});
  CHECK(table_text(table, true)
            .ends_with("\n12  " + painted("ab", view::Tone::kError, true) + "\n 3  abc\n"));
  CHECK(table_text(view::Table(), true).empty());
}

TEST_CASE("a table with few rows and many columns is transposed") {
  view::Table table = losses();
  table.transposed = true;
  CHECK(table_text(table, false) == "rank       r0   r\\n1\nloss nats  0.5  –\n");
}

TEST_CASE("texts are wrapped if the terminal is narrow, and numbers are not") {
  view::Table table;
  table.columns = {{"key", "key"}, number_column("n", "n"), {"short", "short"}, {"text", "text"}};
  add_row(table, {text_cell("optimizer.lr"),
                  {0.0, "1,234,567"},
                  text_cell("a b"),
                  text_cell("words that do not fit into the line that there is", view::Tone::kOk)});
  const std::string whole = table_text(table, false);
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 2);
  for (const std::size_t width : {45U, 50U, 60U}) {
    const std::string text = table_text(table, false, width);
    INFO(width << "\n" << text);
    std::istringstream lines(text);
    std::string words;
    for (std::string line; std::getline(lines, line);) {
      CHECK(shown_width(line) <= width);
      for (const char letter : line) {
        if (letter != ' ') words += letter;
      }
    }
    CHECK(text.find("optimizer.lr  1,234,567  ") != std::string::npos);
    CHECK(words.find("1,234,567") != std::string::npos);
    CHECK(words.find("there") != std::string::npos);
  }
  CHECK(table_text(table, false, 200) == whole);
  // Columns at their minimum width are not narrowed further.
  CHECK(table_text(table, false, 5).find("optimizer.lr  1,234,567") != std::string::npos);
}

TEST_CASE("tables have titles, and those of a run come after its name") {
  view::Table about = losses();
  about.run = "x";
  CHECK(tables_text({losses(), about, about}, false) ==
        "Loss by rank\n" + table_text(losses(), false) + "a note\n\nRun x\n\nLoss by rank\n" +
            table_text(losses(), false) + "a note\n\nLoss by rank\n" + table_text(losses(), false) +
            "a note\n");
}

TEST_CASE("JSON has values by key, including those not shown as text, with totals after the rows") {
  const Json json = table_json(losses());
  CHECK(dump(json) ==
        "{\"id\":\"losses\",\"title\":\"Loss by rank\",\"run\":null,\"rows\":["
        "{\"rank\":\"r0\",\"loss\":0.5,\"id\":7},"
        "{\"rank\":\"r\\n1\",\"loss\":null,\"id\":null},"
        "{\"rank\":\"all\",\"loss\":null,\"id\":true}],\"notes\":[\"a note\"]}");
}
