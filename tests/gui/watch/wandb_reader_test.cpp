#include "gui/watch/wandb_reader.h"

#include <cmath>

#include "tests/gui/watch/foreign_files.h"
#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr auto kWandbReaderFormat = watch::Format::kWandb;

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE("a record as wandb 0.31.0 wrote it is read") {
  // Of `run.log({"loss": 0.5}, step=10)`, offline.
  const std::string file =
      std::string(":W&B\xe1\xbe\0", 7) +
      bytes_of_hex(
          "bb7eeffd6300010815125f0a24120a5f74696d657374616d70820115312e37393534343336323035"
          "3832333436652b30390a1712085f72756e74696d6582010a302e35393838353638320a0c12055f73"
          "74657082010231300a0c12046c6f7373820103302e351202080a");
  const auto reading = read_whole(kWandbReaderFormat, file);
  CHECK(reading.problem.empty());
  CHECK(reading.used == file.size());
  REQUIRE(reading.found.points.size() == 1);
  const auto& point = reading.found.points.front();
  CHECK(point.name == "loss");
  CHECK(point.step == 10);
  CHECK(point.value == 0.5);
  CHECK(point.wall_s == Approx(1795443620.582346));
}

TEST_CASE("values of W&B: numbers alone, nested names with a dot, its own names not") {
  WandbFile file;
  file.add(number_field(1, 1) + bytes_field(17, bytes_field(8, "bright-sun-7")));
  file.add_history(0, {{"train/acc", "1"},
                       {"bad", "NaN"},
                       {"big", "-Infinity"},
                       {"text", "\"1\""},
                       {"flag", "true"},
                       {"table", "{\"_type\":\"table\"}"},
                       {"_runtime", "3.5"},
                       {"_timestamp", "1.7e+09"}});
  file.add(bytes_field(
      2, bytes_field(1, bytes_field(2, "a") + bytes_field(2, "b") + bytes_field(16, "2")) +
             bytes_field(1, bytes_field(1, "_step") + bytes_field(16, "5"))));
  file.add_history(-1, {{"loss", "3"}});
  const auto reading = read_whole(kWandbReaderFormat, file.bytes);
  CHECK(reading.problem.empty());
  const auto& points = reading.found.points;
  REQUIRE(points.size() == 5);
  CHECK(reading.found.title == "bright-sun-7");
  CHECK_FALSE(reading.found.exit_code);
  CHECK(points[0].name == "train/acc");
  CHECK(points[0].step == 0);
  CHECK(points[0].wall_s == 1.7e9);
  CHECK(std::isnan(points[1].value));
  CHECK(std::isinf(points[2].value));
  CHECK(points[3].name == "a.b");
  CHECK(points[3].step == 5);
  CHECK(points[4].step == 6);  // without one: the next
}

TEST_CASE("records of W&B reach over blocks, and grow in pieces of any size") {
  WandbFile file;
  for (int step = 0; step < 40; ++step) {
    file.add_history(step, {{"loss", std::to_string(step)}, {"text", std::string(4099, 'x')}});
  }
  file.add_history(40, {{"long", "\"" + std::string(100'000, 'y') + "\""}, {"loss", "40"}});
  file.add(bytes_field(18, number_field(1, 3)));
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{5000}, file.bytes.size()}) {
    const auto reading = read_in_pieces(kWandbReaderFormat, file.bytes, piece);
    CHECK(reading.problem.empty());
    CHECK(reading.used == file.bytes.size());
    REQUIRE(reading.found.points.size() == 41);
    CHECK(reading.found.points.back().value == 40);
    CHECK(reading.found.exit_code == 3);
  }
}

TEST_CASE("a tail of W&B that is not whole yet is waited for") {
  WandbFile file;
  file.add_history(0, {{"loss", "1"}});
  const std::size_t whole = file.bytes.size();
  file.add_history(1, {{"loss", "2"}});
  for (std::size_t size = whole; size < file.bytes.size(); ++size) {
    const auto reading =
        read_whole(kWandbReaderFormat, std::string_view(file.bytes).substr(0, size));
    CHECK(reading.problem.empty());
    CHECK(reading.used == whole);
  }
}

TEST_CASE("damage in a file of W&B is told with its place") {
  const auto problem_of = [](const std::string& bytes) {
    return read_whole(kWandbReaderFormat, bytes).problem;
  };
  WandbFile file;
  file.add_history(0, {{"loss", "1"}});
  std::string flipped = file.bytes;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  CHECK(problem_of(flipped) == "at byte 7: the checksum of a record does not match");
  CHECK(problem_of("nonsense, long enough").find("not a file of W&B") != std::string::npos);
  std::string beyond = WandbFile().bytes + std::string("\0\0\0\0\xff\xff\1", 7);
  CHECK(problem_of(beyond).find("beyond its block") != std::string::npos);
  const std::string last = "\4rest";
  CHECK(problem_of(WandbFile().bytes + little_endian(crc32(last)) +
                   little_endian(std::uint16_t{4}) + last)
            .find("out of place") != std::string::npos);
  WandbFile nonsense;
  nonsense.add("\x0b");
  CHECK(problem_of(nonsense.bytes).find("not one of protocol buffers") != std::string::npos);
  WandbFile named;
  named.add_history(0, {{std::string(2000, 'n'), "1"}});
  CHECK(problem_of(named.bytes).find("2000 bytes") != std::string::npos);
}
