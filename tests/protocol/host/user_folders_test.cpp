// The home folder comes from HOME, else from the password database, and never from the working
// folder.
#include "protocol/host/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

/// Sets or removes a variable during a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("HOME is the home folder when it is an absolute path") {
  const Variable home("HOME", "/home/someone");
  const Variable cache("XDG_CACHE_HOME", nullptr);
  CHECK(home_folder().value() == "/home/someone");
  CHECK(default_data_folder().value() == "/home/someone/.cache/ringside/data");
}

TEST_CASE("without an absolute HOME the home folder comes from the password database") {
  const passwd* entry = ::getpwuid(::getuid());
  if (entry == nullptr || entry->pw_dir[0] != '/') {
    WARN("SKIPPED: this user is not in the password database");
    return;
  }
  const std::filesystem::path expected = entry->pw_dir;
  for (const char* value : {static_cast<const char*>(nullptr), "", "here", "./x"}) {
    const Variable home("HOME", value);
    CHECK(home_folder().value() == expected);
    CHECK(user_folder("NO_SUCH_VARIABLE_OF_RINGSIDE", ".cache").value() == expected / ".cache");
  }
}

TEST_CASE("an absolute XDG variable is used, and a relative one is ignored") {
  const Variable home("HOME", "/home/someone");
  const Variable cache("XDG_CACHE_HOME", "/some/cache");
  CHECK(default_data_folder().value() == "/some/cache/ringside/data");
  const Variable relative("XDG_CACHE_HOME", "cache");
  CHECK(default_data_folder().value() == "/home/someone/.cache/ringside/data");
}
