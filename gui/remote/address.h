// A machine as people write it, ssh://[user@]host[:port], and a run on it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace ringside::remote {

struct Address {
  std::string user;  ///< empty: as ~/.ssh/config says
  std::string host;  ///< a name, an address, or a Host of ~/.ssh/config; IPv6 without brackets
  int port = 0;      ///< 0: as ~/.ssh/config says

  bool operator==(const Address&) const = default;
};

struct Target {
  Address address;
  std::string run;  ///< as typed after the slash; empty: none
};

/// Returns a bad request for anything else, and for text that ssh would take for an option.
Result<Target> parse_target(std::string_view text);
/// Reads an address without a run; fails as parse_target() does.
Result<Address> parse_address(std::string_view text);

/// "ssh://user@host:22"
std::string text_of(const Address& address);
/// Arguments for `ssh` as one types them: "user@host", preceded by "-p PORT " if there is a port.
std::string ssh_words(const Address& address);

}  // namespace ringside::remote
