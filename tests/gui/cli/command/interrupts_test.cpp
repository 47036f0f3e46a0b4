#include "gui/cli/command/interrupts.h"

#include <csignal>

#include "tests/support/catch.h"

namespace ringside::cli {
namespace {

TEST_CASE("work that was not done has failed, or was cancelled by a signal") {
  const Interrupts interrupts;
  const Error error{ErrorKind::kRequest, "there is no such run"};
  CHECK(not_done(interrupts, error, "nothing was exported") == 2);
  std::raise(SIGTERM);
  CHECK(interrupts.any());
  CHECK(not_done(interrupts, error, "nothing was exported") == 128 + SIGTERM);
}

}  // namespace
}  // namespace ringside::cli
