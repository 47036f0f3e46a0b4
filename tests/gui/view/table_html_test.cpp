// A table on a page: the cells shown, their style, and the escaping of text of other programs.
#include "gui/view/report/table_html.h"

#include "gui/view/table_cells.h"
#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

Table losses() {
  Table table{"losses", "Loss <by rank>"};
  table.columns = {{"rank", "rank"}, number_column("loss", "loss", "nats"), {"id", ""}};
  add_row(table, {text_cell("r0"), {0.5, "0.5"}, {"hidden", ""}});
  add_row(table, {text_cell("r1", Tone::kError), unknown_cell(), {}});
  return table;
}

}  // namespace

TEST_CASE("a page has heads with units, numbers at the right, totals last, tones as classes") {
  Table table = losses();
  table.totals = {{"all", {text_cell("all"), {0.5, "0.5", Tone::kOk}, {}}}};
  table.notes = {"a & b"};
  CHECK(table_html(table) ==
        "<section><h3>Loss &lt;by rank&gt;</h3><div class=\"wide\"><table>\n"
        "<thead><tr><th>rank</th><th class=\"r\">loss nats</th></tr></thead>\n<tbody>\n"
        "<tr><td>r0</td><td class=\"r\">0.5</td></tr>\n"
        "<tr><td class=\"err\">r1</td><td class=\"r\">–</td></tr>\n"
        "<tr><td>all</td><td class=\"r ok\">0.5</td></tr>\n"
        "</tbody>\n</table></div><p class=\"note\">a &amp; b</p></section>\n");
}

TEST_CASE("few rows with many columns are transposed, and no rows make no table") {
  Table table = losses();
  table.transposed = true;
  CHECK(rows_html(table) ==
        "<div class=\"wide side\"><table>\n"
        "<tr><th scope=\"row\">rank</th><td>r0</td><td>r1</td></tr>\n"
        "<tr><th scope=\"row\">loss nats</th><td>0.5</td><td>–</td></tr>\n</table></div>");
  table.rows.clear();
  CHECK(table_html(table).empty());
}

TEST_CASE("a table can have no heads") {
  Table table = losses();
  table.heads = false;
  CHECK(rows_html(table).find("<th") == std::string::npos);
}
