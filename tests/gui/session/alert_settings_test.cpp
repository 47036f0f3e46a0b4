#include "gui/session/alerts/alert_settings.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;
namespace fs = std::filesystem;

namespace {

Result<AlertSettings> read_from(const std::string& text) {
  const TempFolder folder;
  const fs::path file = folder.path() / "alerts.toml";
  std::ofstream(file) << text;
  return read_alert_settings(file);
}

std::string refusal(const std::string& text) {
  const auto read = read_from(text);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("alerts.toml") != std::string::npos);
  return read.error().message;
}

}  // namespace

TEST_CASE("Alert settings are read as they were written") {
  const TempFolder folder;
  const fs::path file = folder.path() / "made" / "alerts.toml";
  CHECK(read_alert_settings(file).value() == AlertSettings{});
  AlertSettings settings;
  settings.notify = true;
  settings.command = {"/usr/local/bin/tell me", "a \"quote\"", "", "$HOME;`id`", "naïve\n"};
  settings.limit_s = 2.5;
  settings.off.set(1);
  settings.off.set(7);
  REQUIRE(write_alert_settings(file, settings));
  CHECK(read_alert_settings(file).value() == settings);
  CHECK((fs::status(file).permissions() & fs::perms::others_all) == fs::perms::none);
}

TEST_CASE("The error for an unknown setting, or one of the wrong type, names the setting") {
  CHECK(refusal("notfy = true").find("notify") != std::string::npos);
  CHECK(refusal("notify = 1").find("true or false") != std::string::npos);
  CHECK(refusal("command = \"rm -rf /\"").find("list of strings") != std::string::npos);
  CHECK(refusal("command = [1]").find("list of strings") != std::string::npos);
  CHECK(refusal("command = [\"a\\u0000b\"]").find("list of strings") != std::string::npos);
  CHECK(refusal("limit_s = 0").find("limit_s") != std::string::npos);
  CHECK(refusal("limit_s = nan").find("limit_s") != std::string::npos);
  CHECK(refusal("off = [\"divergd\"]").find("diverged") != std::string::npos);
  CHECK(refusal("notify = ").find("alerts.toml:1: ") != std::string::npos);
  CHECK(read_from("").value() == AlertSettings{});
  CHECK(read_from("limit_s = 3").value().limit_s == 3);
}

TEST_CASE("In a command line only spaces, quotes and backslashes are special") {
  const auto words = [](const std::string& text) { return split_words(text).value(); };
  CHECK(words("").empty());
  CHECK(words("   ").empty());
  CHECK(words("a  b") == std::vector<std::string>{"a", "b"});
  CHECK(words("\"a b\" c\"d e\"") == std::vector<std::string>{"a b", "cd e"});
  CHECK(words("\"\" x") == std::vector<std::string>{"", "x"});
  CHECK(words("$(id) ; `x` | *") == std::vector<std::string>{"$(id)", ";", "`x`", "|", "*"});
  CHECK(words("a\\\"b c\\\\d \\n") == std::vector<std::string>{"a\"b", "c\\d", "\\n"});
  CHECK_FALSE(split_words("\"open"));
  for (const std::vector<std::string>& all :
       {std::vector<std::string>{"a b", "", "\"", "\\", "\\\"", "x"}, std::vector<std::string>{}})
    CHECK(words(join_words(all)) == all);
}
