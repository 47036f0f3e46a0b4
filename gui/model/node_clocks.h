// Offsets of the nodes' clocks from that of node 0, from the newest ClockSync of each node. Gets
// every record in order; plain data, used by one thread.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/messages/record_sink.h"

namespace ringside::model {

class NodeClocks {
 public:
  void note(const messages::Stamp& stamp, const messages::Record& record);
  /// Converts a time of the node to the clock of node 0; returns it unchanged if no ClockSync was
  /// recorded.
  std::int64_t on_node_0(const messages::Stamp& stamp) const;

 private:
  std::map<Node, std::int64_t> ahead_ns_;  ///< difference to the clock of node 0
};

}  // namespace ringside::model
