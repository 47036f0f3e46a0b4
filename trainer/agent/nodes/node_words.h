// What agents of different nodes tell each other, as the text of their messages: JSON, whose
// unknown keys are ignored. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/agent/nodes/node_group.h"

namespace ringside::agent {

/// How the ranks are to be ended.
inline constexpr std::uint32_t kEndWithCheckpoint = 0;
inline constexpr std::uint32_t kEndNow = 1;
inline constexpr std::uint32_t kEndFailedElsewhere = 2;

/// Where the ranks of an attempt meet.
struct MeetingPlace {
  std::string address = "127.0.0.1";
  int port = 0;
};

struct ReadyWords {
  std::string host;
  std::string trouble;  ///< why the meeting place is not reached; empty: it is, or was not tried
  bool devices = true;  ///< it has them; else it waits to be told when to queue for them
};

/// A rank may say as much as it likes about its end, a message has a most: the beginning.
std::string brief(const std::string& text);

/// "node 1", "nodes 1 and 3".
std::string name_nodes(const std::vector<Node>& nodes);

std::string to_text(const MeetingPlace& place);
std::string to_text(const ReadyWords& words);
std::string to_text(const NodeOutcome& outcome);

std::optional<MeetingPlace> place_of(const std::string& text);
std::optional<ReadyWords> ready_of(const std::string& text);
std::optional<NodeOutcome> outcome_of(const std::string& text);

}  // namespace ringside::agent
