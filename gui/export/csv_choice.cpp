#include "gui/export/csv_choice.h"

#include <algorithm>

#include "protocol/base/nearest.h"

namespace ringside::exporting {

Result<CsvChoice> choose_csv_tables(const std::vector<std::string>& names) {
  CsvChoice choice;
  for (const std::string& name : names) {
    const auto found = std::find(kCsvTables.begin(), kCsvTables.end(), name);
    if (found == kCsvTables.end()) {
      const std::vector<std::string> known(kCsvTables.begin(), kCsvTables.end());
      return bad_request("there is no table \"" + name + "\"" + suggestion(name, known));
    }
    choice.set(static_cast<std::size_t>(found - kCsvTables.begin()));
  }
  if (choice.none()) return bad_request("no table was chosen: name one, such as steps");
  return choice;
}

Result<CsvChoice> choose_csv_tables(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.emplace_back(name);
  }
  return choose_csv_tables(names);
}

}  // namespace ringside::exporting
