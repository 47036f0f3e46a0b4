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
  bool running = true;  ///< has a link: not a port without a cable, a bridge without a member
  bool default_route = false;  ///< by which the rest of the world is reached
};

/// Interfaces that are up and have an IPv4 address, in the order of the kernel.
std::vector<NetworkInterface> network_interfaces();

/// The interface of the first default route in a table as /proc/net/route has it; empty: there is
/// none. Pure.
std::string default_route_in(const std::string& table);

/// The one with this name or address; for an empty one that of the default route, else the first
/// that has a link, else the first that is not loopback, else loopback. Pure. A bad request, for
/// which `setting` names what to change, lists what there is.
Result<NetworkInterface> choose_interface(const std::string& wanted,
                                          const std::vector<NetworkInterface>& all,
                                          const std::string& setting);

/// The one by which `address` is reached; nothing is sent.
Result<NetworkInterface> interface_to(const std::string& address,
                                      const std::vector<NetworkInterface>& all);

/// The IPv4 addresses of a host's name, or the address that it is already, in the order of the
/// resolver, which may ask the network. Empty: it knows none.
std::vector<std::string> ipv4_addresses(const std::string& host);

/// Connects by TCP and closes again, within `timeout_ns`. The failure is the kernel's word for it.
Result<void> reach(const std::string& address, int port, std::int64_t timeout_ns);

}  // namespace ringside
