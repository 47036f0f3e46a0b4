// Tests which cells stay empty, and how lists and enumerations are written.
#include "gui/export/csv_cells.h"

#include <cmath>

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

TEST_CASE("unknown values are empty cells, known ones of the same value are not") {
  CHECK(cell(CellRule::kMinusOneIsUnknown, std::int64_t{-1}).empty());
  CHECK(cell(CellRule::kPlain, std::int64_t{-1}) == "-1");
  CHECK(cell(CellRule::kMinusOneIsUnknown, std::int64_t{0}) == "0");
  CHECK(cell(CellRule::kNanIsUnknown, kUnknownF).empty());
  CHECK(cell(CellRule::kNanIsUnknown, std::nanf("")).empty());
  CHECK(cell(CellRule::kPlain, kUnknownF).empty());
  CHECK(cell(CellRule::kPlain, std::nanf("")) == "nan");
}

TEST_CASE("lists are joined with semicolons and keep the place of unknown items") {
  CHECK(cell(CellRule::kPlain, std::vector<std::uint32_t>{4, 0, 4294967295U}) == "4;0;4294967295");
  CHECK(cell(CellRule::kPlain, std::vector<std::uint32_t>{}).empty());
  CHECK(cell(CellRule::kMinusOneIsUnknown, std::vector<std::int64_t>{-1, 5, -1}) == ";5;");
  CHECK(cell(CellRule::kNanIsUnknown, std::vector<float>{kUnknownF, 0.5F}) == ";0.5");
}

TEST_CASE("enumerations are written by name") {
  CHECK(cell(CellRule::kPlain, State::kTraining) == "training");
  CHECK(cell(CellRule::kPlain, Phase::kValidate) == "validate");
  CHECK(cell(CellRule::kPlain, Severity::kError) == "error");
}

TEST_CASE("rules follow what records.h says about each field") {
  CHECK(cell_rule(RecordType::kStepReport, "epoch") == CellRule::kLeading);
  CHECK(cell_rule(RecordType::kStepReport, "backward_ns") == CellRule::kMinusOneIsUnknown);
  CHECK(cell_rule(RecordType::kStepReport, "loss") == CellRule::kPlain);
  CHECK(cell_rule(RecordType::kStepReport, "step_ns") == CellRule::kPlain);
  CHECK(cell_rule(RecordType::kDeviceSample, "power_w") == CellRule::kIfValid);
  CHECK(cell_rule(RecordType::kDeviceSample, "valid") == CellRule::kPlain);
  CHECK(cell_rule(RecordType::kHostSample, "cpu_pct") == CellRule::kNanIsUnknown);
  CHECK(cell_rule(RecordType::kRankState, "about") == CellRule::kMinusOneIsUnknown);
}
