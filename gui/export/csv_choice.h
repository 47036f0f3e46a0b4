// The selection of CSV tables to write. Pure.
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

/// One bit for each of kCsvTables, by its index.
using CsvChoice = std::bitset<kCsvTables.size()>;

inline CsvChoice all_csv_tables() { return CsvChoice().set(); }

/// Parses names that a person gave. Returns a bad request if one is unknown (naming the nearest),
/// or if there are none.
Result<CsvChoice> choose_csv_tables(const std::vector<std::string>& names);

/// Parses a comma-separated list, "steps,epochs"; spaces around names are ignored.
Result<CsvChoice> choose_csv_tables(std::string_view list);

}  // namespace ringside::exporting
