// Messages between agents of different nodes, one type each, by direction. The payload of a message
// is JSON, whose unknown keys are ignored, or text (protocol/wire/FORMAT.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/wire/node_link.h"
#include "trainer/agent/nodes/node_group.h"

namespace ringside::agent {

enum class EndHow : std::uint32_t { kWithCheckpoint = 0, kNow = 1, kFailedElsewhere = 2 };

struct RendezvousAddress {
  std::string address = "127.0.0.1";
  int port = 0;

  RINGSIDE_FIELDS(address, port)
};

struct Ping {
  static constexpr auto kKind = wire::NodeMessage::Kind::kPing;
};
struct Ready {
  static constexpr auto kKind = wire::NodeMessage::Kind::kReady;
  std::string host;
  std::string trouble{};  ///< why the address is not reachable; empty: it is reachable, or was not
                          ///< tried
  bool devices = true;    ///< it has its devices; otherwise it waits for its turn to queue
  bool tried = false;     ///< whether it tried the address of this attempt

  RINGSIDE_FIELDS(host, trouble, devices)
};
struct Cannot {
  static constexpr auto kKind = wire::NodeMessage::Kind::kCannot;
  std::string host;
  std::string trouble;

  RINGSIDE_FIELDS(host, trouble)
};
struct Over : NodeOutcome {
  static constexpr auto kKind = wire::NodeMessage::Kind::kOver;
};
struct StopOrder {
  static constexpr auto kKind = wire::NodeMessage::Kind::kStopOrder;
  EndHow how = EndHow::kWithCheckpoint;
  std::string text;  ///< who asked
};
using ToHead = std::variant<Ping, Ready, Cannot, Over, StopOrder>;

struct Pong {
  static constexpr auto kKind = wire::NodeMessage::Kind::kPong;
};
struct Queue {
  static constexpr auto kKind = wire::NodeMessage::Kind::kQueue;
};
struct Try : RendezvousAddress {
  static constexpr auto kKind = wire::NodeMessage::Kind::kTry;
};
struct Begin : RendezvousAddress {
  static constexpr auto kKind = wire::NodeMessage::Kind::kBegin;
};
struct EndRanks {
  static constexpr auto kKind = wire::NodeMessage::Kind::kEndRanks;
  EndHow how = EndHow::kWithCheckpoint;
  std::string text;  ///< why
};
struct Close : NodeOutcome {
  static constexpr auto kKind = wire::NodeMessage::Kind::kClose;
};
using ToMember = std::variant<Pong, Queue, Try, Begin, EndRanks, Close>;

wire::NodeMessage encode(const ToHead& said, Node node = 0, std::int32_t attempt = 0);
wire::NodeMessage encode(const ToMember& said, Node node, std::int32_t attempt);

/// Empty when the message is invalid or goes in the other direction.
std::optional<ToHead> decode_to_head(const wire::NodeMessage& message);
std::optional<ToMember> decode_to_member(const wire::NodeMessage& message);

/// Cuts a text of unlimited length, such as a rank's error, to what a message may have.
std::string brief(const std::string& text);

/// "node 1", "nodes 1 and 3".
std::string name_nodes(const std::vector<Node>& nodes);

}  // namespace ringside::agent
