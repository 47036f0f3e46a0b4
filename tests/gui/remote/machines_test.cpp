#include "gui/remote/machines.h"

#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using remote::Address;

TEST_CASE("the Hosts of ssh_config are machines, but patterns and comments are not") {
  CHECK(remote::config_hosts("Host box gpu-1  *.lab !bad\n  HostName 10.0.0.1\n# Host none\n"
                             "host=login\nHOST box\nMatch host other\nHost -x \"q\" a # b\n") ==
        std::vector<std::string>{"box", "gpu-1", "login", "a"});
  CHECK(remote::config_hosts("").empty());
}

TEST_CASE("recently used machines come first, the newest before the others") {
  const TempFolder folder;
  ::setenv("XDG_STATE_HOME", (folder.path() / "state").c_str(), 1);
  ::setenv("HOME", folder.path().c_str(), 1);
  folder.write(".ssh/config", "Host box lab\n");
  remote::remember_machine({"", "box", 0});
  remote::remember_machine({"me", "far", 2222});
  remote::remember_machine({"", "box", 0});
  CHECK(remote::known_machines() ==
        std::vector<Address>{{"", "box", 0}, {"me", "far", 2222}, {"", "lab", 0}});
  for (int i = 0; i < 20; ++i) remote::remember_machine({"", "m" + std::to_string(i), 0});
  CHECK(remote::known_machines().size() == 12);
  ::unsetenv("XDG_STATE_HOME");
}
