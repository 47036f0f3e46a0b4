#include "protocol/host/host.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

TEST_CASE("the boot id is constant, and the host has a name") {
  CHECK(current_boot_id().size() == 36);
  CHECK(current_boot_id() == current_boot_id());
  CHECK_FALSE(host_name().empty());
}

}  // namespace
}  // namespace ringside
