#include "gui/view/window/doctor_view.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

DoctorFacts facts() {
  DoctorFacts facts;
  facts.machine = {{launch::Verdict::kPass, "Free ports", "28,000 free", "", ""},
                   {launch::Verdict::kFail, "Host memory", "1 GB free", "close programs", "top"}};
  facts.training = {doctor::result_of(doctor::kChecks[4],
                                      {{{"wrong", 3, 13, "0", false, "3 wrong sums"}}, {}}, 1),
                    doctor::skipped(doctor::kChecks[5], "too noisy: 40 %")};
  return facts;
}

}  // namespace

TEST_CASE("the sheet has a row for every check of the machine and of training") {
  const auto view = build_doctor(facts());
  REQUIRE(view.table.rows.size() == 4);
  CHECK(cell_of(view.table, view.table.rows[0], "result").text == name_of(doctor::Outcome::kPass));
  CHECK(cell_of(view.table, view.table.rows[1], "result").text == name_of(doctor::Outcome::kFail));
  CHECK(cell_of(view.table, view.table.rows[1], "found").text ==
        "1 GB free; close programs: `top`");
  const auto& sums = view.table.rows[2];
  CHECK(cell_of(view.table, sums, "check").text == "5  All-reduce");
  CHECK(cell_of(view.table, sums, "result").tone == Tone::kError);
  CHECK(cell_of(view.table, sums, "found").text == "3 wrong sums (limit 0)");
  CHECK(cell_of(view.table, sums, "found").hint == "3 wrong sums (limit 0)");
  CHECK(cell_of(view.table, view.table.rows[3], "result").text == "skipped");
  CHECK(table_tsv(view.table).find("5  All-reduce\tfail\t3 wrong sums (limit 0)") !=
        std::string::npos);
}

TEST_CASE("the table of machine checks has all columns that scripts read") {
  const auto table = machine_checks_table(facts().machine);
  CHECK(cell_of(table, table.rows[1], "verdict").text == "problem");
  CHECK(std::get<std::string>(cell_of(table, table.rows[1], "detail").value) == "1 GB free");
  CHECK(std::get<std::string>(cell_of(table, table.rows[1], "command").value) == "top");
}
