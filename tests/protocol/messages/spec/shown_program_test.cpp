#include "protocol/messages/spec/shown_program.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("S10: a program is shown without the secrets of its command line and environment") {
  messages::ProgramSpec program;
  program.argv = {"train", "--api-key=hunter-22", "redis://:hunter-23@h/0", "--lr=1"};
  program.environment = {"HF_TOKEN=hunter-24", "LR=1"};
  program.cwd = "/w";
  const auto shown = messages::without_secrets(program);
  CHECK(shown.argv == std::vector<std::string>{"train", "--api-key=[redacted]",
                                               "redis://:[redacted]@h/0", "--lr=1"});
  CHECK(shown.environment == std::vector<std::string>{"HF_TOKEN=[redacted]", "LR=1"});
  CHECK(shown.cwd == "/w");
}

TEST_CASE("S10: a secret is hidden wherever it occurs in a program") {
  messages::ProgramSpec program;
  program.argv = {"train", "--note=hunter-2244", "--header", "Authorization: Bearer hunter-2255"};
  program.environment = {"MYSQL_PWD=hunter-2244", "NOTE=hunter-2266"};
  ::setenv("MY_SERVICE_TOKEN", "hunter-2266", 1);
  const auto shown = messages::without_secrets(program);
  ::unsetenv("MY_SERVICE_TOKEN");
  CHECK(shown.argv == std::vector<std::string>{"train", "--note=[redacted]", "--header",
                                               "Authorization: [redacted]"});
  CHECK(shown.environment == std::vector<std::string>{"MYSQL_PWD=[redacted]", "NOTE=[redacted]"});
}
