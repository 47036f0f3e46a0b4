#include "gui/doctor/check.h"

#include "tests/support/catch.h"

using namespace ringside::doctor;

namespace {

const Measure kGood{"good", 1, 2, "at most 2", true, "1 of 2"};
const Measure kBad{"bad", 5, 2, "at most 2", false, "5 of 2"};
const Measure kTold{"told", 7, 0, "", true, "7 in passing"};

}  // namespace

TEST_CASE(
    "a check passes if all of its measures hold, and otherwise reports the first that does not") {
  const auto good = result_of(kChecks[4], {{kGood, kTold}, {}}, 1.5);
  CHECK(good.outcome == Outcome::kPass);
  CHECK(good.seconds == 1.5);
  CHECK(result_text(good) == "1 of 2 (limit at most 2); 7 in passing");
  CheckResult eight = good;
  eight.measures.insert(eight.measures.end(), good.measures.begin(), good.measures.end());
  CHECK(result_text(eight) == result_text(good));  // the same sentence for another rank
  const auto bad = result_of(kChecks[4], {{kGood, kBad}, {}}, 0);
  CHECK(bad.outcome == Outcome::kFail);
  CHECK(result_text(bad) == "5 of 2 (limit at most 2); 1 of 2 (limit at most 2)");
}

TEST_CASE("a check without a verdict is skipped with the reason, and one without numbers fails") {
  const auto noisy = result_of(kChecks[4], {{kBad}, "too noisy: 40 %"}, 0);
  CHECK(noisy.outcome == Outcome::kSkipped);
  CHECK(result_text(noisy) == "too noisy: 40 %; 5 of 2 (limit at most 2)");
  CHECK(skipped(kChecks[0], "no GPU").outcome == Outcome::kSkipped);
  const auto hung = broken(kChecks[0], "it did not end in time", 60);
  CHECK(hung.outcome == Outcome::kFail);
  CHECK(result_text(hung) == "it did not end in time");
}

TEST_CASE("checks are numbered from 1 in their order, and have names of their own") {
  for (std::size_t i = 0; i < kChecks.size(); ++i) {
    CHECK(kChecks[i].number == static_cast<int>(i) + 1);
    for (std::size_t j = 0; j < i; ++j) CHECK(kChecks[i].name != kChecks[j].name);
  }
}
