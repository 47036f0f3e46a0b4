// How the system's ssh is called, and what it means when it fails. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/remote/address.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// The words of `ssh ... HOST -- ringside serve-stdio`. No password is asked for, nothing is
/// forwarded and nothing listens; ~/.ssh/config, agents and jump hosts count as always. `program`:
/// the path of `ringside` there, for its shell; empty: on its PATH.
std::vector<std::string> ssh_argv(const std::string& ssh, const Address& address,
                                  const std::string& program);

/// How ssh ended before anything was said. `exit_code`: 128 + signal when a signal ended it.
struct SshEnd {
  int exit_code = 0;
  std::string_view errors;  ///< what it and the shell there wrote to standard error
};

/// One sentence and what to do. A bad request where only the person can mend it: a key, a name,
/// a missing or older program; a failure where the network or the machine is at fault.
Error explain(const Address& address, const SshEnd& end);

/// The program there speaks another version of FORMAT.md.
Error explain_version(const Address& address, int protocol_there, std::string_view version_there);

}  // namespace ringside::remote
