// Machines that a person may mean: those used lately, and the Hosts of ~/.ssh/config. Reads and
// writes small files; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/remote/address.h"

namespace ringside::remote {

/// The names behind Host in a file of ssh_config(5), in their order, patterns left out. Pure.
std::vector<std::string> config_hosts(std::string_view config);

/// Machines used lately, newest first, then those of ~/.ssh/config.
std::vector<Address> known_machines();

/// Makes a machine that was reached the newest of those used lately. Where that cannot be written
/// nothing is lost.
void remember_machine(const Address& address);

}  // namespace ringside::remote
