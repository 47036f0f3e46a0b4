#include "trainer/agent/restart_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/base/clock.h"

namespace ringside::agent {
namespace {

using messages::Notice;
using messages::Severity;

constexpr std::int64_t kLongestWaitNs = 60 * kSecondNs;
// Exit code for a wrong request, which would fail again.
constexpr int kWrongRequest = 2;

}  // namespace

std::int64_t RestartPolicy::wait_ns(std::int64_t n) {
  const std::int64_t doublings = std::clamp<std::int64_t>(n - 1, 0, 6);
  return std::min(kSecondNs << doublings, kLongestWaitNs);
}

std::optional<Notice> RestartPolicy::promise() const {
  if (budget_ == 0) return std::nullopt;
  return Notice{Severity::kInfo, "restart_policy",
                fmt::format("after a failure all ranks restart, {} at most",
                            budget_ == 1 ? std::string("once") : fmt::format("{} times", budget_))};
}

RestartPolicy::Verdict RestartPolicy::after_failure(const Failure& failure, std::int32_t attempt) {
  if (budget_ == 0) return {};
  const auto no = [](Severity severity, std::string text) {
    return Verdict{std::nullopt, Notice{severity, "no_restart", std::move(text)}};
  };
  if (forbidden_) return no(Severity::kInfo, "no restart: the run was asked to stop");
  if (!failure.started) {
    return no(Severity::kInfo, "no restart: a program that cannot be started would fail again");
  }
  if (failure.status.exit_code == kWrongRequest && failure.status.signal == 0) {
    return no(Severity::kInfo,
              "no restart: exit code 2 means a wrong request, which would fail again");
  }
  if (used_ >= budget_) {
    return no(Severity::kError,
              fmt::format("no restart: {} of {} restarts are used up", used_, budget_));
  }
  const std::int64_t wait = wait_ns(++used_);
  return {wait, Notice{Severity::kWarning, "restart",
                       fmt::format("attempt {} failed; all ranks restart in {} s, restart {} of "
                                   "{}; {}",
                                   attempt, wait / kSecondNs, used_, budget_, failure.text)}};
}

}  // namespace ringside::agent
