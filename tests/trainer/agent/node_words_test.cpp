// What agents of different nodes tell each other.
#include "trainer/agent/nodes/node_words.h"

#include "tests/support/catch.h"

namespace ringside::agent {

TEST_CASE("what is told arrives as it was") {
  const auto place = place_of(to_text(MeetingPlace{"10.0.0.1", 4711}));
  REQUIRE(place);
  CHECK(place->address == "10.0.0.1");
  CHECK(place->port == 4711);
  const auto ready = ready_of(to_text(ReadyWords{"host", "no \"way\"\n"}));
  REQUIRE(ready);
  CHECK(ready->host == "host");
  CHECK(ready->trouble == "no \"way\"\n");
  CHECK(ready->devices);
  CHECK_FALSE(ready_of(to_text(ReadyWords{"host", "", false}))->devices);
  CHECK(ready_of("{\"host\": \"older\"}")->devices);
  const auto outcome =
      outcome_of(to_text(NodeOutcome{messages::State::kFailed, "why", false, {-1, 9}, true}));
  REQUIRE(outcome);
  CHECK(outcome->state == messages::State::kFailed);
  CHECK(outcome->text == "why");
  CHECK_FALSE(outcome->started);
  CHECK(outcome->status.exit_code == -1);
  CHECK(outcome->status.signal == 9);
  CHECK(outcome->blames_a_peer);
}

TEST_CASE("what a rank says at length is told in short, in whole characters") {
  const std::string long_text(1 << 20, '\x01');
  CHECK(to_text(NodeOutcome{messages::State::kFailed, long_text}).size() < (32U << 10));
  CHECK(to_text(ReadyWords{"host", long_text}).size() < (32U << 10));
  CHECK(brief("short") == "short");
  const std::string euro = "\xe2\x82\xac";
  std::string many = "ab";
  while (many.size() < 5000) many += euro;
  CHECK(brief(many) == many.substr(0, 4094) + " ...");
}

TEST_CASE("what makes no sense is nothing") {
  for (const char* text : {"", "[]", "null", "{", R"({"address": 7, "port": 1})",
                           R"({"address": "a", "port": 70000})"})
    CHECK_FALSE(place_of(text));
  CHECK_FALSE(outcome_of(R"({"state": 2})"));  // not the end of anything
  CHECK_FALSE(outcome_of(R"({"state": "failed"})"));
  CHECK_FALSE(ready_of("7"));
}

}  // namespace ringside::agent
