// Tests the network interfaces and the routes to addresses.
#include "protocol/host/network.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

const std::vector<NetworkInterface> kSome = {
    {"lo", "127.0.0.1", true}, {"eth0", "10.0.0.1", false}, {"ib0", "10.1.0.1", false}};

}  // namespace

TEST_CASE("an interface is chosen by name or address, otherwise the first that is not loopback") {
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

TEST_CASE(
    "without a choice an interface with a link is used, preferably that of the default route") {
  const NetworkInterface lo{"lo", "127.0.0.1", true};
  const NetworkInterface empty_bridge{"docker0", "172.17.0.1", false, false};
  const NetworkInterface bridge{"br0", "172.18.0.1", false, true};
  const NetworkInterface card{"eth0", "10.0.0.1", false, true, true};
  CHECK(choose_interface("", {lo, empty_bridge, bridge}, "x")->name == "br0");
  CHECK(choose_interface("", {lo, empty_bridge, bridge, card}, "x")->name == "eth0");
  CHECK(choose_interface("", {lo, empty_bridge}, "x")->name == "docker0");
  // A default route over an interface without a link does not count.
  CHECK(choose_interface("", {lo, {"eth1", "10.0.0.2", false, false, true}, bridge}, "x")->name ==
        "br0");
  CHECK(choose_interface("docker0", {lo, empty_bridge, card}, "x")->name == "docker0");
}

TEST_CASE("the default route is the first route to destination 0.0.0.0") {
  const std::string head =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
  const std::string bridge = "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n";
  // The lower half of all addresses also begins with 0: a tunnel has a route for each half.
  const std::string half = "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n";
  const std::string route = "\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n";
  CHECK(default_route_in(head + bridge + half + "eth0" + route + "wlan0" + route) == "eth0");
  CHECK(default_route_in(head + bridge).empty());
  CHECK(default_route_in("").empty());
}

TEST_CASE("this host reaches itself through loopback") {
  const auto all = network_interfaces();
  const auto way = interface_to("127.0.0.1", all);
  REQUIRE(way);
  CHECK(way->loopback);
  CHECK_FALSE(interface_to("somewhere", all));
}

TEST_CASE("a host name is resolved to its IPv4 addresses, and an address to itself") {
  const std::vector<std::string> loopback{"127.0.0.1"};
  CHECK(ipv4_addresses("127.0.0.1") == loopback);
  CHECK(ipv4_addresses("localhost") == loopback);
  CHECK(ipv4_addresses("::1").empty());
}

TEST_CASE("connecting to an invalid address fails") { CHECK_FALSE(reach("node-1", 80, 1'000'000)); }

}  // namespace ringside
