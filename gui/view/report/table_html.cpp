#include "gui/view/report/table_html.h"

#include "gui/view/markup.h"

namespace ringside::view {
namespace {

bool is_right(const TableColumn& column) { return column.align == Align::kRight; }

/// Adds the table with a line per column, which compares the facts of a few runs.
void add_transposed(const Table& table, std::string& page) {
  for (const std::size_t i : text_columns(table)) {
    page += "<tr>";
    add_element(page, "th", head_text(table.columns[i]), " scope=\"row\"");
    for (const TableRow& row : table.rows) add_element(page, "td", row.cells[i].text);
    page += "</tr>\n";
  }
}

void add_upright(const Table& table, std::string& page) {
  const std::vector<std::size_t> shown = text_columns(table);
  if (table.heads) {
    page += "<thead><tr>";
    for (const std::size_t i : shown) {
      const TableColumn& column = table.columns[i];
      add_element(page, "th", head_text(column), class_attribute(Tone::kText, is_right(column)));
    }
    page += "</tr></thead>\n";
  }
  page += "<tbody>\n";
  const auto add_rows = [&](const std::vector<TableRow>& rows) {
    for (const TableRow& row : rows) {
      page += "<tr>";
      for (const std::size_t i : shown)
        add_element(page, "td", row.cells[i].text,
                    class_attribute(row.cells[i].tone, is_right(table.columns[i])));
      page += "</tr>\n";
    }
  };
  add_rows(table.rows);
  add_rows(table.totals);
  page += "</tbody>\n";
}

}  // namespace

std::string class_attribute(Tone tone, bool right) {
  std::string names = right ? "r " : "";
  if (tone == Tone::kError) names += "err ";
  if (tone == Tone::kWarning) names += "warn ";
  if (tone == Tone::kOk) names += "ok ";
  if (names.empty()) return {};
  names.pop_back();
  return " class=\"" + names + "\"";
}

std::string rows_html(const Table& table) {
  if (table.rows.empty()) return {};
  const bool narrow = table.transposed && table.rows.size() < 3;
  std::string page =
      narrow ? "<div class=\"wide side\"><table>\n" : "<div class=\"wide\"><table>\n";
  if (table.transposed) add_transposed(table, page);
  if (!table.transposed) add_upright(table, page);
  page += "</table></div>";
  for (const std::string& note : table.notes) add_element(page, "p", note, " class=\"note\"");
  return page;
}

std::string table_html(const Table& table) {
  if (table.rows.empty()) return {};
  std::string page = "<section>";
  add_element(page, "h3", table.title);
  return page + rows_html(table) + "</section>\n";
}

}  // namespace ringside::view
