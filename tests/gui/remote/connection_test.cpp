// The near end, with a program in place of ssh.
#include "gui/remote/connection.h"

#include <filesystem>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::remote;

TEST_CASE("a machine that greets and then says nothing is left when nobody waits for it") {
  const TempFolder folder;
  const auto ssh = folder.path() / "ssh";
  // It ends when its input does, as ssh would.
  folder.write("ssh", "#!/bin/sh\nprintf '\\nringside serve-stdio\\n'\nexec cat >/dev/null\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  ::setenv("RINGSIDE_SSH", ssh.c_str(), 1);
  // Long enough for the greeting to come.
  const std::int64_t until_ns = mono_now_ns() + 1'000'000'000;
  const auto opened =
      Connection::open({"", "box", 0}, [until_ns] { return mono_now_ns() > until_ns; });
  ::unsetenv("RINGSIDE_SSH");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("nobody waits") != std::string::npos);
}
