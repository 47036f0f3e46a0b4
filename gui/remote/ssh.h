// The command line of the system's ssh, and what its failures mean. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/remote/address.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Arguments of `ssh ... HOST -- ringside serve-stdio`. Asks for no password, forwards nothing and
/// opens no port; ~/.ssh/config, ssh agents and jump hosts apply as always. `program`: path of
/// `ringside` on that machine, quoted for its shell; empty: found in its PATH.
std::vector<std::string> ssh_argv(const std::string& ssh, const Address& address,
                                  const std::string& program);

/// How ssh ended before the helper's greeting. `exit_code`: 128 + signal if a signal ended it.
struct SshEnd {
  int exit_code = 0;
  std::string_view errors;  ///< standard error of ssh and of the remote shell
};

/// One sentence with what to do. A bad request if only the person can fix it (a key, a name, a
/// missing or older program); a failure if the network or the machine is at fault.
Error explain(const Address& address, const SshEnd& end);

/// The error for a remote program with another version of FORMAT.md.
Error explain_version(const Address& address, int protocol_there, std::string_view version_there);

}  // namespace ringside::remote
