// Machines to suggest to a person: recently used ones and the Hosts of ~/.ssh/config. Reads and
// writes small files; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/remote/address.h"

namespace ringside::remote {

/// The names after Host in a file of ssh_config(5), in order, without patterns. Pure.
std::vector<std::string> config_hosts(std::string_view config);

/// Recently used machines, newest first, then those of ~/.ssh/config and of the files it includes.
std::vector<Address> known_machines();

/// Makes a machine that was reached the newest of the recently used ones. Errors are ignored.
void remember_machine(const Address& address);

}  // namespace ringside::remote
