#include "gui/view/runs/gate_view.h"

#include "gui/view/table_cells.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using analysis::LimitVerdict;

namespace {

GateFacts facts_of(double step_ns, double error) {
  GateFacts facts;
  facts.run = "#4";
  facts.baseline = "#3";
  facts.max_slower = 0.05;
  facts.ours = {{6400, error, 380, step_ns, 1000}};
  facts.theirs = {{6400, error, 380, 1e7, 1000}};
  return facts;
}

}  // namespace

TEST_CASE("a gate reports the slowdown with its interval, compared with the limit") {
  const GateView slow = build_gate_view(facts_of(1.1e7, 0.005));
  CHECK(slow.verdict == LimitVerdict::kFail);
  CHECK(slow.table.title == "Gate: #4 against #3: fail");
  CHECK(cell_of(slow.table, slow.table.rows.at(0), "measured").text ==
        "+10.0 % (+8.5 % to +11.5 %)");
  CHECK(slow.table.notes.at(0) ==
        "Steps of #4 are 10.0 % slower than those of #3 (+8.5 % to +11.5 % at 95 %): more than "
        "+5.0 %.");
  const GateView fast = build_gate_view(facts_of(0.9e7, 0.005));
  CHECK(fast.verdict == LimitVerdict::kPass);
  CHECK(fast.table.notes.at(0).find("10.0 % faster") != std::string::npos);
}

TEST_CASE("a gate within the noise says what would decide it") {
  const GateView view = build_gate_view(facts_of(1.03e7, 0.02));
  CHECK(view.verdict == LimitVerdict::kTooNoisy);
  CHECK(
      view.table.notes.at(1) ==
      "It takes about 9 times as many steps, or repeats of both in a study, or a quieter machine, "
      "to tell.");
}

TEST_CASE("accuracy alone can fail a gate, and a failed run is not measured at all") {
  GateFacts facts = facts_of(1e7, 0.005);
  facts.min_accuracy = 0.98;
  facts.accuracy = 0.971;
  const GateView view = build_gate_view(facts);
  CHECK(view.verdict == LimitVerdict::kFail);
  CHECK(view.table.rows.size() == 2);
  CHECK(cell_of(view.table, view.table.rows.at(1), "limit").text == "at least 98.00 %");
  facts.failure = "Run #4 failed: rank 1 was killed";
  const GateView failed = build_gate_view(facts);
  CHECK(failed.verdict == LimitVerdict::kFail);
  REQUIRE(failed.table.rows.size() == 1);
  CHECK(failed.table.notes.at(0) == facts.failure);
}

TEST_CASE("shares are typed in percent or from 0 to 1") {
  CHECK(share_of("5%") == Approx(0.05));
  CHECK(share_of("5 %") == Approx(0.05));
  CHECK(share_of("0.05") == Approx(0.05));
  CHECK(share_of("150%") == Approx(1.5));
  for (const char* text : {"", "%", "5", "-5%", "five", "1.2.3%", "nan", "0x1%"})
    CHECK_FALSE(share_of(text));
}
