#include "gui/remote/address.h"

#include "tests/support/catch.h"

using namespace ringside;
using remote::Address;

TEST_CASE("a machine is written as ssh://[user@]host[:port], and a run after a slash") {
  const auto target = remote::parse_target("ssh://me@box:2222/last");
  REQUIRE(target);
  CHECK(target->address == Address{"me", "box", 2222});
  CHECK(target->run == "last");
  CHECK(remote::parse_target("ssh://box/")->run.empty());
  CHECK(remote::parse_address("ssh://a@corp@box") == Address{"a@corp", "box", 0});
  CHECK(remote::parse_address("ssh://[fe80::1%eth0]:22") == Address{"", "fe80::1%eth0", 22});
  for (const char* text : {"ssh://box", "ssh://me@box", "ssh://me@box:22", "ssh://[::1]:2222"})
    CHECK(remote::text_of(remote::parse_address(text).value()) == text);
  CHECK(remote::ssh_words({"me", "box", 2222}) == "-p 2222 me@box");
}

TEST_CASE("S6: text that ssh or a shell would take for something else is not a machine") {
  for (const char* text : {"",
                           "box",
                           "http://box",
                           "ssh://",
                           "ssh://-oProxyCommand=x",
                           "ssh://-l@box",
                           "ssh://me@-box",
                           "ssh://box:0",
                           "ssh://box:65536",
                           "ssh://box:",
                           "ssh://box:22x",
                           "ssh://bo x",
                           "ssh://box\n",
                           "ssh://$(id)",
                           "ssh://box;id",
                           "ssh://`id`@box",
                           "ssh://[::1",
                           "ssh://[-x]",
                           "ssh://@box",
                           "ssh://box/a/b",
                           "ssh://b\xc3\xb6x",
                           "ssh://box&"}) {
    INFO(text);
    const auto target = remote::parse_target(text);
    REQUIRE(!target);
    CHECK(target.error().kind == ErrorKind::kRequest);
    CHECK(target.error().message.find("ssh://[user@]host[:port]") != std::string::npos);
    CHECK(target.error().message.find('\n') == std::string::npos);
  }
  CHECK(!remote::parse_target("ssh://" + std::string(300, 'a')));
  CHECK(!remote::parse_address("ssh://box/last"));
}
