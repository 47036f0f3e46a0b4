// Decides whether and when all ranks of a run restart after a failure. Pure: times are passed in
// and out as numbers. One object per run in an agent; an agent that is started again on the same
// folder has a new budget.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/messages/event_records.h"
#include "trainer/agent/processes/exit_status.h"

namespace ringside::agent {

class RestartPolicy {
 public:
  struct Verdict {
    std::optional<std::int64_t> wait_ns;     ///< empty: the run has failed
    std::optional<messages::Notice> notice;  ///< the decision and its reason
  };

  /// `budget` is limits.restarts.
  explicit RestartPolicy(std::int64_t budget) : budget_(budget) {}

  /// The wait before restart `n`, counted from 1: 2^(n-1) seconds, at most 60.
  static std::int64_t wait_ns(std::int64_t n);

  /// A notice about the allowed restarts, for the start of the run; empty for a budget of 0.
  std::optional<messages::Notice> promise() const;

  /// Decides after an attempt failed and all its processes are gone, and reduces the budget if the
  /// run restarts. Never restarts after a wrong request (exit code 2), for a program that could not
  /// be started, or for a run that was asked to stop.
  Verdict after_failure(const Failure& failure, std::int32_t attempt);

  /// A stop was requested: no further attempt begins.
  void forbid() { forbidden_ = true; }

  std::int64_t used() const { return used_; }

 private:
  std::int64_t budget_;
  std::int64_t used_ = 0;
  bool forbidden_ = false;
};

}  // namespace ringside::agent
