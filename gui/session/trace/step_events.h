// Passes the recorded steps of a run one by one, as events, to a sink that builds a trace or a
// timeline. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::session {

struct CollectiveMember {
  Rank rank = 0;
  analysis::StepTime span;  ///< from entry to completion
};

struct CollectiveRound {
  std::string name;
  Step step = 0;
  std::int64_t number = 0;
  std::int64_t size_bytes = -1;  ///< -1: not known
  std::vector<CollectiveMember> members;
  std::optional<std::size_t> last{};  ///< member that arrived last, if certain
};

class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void rank(Rank rank, const std::string& process) = 0;
  /// A step, "step 7", or a part of one.
  virtual void span(Rank rank, std::string_view name, analysis::StepTime span, Step step) = 0;
  virtual void round(const CollectiveRound& round) = 0;
};

/// Parts have their recorded lengths and follow each other in the order of a step, since their
/// start times are not recorded. A step that overlaps the previous one starts at its end.
/// Collectives have their recorded start and end.
void emit_steps(const model::RunModel& model, analysis::StepRange steps, StepSink& sink);

}  // namespace ringside::session
