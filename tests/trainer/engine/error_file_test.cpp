#include "trainer/engine/error_file.h"

#include <nlohmann/json.hpp>

#include "protocol/base/byte_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE("the error file is what torchrun reads") {
  const auto document =
      nlohmann::json::parse(engine::error_json("rank 1: \"quoted\"\nline", 5'000'000'000));
  CHECK(document["message"]["message"] == "rank 1: \"quoted\"\nline");
  CHECK(document["message"]["extraInfo"]["timestamp"] == "5");
}

TEST_CASE("text that is no UTF-8 still makes a document") {
  const auto document = nlohmann::json::parse(engine::error_json("bad \xff byte", 0));
  CHECK(document["message"]["message"].get<std::string>().find("bad") == 0);
}

TEST_CASE("a peer that left is told from a fault of this rank") {
  CHECK(engine::explain("[x] Connection closed by peer [127.0.0.1]:1").find("another rank left") ==
        0);
  CHECK(engine::explain("Timed out waiting 5000ms").find("another rank did not answer") == 0);
  CHECK(engine::explain("not enough memory") == "not enough memory");
}

TEST_CASE(
    "the error file and the flight recorder lie beside each other, and nowhere without a path") {
  const TempFolder folder;
  engine::write_error_file({}, "nobody hears this");
  engine::write_error_file(folder.path() / "error.json", "out of paper");
  const auto text = read_text(folder.path() / "error.json");
  REQUIRE(text);
  CHECK(text->find("out of paper") != std::string::npos);
}
