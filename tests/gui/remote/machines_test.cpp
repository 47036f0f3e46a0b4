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

TEST_CASE("Hosts of included files are machines too, in the order of inclusion") {
  const TempFolder folder;
  ::setenv("XDG_STATE_HOME", (folder.path() / "state").c_str(), 1);
  ::setenv("HOME", folder.path().c_str(), 1);
  const std::string whole_path = (folder.path() / "elsewhere").string();
  folder.write(".ssh/config", "Include conf.d/*.conf ~/more  # two\nInclude=" + whole_path +
                                  "\nInclude not-there\nHost last\n");
  folder.write(".ssh/conf.d/b.conf", "Host b *.b\n");
  folder.write(".ssh/conf.d/a.conf", "Host a\nInclude conf.d/deep\n");
  folder.write(".ssh/conf.d/deep", "Host deep\n");
  folder.write("more", "Host more\n");
  folder.write("elsewhere", "Host elsewhere\n");
  std::vector<std::string> names;
  for (const Address& machine : remote::known_machines()) names.push_back(machine.host);
  CHECK(names == std::vector<std::string>{"a", "deep", "b", "more", "elsewhere", "last"});
  // A file that includes itself is read up to ssh's maximum depth.
  folder.write(".ssh/config", "Host one\nInclude config\n");
  CHECK(remote::known_machines().size() == 1);
  ::unsetenv("XDG_STATE_HOME");
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
