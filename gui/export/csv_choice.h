// The CSV tables that are chosen to be written. Pure.
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::exporting {

/// The tables in the order of their files; "steps" is steps.csv.
inline constexpr std::array<std::string_view, 10> kCsvTables = {
    "steps", "epochs",  "buckets", "devices", "hosts",
    "ranks", "notices", "scalars", "shards",  "collectives"};

/// A bit for each of kCsvTables, by its index there.
using CsvChoice = std::bitset<kCsvTables.size()>;

inline CsvChoice all_csv_tables() { return CsvChoice().set(); }

/// Names as a person gives them. A bad request where one is unknown (the nearest is named), or none
/// is there.
Result<CsvChoice> choose_csv_tables(const std::vector<std::string>& names);

/// Names as one list, "steps,epochs"; spaces around a name do not matter.
Result<CsvChoice> choose_csv_tables(std::string_view list);

}  // namespace ringside::exporting
