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

TEST_CASE("a record as written by wandb 0.31.0 is read") {
  // The bytes were written by `run.log({"loss": 0.5}, step=10)`, offline.
  const std::string file =
      std::string(":W&B\xe1\xbe\0", 7) +
      bytes_of_hex(
          "bb7eeffd6300010815125f0a24120a5f74696d657374616d70820115312e37393534343336323035"
          "3832333436652b30390a1712085f72756e74696d6582010a302e35393838353638320a0c12055f73"
          "74657082010231300a0c12046c6f7373820103302e351202080a");
  const auto reading = read_whole(kWandbReaderFormat, file);
  CHECK(reading.left_out().find("damaged") == std::string::npos);
  CHECK(reading.used == file.size());
  REQUIRE(reading.found.points.size() == 1);
  const auto& point = reading.found.points.front();
  CHECK(point.name == "loss");
  CHECK(point.step == 10);
  CHECK(point.value == 0.5);
  CHECK(point.wall_s == Approx(1795443620.582346));
}

TEST_CASE("values of W&B are numbers only, with dots in nested names and without its own names") {
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
  CHECK(reading.left_out().find("damaged") == std::string::npos);
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
  CHECK(points[4].step == 6);  // without a step: the next one
}

TEST_CASE("records of W&B span blocks, and grow in pieces of any size") {
  WandbFile file;
  for (int step = 0; step < 40; ++step) {
    file.add_history(step, {{"loss", std::to_string(step)}, {"text", std::string(4099, 'x')}});
  }
  file.add_history(40, {{"long", "\"" + std::string(100'000, 'y') + "\""}, {"loss", "40"}});
  file.add(bytes_field(18, number_field(1, 3)));
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{5000}, file.bytes.size()}) {
    const auto reading = read_in_pieces(kWandbReaderFormat, file.bytes, piece);
    CHECK(reading.left_out().find("damaged") == std::string::npos);
    CHECK(reading.used == file.bytes.size());
    REQUIRE(reading.found.points.size() == 41);
    CHECK(reading.found.points.back().value == 40);
    CHECK(reading.found.exit_code == 3);
  }
}

TEST_CASE("an incomplete tail of W&B is waited for") {
  WandbFile file;
  file.add_history(0, {{"loss", "1"}});
  const std::size_t whole = file.bytes.size();
  file.add_history(1, {{"loss", "2"}});
  for (std::size_t size = whole; size < file.bytes.size(); ++size) {
    const auto reading =
        read_whole(kWandbReaderFormat, std::string_view(file.bytes).substr(0, size));
    CHECK(reading.left_out().find("damaged") == std::string::npos);
    CHECK(reading.used == whole);
  }
}

TEST_CASE("intact records of W&B survive a damaged one before and after them") {
  WandbFile file;
  file.add_history(0, {{"loss", "1"}});
  const std::size_t second = file.bytes.size();
  file.add_history(1, {{"loss", "2"}});
  const std::size_t third = file.bytes.size();
  file.add_history(2, {{"loss", "3"}});
  std::string flipped = file.bytes;
  flipped[second + 20] = static_cast<char>(flipped[second + 20] ^ 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{30}, flipped.size()}) {
    const auto reading = read_in_pieces(kWandbReaderFormat, flipped, piece, true);
    CHECK(reading.values() == "loss@0=1 loss@2=3");
    CHECK(reading.left_out() == "byte " + std::to_string(second) +
                                    ": a record is damaged: its checksum does not match (1)");
    CHECK(reading.used == flipped.size());
  }
  // A hole of zeros is what a crash of the machine leaves.
  std::string hole = file.bytes;
  std::fill(hole.begin() + static_cast<std::ptrdiff_t>(second),
            hole.begin() + static_cast<std::ptrdiff_t>(third), '\0');
  CHECK(read_whole(kWandbReaderFormat, hole, true).values() == "loss@0=1 loss@2=3");
  // The length reaches beyond its block, followed by the rest of a truncated record.
  std::string beyond = file.bytes;
  beyond[second + 4] = beyond[second + 5] = '\xff';
  CHECK(read_whole(kWandbReaderFormat, beyond, true).values() == "loss@0=1 loss@2=3");
  const auto torn = read_whole(kWandbReaderFormat, file.bytes.substr(0, third - 3), true);
  CHECK(torn.values() == "loss@0=1");
  CHECK(torn.left_out() == "byte " + std::to_string(second) + ": the last record is not whole (1)");
}

TEST_CASE("damage in one block of W&B leaves the other blocks readable") {
  WandbFile file;
  for (int step = 0; step < 40; ++step)
    file.add_history(step, {{"loss", std::to_string(step)}, {"text", std::string(4099, 'x')}});
  std::string spoiled = file.bytes;
  spoiled[40'000] = static_cast<char>(spoiled[40'000] ^ 1);
  const auto reading = read_whole(kWandbReaderFormat, spoiled, true);
  CHECK(reading.found.points.size() == 39);
  CHECK(reading.found.points.back().step == 39);
  CHECK(reading.left_out().find("damaged") != std::string::npos);
}

TEST_CASE("a file that is not of W&B is reported, and nonsense in an intact frame is counted") {
  CHECK(read_whole(kWandbReaderFormat, "nonsense, long enough", true)
            .foreign.find("not a file of W&B") != std::string::npos);
  CHECK(read_whole(kWandbReaderFormat, WandbFile().bytes, true).foreign.empty());
  WandbFile nonsense;
  nonsense.add("\x0b");
  nonsense.add_history(1, {{"loss", "2"}});
  const auto reading = read_whole(kWandbReaderFormat, nonsense.bytes, true);
  CHECK(reading.values() == "loss@1=2");
  CHECK(reading.left_out() == "byte 7: a record is not, or not wholly, one of W&B (1)");
  WandbFile named;
  named.add_history(0, {{std::string(2000, 'n'), "1"}});
  CHECK(read_whole(kWandbReaderFormat, named.bytes).left_out() ==
        "byte 7: a name is longer than 1024 bytes (1)");
}

TEST_CASE("a dictionary of W&B gives a value for each number in it, and an image is counted") {
  WandbFile file;
  file.add_history(9'000'000'000'000'000'000,
                   {{"train", R"({"loss": 0.5, "deep": {"acc": 1}, "note": "x"})"},
                    {"media", R"({"_type": "image-file"})"}});
  const auto reading = read_whole(kWandbReaderFormat, file.bytes);
  CHECK(reading.values() ==
        "train.deep.acc@9000000000000000000=1 train.loss@9000000000000000000=0.5");
  CHECK(reading.found.left_out.size() == 1);
  CHECK(reading.found.left_out.front().count == 2);
  CHECK(reading.found.left_out.front().expected);
}

TEST_CASE("W&B files tell the settings and which TensorBoard folders they include") {
  WandbFile file;
  const auto item = [](std::string_view key, std::string_view json) {
    return bytes_field(1, bytes_field(1, key) + bytes_field(16, json));
  };
  file.add(bytes_field(17, bytes_field(4, item("lr", "0.1") + item("_wandb", "{}"))));
  file.add(bytes_field(9, bytes_field(1, "/data/logs")));
  const auto reading = read_whole(kWandbReaderFormat, file.bytes);
  CHECK(reading.found.settings == "lr=0.1");
  CHECK(reading.found.same_as == std::vector<std::string>{"/data/logs"});
}
