#include "gui/view/table.h"

#include <cmath>

#include "gui/view/table_cells.h"
#include "tests/support/catch.h"

namespace ringside::view {
namespace {

Table two_columns() {
  Table table;
  table.columns = {{.key = "name", .label = "Name"},
                   {.key = "time", .label = "Time", .unit = "ms", .align = Align::kRight},
                   {.key = "id", .label = ""}};
  return table;
}

void add(Table& table, const std::string& name, CellValue value, const std::string& text) {
  table.rows.push_back(
      {name, {{.value = name, .text = name}, {.value = std::move(value), .text = text}, {}}, {}});
}

std::string table_order_of(const Table& table) {
  std::string order;
  for (const TableRow& row : table.rows) order += row.key;
  return order;
}

TEST_CASE("rows are sorted by value, with unknown ones last in either direction") {
  Table table = two_columns();
  add(table, "a", 10.5, "10.5");
  add(table, "b", {}, "–");
  add(table, "c", std::int64_t{9}, "9");
  add(table, "d", std::nan(""), "NaN");
  add(table, "e", 1e6, "1,000,000");
  sort_rows(table, {"time", false});
  CHECK(table_order_of(table) == "caebd");
  sort_rows(table, {"time", true});
  CHECK(table_order_of(table) == "eacbd");
}

TEST_CASE("equal values keep their order, and an unknown column changes nothing") {
  Table table = two_columns();
  for (const char* name : {"x", "y", "z"}) add(table, name, std::int64_t{1}, "1");
  sort_rows(table, {"time", true});
  sort_rows(table, {"nothing", false});
  CHECK(table_order_of(table) == "xyz");
}

TEST_CASE("large whole numbers are not compared as floating point") {
  CHECK(value_before(std::int64_t{9007199254740992}, std::int64_t{9007199254740993}));
}

TEST_CASE("text for the clipboard has units in the head and no stray tabs") {
  Table table = two_columns();
  add(table, "a\tb\nc", 1.0, "1");
  table.totals.push_back(
      {"all", {{.value = {}, .text = "All"}, {.value = 1.0, .text = "1"}, {}}, {}});
  CHECK(table_tsv(table) == "Name\tTime (ms)\na b c\t1\nAll\t1\n");
}

TEST_CASE("a column without a head is in text if it has a value") {
  Table table = two_columns();
  add(table, "a", 1.0, "1");
  CHECK(text_columns(table) == std::vector<std::size_t>{0, 1});
  table.rows[0].cells[2].text = "x";
  CHECK(text_columns(table) == std::vector<std::size_t>{0, 1, 2});
  table.columns[1].in_text = false;  // drawn by the page
  CHECK(text_columns(table) == std::vector<std::size_t>{0, 2});
  table.columns[1].in_text = true;
  CHECK(head_text(table.columns[1]) == "Time ms");
}

TEST_CASE("the first row of entries sets the columns, and entries for scripts have no text") {
  Table table;
  for (const std::int64_t size : {7, 8})
    add_entries(table, {{number_column("size", "Size"), count_cell(size)}, hidden("id", "x")});
  REQUIRE(table.columns.size() == 2);
  CHECK(table_tsv(table) == "Size\n7\n8\n");
  CHECK(cell_of(table, table.rows[1], "id").value == CellValue("x"));
}

}  // namespace
}  // namespace ringside::view
