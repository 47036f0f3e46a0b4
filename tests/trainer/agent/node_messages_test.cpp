// Messages between agents of different nodes.
#include "trainer/agent/nodes/node_messages.h"

#include <tuple>

#include "tests/support/catch.h"

namespace ringside::agent {
namespace {

using wire::NodeMessage;
using Kind = NodeMessage::Kind;

template <class Said>
Said to_head_and_read(const Said& said) {
  const auto read = decode_to_head(encode(ToHead(said), 1, 2));
  REQUIRE(read);
  REQUIRE(std::holds_alternative<Said>(*read));
  return std::get<Said>(*read);
}

template <class Said>
Said to_member_and_read(const Said& said) {
  const auto read = decode_to_member(encode(ToMember(said), 1, 2));
  REQUIRE(read);
  REQUIRE(std::holds_alternative<Said>(*read));
  return std::get<Said>(*read);
}

void check_outcome(const NodeOutcome& outcome) {
  CHECK(outcome.state == messages::State::kFailed);
  CHECK(outcome.text == "why");
  CHECK_FALSE(outcome.started);
  CHECK(outcome.status.exit_code == -1);
  CHECK(outcome.status.signal == 9);
  CHECK(outcome.blames_a_peer);
}

}  // namespace

TEST_CASE("messages between nodes are decoded as encoded") {
  for (const RendezvousAddress& place :
       {RendezvousAddress(to_member_and_read(Try{{"10.0.0.1", 4711}})),
        RendezvousAddress(to_member_and_read(Begin{{"10.0.0.1", 4711}}))}) {
    CHECK(place.address == "10.0.0.1");
    CHECK(place.port == 4711);
  }
  const auto ready = to_head_and_read(Ready{"host", "no \"way\"\n", true, true});
  CHECK(ready.host == "host");
  CHECK(ready.trouble == "no \"way\"\n");
  CHECK(ready.devices);
  CHECK(ready.tried);
  CHECK_FALSE(to_head_and_read(Ready{"host", "", false}).devices);
  CHECK_FALSE(to_head_and_read(Ready{"host", "", false}).tried);
  CHECK(to_head_and_read(Cannot{"host", "why"}).trouble == "why");
  const NodeOutcome outcome{messages::State::kFailed, "why", false, {-1, 9}, true};
  check_outcome(to_head_and_read(Over{outcome}));
  check_outcome(to_member_and_read(Close{outcome}));
  const auto how = GENERATE(EndHow::kWithCheckpoint, EndHow::kNow, EndHow::kFailedElsewhere);
  CHECK(to_member_and_read(EndRanks{how, "why"}).how == how);
  CHECK(to_head_and_read(StopOrder{how, "who"}).how == how);
  CHECK(to_head_and_read(StopOrder{how, "who"}).text == "who");
  to_member_and_read(Queue{});
  const NodeMessage message = encode(ToMember(Queue{}), 3, 4);
  CHECK(std::tuple(message.kind, message.node, message.attempt) == std::tuple(Kind::kQueue, 3, 4));
}

TEST_CASE("encoded messages have the format that other versions read and write") {
  const NodeMessage over = encode(Over{{messages::State::kFailed, "why", false, {-1, 9}, true}}, 1);
  CHECK(over.text == R"({"blames_a_peer":true,"exit_code":-1,"signal":9,"started":false,)"
                     R"("state":7,"text":"why"})");
  const NodeMessage ready = encode(Ready{"a", "b", true, true}, 1);
  CHECK(ready.text == R"({"devices":true,"host":"a","trouble":"b"})");
  CHECK(ready.count == 1);
  CHECK(encode(Try{{"a", 1}}, 1, 0).text == R"({"address":"a","port":1})");
  const NodeMessage end = encode(EndRanks{EndHow::kFailedElsewhere, "why"}, 1, 0);
  CHECK(end.text == "why");
  CHECK(end.count == 2);
  const auto older = decode_to_head({Kind::kReady, 1, 0, 0, R"({"host": "older"})"});
  REQUIRE(older);
  CHECK(std::get<Ready>(*older).devices);
}

TEST_CASE("a long text is cut between characters") {
  const std::string long_text(1 << 20, '\x01');
  CHECK(encode(Over{{messages::State::kFailed, long_text}}).text.size() < (32U << 10));
  CHECK(encode(Ready{"host", long_text}).text.size() < (32U << 10));
  CHECK(brief("short") == "short");
  const std::string euro = "\xe2\x82\xac";
  std::string many = "ab";
  while (many.size() < 5000) many += euro;
  CHECK(brief(many) == many.substr(0, 4094) + " ...");
}

TEST_CASE("invalid messages and messages in the wrong direction are rejected") {
  for (const char* text : {"", "[]", "null", "{", R"({"address": 7, "port": 1})",
                           R"({"address": "a", "port": 70000})"})
    CHECK_FALSE(decode_to_member({Kind::kTry, 1, 0, 0, text}));
  CHECK_FALSE(decode_to_head({Kind::kOver, 1, 0, 0, R"({"state": 2})"}));  // not a final state
  CHECK_FALSE(decode_to_head({Kind::kOver, 1, 0, 0, R"({"state": "failed"})"}));
  CHECK_FALSE(decode_to_member({Kind::kClose, 1, 0, 0, R"({"state": 2})"}));
  CHECK_FALSE(decode_to_head({Kind::kReady, 1, 0, 0, "7"}));
  CHECK_FALSE(decode_to_head(encode(Queue{}, 1, 0)));
  CHECK_FALSE(decode_to_member(encode(Cannot{"host", "why"}, 1)));
}

}  // namespace ringside::agent
