// The section of a run's spec that makes a fault on purpose, to prove that what is shown of one is
// true; see spec_sections.h. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/messages/field.h"

namespace ringside::messages {

/// What allows a run with a fault: its value is "1". A fault in a recipe that somebody hands on
/// must not pass unseen.
inline constexpr const char* kAllowFaults = "RINGSIDE_INJECT";

struct InjectSpec {
  std::string fault = "none";
  std::int64_t rank = 0;
  double delay_ms = 10;
  std::int64_t from_step = 0;
  std::int64_t steps = 0;

  bool any() const { return fault != "none"; }

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit(Field{"fault", "Fault",
                "Made on purpose by one rank; only with RINGSIDE_INJECT=1 in the environment. "
                "delay_*: it sleeps in that phase (bucket: before its last gradient bucket is "
                "ready); nan_gradient: one of its gradients is NaN in the first of the steps; "
                "corrupt_parameter: one of its parameters is another after that step; stop_rank: "
                "it stops itself (SIGSTOP)"}
              .one_of("none delay_data delay_forward delay_backward delay_bucket delay_optimizer "
                      "nan_gradient corrupt_parameter stop_rank")
              .folded(),
          s.fault);
    visit(Field{"rank", "Faulty rank", "The rank that makes the fault"}.from(0).folded(), s.rank);
    visit(Field{"delay_ms", "Delay", "How long it sleeps in each of the steps"}
              .in("ms")
              .between(0, 60000)
              .folded(),
          s.delay_ms);
    visit(Field{"from_step", "From step", "The first step with the fault"}
              .in("steps")
              .from(0)
              .folded(),
          s.from_step);
    visit(Field{"steps", "Steps with it", "How many steps are delayed"}
              .in("steps")
              .or_unset("all that follow")
              .from(0)
              .folded(),
          s.steps);
  }
};

}  // namespace ringside::messages
