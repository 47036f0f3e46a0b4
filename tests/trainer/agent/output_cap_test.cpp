// A rank that prints continuously does not fill the disk, and its last output is kept.
#include "trainer/agent/output_cap.h"

#include <fcntl.h>
#include <unistd.h>

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using agent::hold_to_cap;
using agent::OutputCap;

namespace {

constexpr OutputCap kSmall{1000, 100};

}  // namespace

TEST_CASE("a file below the cap and a missing file are not changed") {
  const TempFolder folder;
  folder.write("stdout", std::string(1000, 'x'));
  CHECK_FALSE(hold_to_cap(folder.path() / "stdout", kSmall).value());
  CHECK(std::filesystem::file_size(folder.path() / "stdout") == 1000);
  CHECK_FALSE(hold_to_cap(folder.path() / "none", kSmall).value());
}

TEST_CASE(
    "above the cap the newest part is kept after a line that says so, and writing continues") {
  const TempFolder folder;
  const auto path = folder.path() / "stderr";
  const int rank = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  REQUIRE(rank >= 0);
  const auto say = [&](const std::string& text) {
    REQUIRE(::write(rank, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  say(std::string(5000, 'o') + std::string(90, 'n') + "last words");
  CHECK(hold_to_cap(path, kSmall).value());
  say(", and more\n");
  ::close(rank);
  const auto text = read_text(path).value();
  CHECK(text.starts_with("[ringside: this file had grown"));
  CHECK(text.ends_with(std::string(90, 'n') + "last words, and more\n"));
  CHECK(text.find('o' + std::string("oo")) == std::string::npos);
  CHECK_FALSE(hold_to_cap(path, kSmall).value());
}

TEST_CASE("the kept part begins with a whole line, if there is one") {
  const TempFolder folder;
  const auto path = folder.path() / "stdout";
  folder.write("stdout", std::string(5000, 'o') + "tail\nwhole\nlast");
  CHECK(hold_to_cap(path, kSmall).value());
  const auto text = read_text(path).value();
  CHECK(text.ends_with("removed]\nwhole\nlast"));
}
