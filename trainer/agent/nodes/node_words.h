// What agents of different nodes tell each other, each a type of its own, and which of them goes
// which way. The payload of a message is JSON, whose unknown keys are ignored, or a text
// (protocol/wire/FORMAT.md). Pure.
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

/// How the ranks are to be ended.
enum class EndHow : std::uint32_t { kWithCheckpoint = 0, kNow = 1, kFailedElsewhere = 2 };

/// Where the ranks of an attempt meet.
struct MeetingPlace {
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
  std::string trouble{};  ///< why the meeting place is not reached; empty: it is, or was not tried
  bool devices = true;    ///< it has them; else it waits to be told when to queue for them
  bool tried = false;     ///< to reach the place of this attempt

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
struct TellStop {
  static constexpr auto kKind = wire::NodeMessage::Kind::kTellStop;
  EndHow how = EndHow::kWithCheckpoint;
  std::string text;  ///< who asked
};
using ToHead = std::variant<Ping, Ready, Cannot, Over, TellStop>;

struct Pong {
  static constexpr auto kKind = wire::NodeMessage::Kind::kPong;
};
struct Queue {
  static constexpr auto kKind = wire::NodeMessage::Kind::kQueue;
};
struct Try : MeetingPlace {
  static constexpr auto kKind = wire::NodeMessage::Kind::kTry;
};
struct Begin : MeetingPlace {
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

/// Nothing: it makes no sense, or does not go this way.
std::optional<ToHead> said_to_head(const wire::NodeMessage& message);
std::optional<ToMember> said_to_member(const wire::NodeMessage& message);

/// A rank may say as much as it likes about its end, a message has a most: the beginning.
std::string brief(const std::string& text);

/// "node 1", "nodes 1 and 3".
std::string name_nodes(const std::vector<Node>& nodes);

}  // namespace ringside::agent
