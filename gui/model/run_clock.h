// Puts the times of a run on one scale: the monotonic clock of each node as it was when the node
// first said something. Fed with every record in log order; plain data, used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "protocol/messages/record_sink.h"

namespace ringside::model {

class RunClock {
 public:
  /// To be called before the record's own time is asked for. Returns by how much the node's scale
  /// moved, where the record is the first of another start of its machine; else 0.
  std::int64_t note(const messages::Stamp& stamp, const messages::Record& record);

  /// A time of the newest attempt on the scale of the first.
  std::int64_t on_first_scale(Node node, std::int64_t mono_ns) const;

  /// wall_ns - mono_ns of the node's newest attempt; nothing: no record gave both.
  std::optional<std::int64_t> wall_base_ns(Node node) const;
  /// The lowest of which that is known.
  std::optional<Node> first_told() const;

 private:
  struct NodeClock {
    std::int64_t base_ns = 0;   ///< wall_ns - mono_ns when it was first told
    std::int64_t shift_ns = 0;  ///< added to its times since the node was started anew
  };
  std::map<Node, NodeClock> nodes_;
};

}  // namespace ringside::model
