// Interfaces and ways to addresses.
#include "protocol/base/network.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

const std::vector<NetworkInterface> kSome = {
    {"lo", "127.0.0.1", true}, {"eth0", "10.0.0.1", false}, {"ib0", "10.1.0.1", false}};

}  // namespace

TEST_CASE("an interface is chosen by name or address, else the first that is not loopback") {
  CHECK(choose_interface("", kSome, "x")->name == "eth0");
  CHECK(choose_interface("ib0", kSome, "x")->address == "10.1.0.1");
  CHECK(choose_interface("10.1.0.1", kSome, "x")->name == "ib0");
  CHECK(choose_interface("", {kSome.front()}, "x")->name == "lo");
  const auto none = choose_interface("eth1", kSome, "devices.interface");
  REQUIRE_FALSE(none);
  CHECK(none.error().message ==
        "devices.interface: this host has no interface \"eth1\"; it has lo (127.0.0.1), eth0 "
        "(10.0.0.1), ib0 (10.1.0.1)");
  CHECK_FALSE(choose_interface("", {}, "x"));
}

TEST_CASE("this host reaches itself by loopback") {
  const auto all = network_interfaces();
  const auto way = interface_to("127.0.0.1", all);
  REQUIRE(way);
  CHECK(way->loopback);
  CHECK_FALSE(interface_to("somewhere", all));
}

TEST_CASE("an address that is none is not reached") { CHECK_FALSE(reach("node-1", 80, 1'000'000)); }

}  // namespace ringside
