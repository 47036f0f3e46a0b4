#include "protocol/base/nearest.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

const std::vector<std::string> kNames{"epochs", "seed", "precision", "max_steps"};

TEST_CASE("the nearest name is found for a typing error and not for an unrelated word") {
  CHECK(nearest_name("epoch", kNames) == "epochs");
  CHECK(nearest_name("sede", kNames) == "seed");
  CHECK(nearest_name("presicion", kNames) == "precision");
  CHECK(nearest_name("epochs", kNames) == "epochs");
  CHECK(nearest_name("banana", kNames).empty());
  CHECK(nearest_name("", kNames).empty());
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("a suggestion names the nearest candidate, or lists all") {
  CHECK(suggestion("epoch", kNames) == ", did you mean \"epochs\"?");
  CHECK(suggestion("banana", kNames) == "; known: epochs, seed, precision, max_steps");
}

}  // namespace
}  // namespace ringside
