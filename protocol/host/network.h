// The network interfaces of this host and whether an address can be reached from it. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside {

struct NetworkInterface {
  std::string name;     ///< "eth0"
  std::string address;  ///< IPv4, "10.0.0.1"
  bool loopback = false;
  bool running = true;  ///< has a link: false for a port without a cable or a bridge without a
                        ///< member
  /// True when the default route uses this interface.
  bool default_route = false;
};

/// Interfaces that are up and have an IPv4 address, in the kernel's order.
std::vector<NetworkInterface> network_interfaces();

/// The interface of the first default route in a table in the format of /proc/net/route; empty when
/// it has none. Pure.
std::string default_route_in(const std::string& table);

/// The interface with this name or address. When `wanted` is empty: the interface of the default
/// route, else the first with a link, else the first that is not loopback, else loopback. Pure. A
/// bad request lists the interfaces; `setting` names what to change.
Result<NetworkInterface> choose_interface(const std::string& wanted,
                                          const std::vector<NetworkInterface>& all,
                                          const std::string& setting);

/// The interface through which `address` is reached; sends nothing.
Result<NetworkInterface> interface_to(const std::string& address,
                                      const std::vector<NetworkInterface>& all);

/// The IPv4 addresses of a host name (or the address itself) in the order of the resolver, which
/// may query the network. Empty when the name is unknown.
std::vector<std::string> ipv4_addresses(const std::string& host);

/// Connects by TCP and closes again, within `timeout_ns`. The failure is the kernel's error
/// message.
Result<void> reach(const std::string& address, int port, std::int64_t timeout_ns);

}  // namespace ringside
