// Puts the times of a run on one scale: the monotonic clock of each node as of the node's first
// record. Gets every record in log order; plain data, used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "protocol/messages/record_sink.h"

namespace ringside::model {

class RunClock {
 public:
  /// Must be called before the record's own time is converted. Returns by how much the node's scale
  /// has moved if the record is the first after its machine was restarted; otherwise 0.
  std::int64_t note(const messages::Stamp& stamp, const messages::Record& record);

  /// Converts a time of the newest attempt to the scale of the first.
  std::int64_t on_first_scale(Node node, std::int64_t mono_ns) const;

  /// wall_ns - mono_ns of the node's newest attempt; nothing: no record has both.
  std::optional<std::int64_t> wall_base_ns(Node node) const;
  /// The lowest node for which that is known.
  std::optional<Node> first_told() const;

 private:
  struct NodeClock {
    std::int64_t base_ns = 0;   ///< first known wall_ns - mono_ns
    std::int64_t shift_ns = 0;  ///< added to its times after the node was restarted
  };
  std::map<Node, NodeClock> nodes_;
};

}  // namespace ringside::model
