#include "protocol/messages/spec/shown_program.h"

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
