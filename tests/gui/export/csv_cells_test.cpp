// The cells that stay empty, and the text of lists and enumerations.
#include "gui/export/csv_cells.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/catch.h"

using namespace ringside::exporting;
using namespace ringside::messages;

namespace {

template <class T>
std::string cell(CellRule rule, const T& value) {
  std::string out(cell_room(value), '\0');
  out.resize(static_cast<std::size_t>(put_cell(out.data(), rule, value) - out.data()));
  return out;
}

}  // namespace

TEST_CASE("unknown values are empty cells, and known values that look alike are not") {
  CHECK(cell(CellRule::kMayBeUnknown, std::int64_t{-1}).empty());
  CHECK(cell(CellRule::kPlain, std::int64_t{-1}) == "-1");
  CHECK(cell(CellRule::kMayBeUnknown, std::int64_t{0}) == "0");
  CHECK(cell(CellRule::kMayBeUnknown, kUnknownF).empty());
  CHECK(cell(CellRule::kMayBeUnknown, std::nanf("")).empty());
  CHECK(cell(CellRule::kPlain, kUnknownF).empty());
  CHECK(cell(CellRule::kPlain, std::nanf("")) == "nan");
}

TEST_CASE("lists are joined with semicolons and keep the place of unknown items") {
  CHECK(cell(CellRule::kPlain, std::vector<std::uint32_t>{4, 0, 4294967295U}) == "4;0;4294967295");
  CHECK(cell(CellRule::kPlain, std::vector<std::uint32_t>{}).empty());
  CHECK(cell(CellRule::kMayBeUnknown, std::vector<std::int64_t>{-1, 5, -1}) == ";5;");
  CHECK(cell(CellRule::kMayBeUnknown, std::vector<float>{kUnknownF, 0.5F}) == ";0.5");
}

TEST_CASE("enumerations are written by name") {
  CHECK(cell(CellRule::kPlain, State::kTraining) == "training");
  CHECK(cell(CellRule::kPlain, Phase::kValidate) == "validate");
  CHECK(cell(CellRule::kPlain, Severity::kError) == "error");
}

TEST_CASE("names in RINGSIDE_UNKNOWN are fields of their record") {
  std::size_t records = 0;
  const auto check = [&]<class Body>(const Body& body) {
    if constexpr (requires { Body::kUnknownFields; }) {
      const std::string_view names = Body::kUnknownFields;
      std::int64_t found = 0;
      Body::fields(body, [&](std::string_view name, const auto&) {
        found += cell_rule<Body>(name) == CellRule::kMayBeUnknown ? 1 : 0;
      });
      CHECK(found == std::count(names.begin(), names.end(), ',') - 1);
      ++records;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check(std::variant_alternative_t<I, Record>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Record>>{});
  CHECK(records == 6);
}

TEST_CASE("the rules agree with the comments on fields in records.h") {
  CHECK(cell_rule<StepReport>("epoch") == CellRule::kLeading);
  CHECK(cell_rule<StepReport>("backward_ns") == CellRule::kMayBeUnknown);
  CHECK(cell_rule<StepReport>("loss") == CellRule::kPlain);
  CHECK(cell_rule<StepReport>("step_ns") == CellRule::kPlain);
  CHECK(cell_rule<DeviceSample>("power_w") == CellRule::kIfValid);
  CHECK(cell_rule<DeviceSample>("valid") == CellRule::kPlain);
  CHECK(cell_rule<HostSample>("cpu_pct") == CellRule::kMayBeUnknown);
  CHECK(cell_rule<RankState>("about") == CellRule::kMayBeUnknown);
}
