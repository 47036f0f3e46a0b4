// Promise R5: the restart budget is exact, waits are known in advance, and hopeless attempts are
// not repeated.
#include "trainer/agent/restart_policy.h"

#include <csignal>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::agent;
using messages::Severity;

namespace {

constexpr std::int64_t kRestartPolicySecond = 1'000'000'000;
const Failure kCrash{true, {-1, SIGSEGV}, "rank 3: killed by SIGSEGV"};

}  // namespace

TEST_CASE("R5: the wait before restart n is 2^(n-1) seconds, at most 60") {
  const std::int64_t seconds[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
  for (std::int64_t n = 1; n <= 9; ++n)
    CHECK(RestartPolicy::wait_ns(n) == seconds[n - 1] * kRestartPolicySecond);
  CHECK(RestartPolicy::wait_ns(1'000'000) == 60 * kRestartPolicySecond);
}

TEST_CASE("R5: the number of restarts is exactly the budget") {
  const std::int64_t budget = GENERATE(1, 3, 1000);
  RestartPolicy policy(budget);
  for (std::int64_t n = 1; n <= budget; ++n) {
    const auto verdict = policy.after_failure(kCrash, static_cast<std::int32_t>(n - 1));
    REQUIRE(verdict.wait_ns == RestartPolicy::wait_ns(n));
    REQUIRE(policy.used() == n);
  }
  for (int more = 0; more < 3; ++more) {
    const auto verdict = policy.after_failure(kCrash, static_cast<std::int32_t>(budget));
    CHECK_FALSE(verdict.wait_ns);
    REQUIRE(verdict.notice);
    CHECK(verdict.notice->severity == Severity::kError);
    CHECK(verdict.notice->text == "no restart: " + std::to_string(budget) + " of " +
                                      std::to_string(budget) + " restarts are used up");
  }
  CHECK(policy.used() == budget);
}

TEST_CASE("R5: a budget of zero changes and reports nothing") {
  RestartPolicy policy(0);
  CHECK_FALSE(policy.promise());
  const auto verdict = policy.after_failure(kCrash, 0);
  CHECK_FALSE(verdict.wait_ns);
  CHECK_FALSE(verdict.notice);
}

TEST_CASE("R5: the allowed restarts and each restart are reported") {
  CHECK(RestartPolicy(1).promise()->text == "after a failure all ranks restart, once at most");
  RestartPolicy policy(2);
  CHECK(policy.promise()->code == "restart_policy");
  CHECK(policy.promise()->text == "after a failure all ranks restart, 2 times at most");
  CHECK(policy.after_failure(kCrash, 4).notice->text ==
        "attempt 4 failed; all ranks restart in 1 s, restart 1 of 2; rank 3: killed by "
        "SIGSEGV");
  const auto second = policy.after_failure(kCrash, 5);
  CHECK(second.notice->code == "restart");
  CHECK(second.notice->severity == Severity::kWarning);
  CHECK(second.notice->text.find("in 2 s, restart 2 of 2") != std::string::npos);
}

TEST_CASE("R5: a wrong request, a missing program and a stop do not use up the budget") {
  RestartPolicy policy(3);
  CHECK_FALSE(policy.after_failure({true, {2, 0}, "rank 0: exit code 2"}, 0).wait_ns);
  CHECK_FALSE(policy.after_failure({false, {}, "rank 0 could not be started"}, 0).wait_ns);
  CHECK(policy.used() == 0);
  // Signal 2 is different from exit code 2.
  CHECK(policy.after_failure({true, {-1, SIGINT}, "rank 0: killed by SIGINT"}, 0).wait_ns);
  policy.forbid();
  const auto verdict = policy.after_failure(kCrash, 1);
  CHECK_FALSE(verdict.wait_ns);
  CHECK(verdict.notice->code == "no_restart");
}
