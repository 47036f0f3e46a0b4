#include "gui/watch/tensorboard_reader.h"

#include <cmath>
#include <limits>

#include "tests/gui/watch/foreign_files.h"
#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr auto kTensorboardReaderFormat = watch::Format::kTensorBoard;

/// An event whose only value is `value`, in its frame.
std::string framed_event(std::string_view value) {
  std::string file;
  exporting::append_tf_record(
      file, double_field(1, 1.7e9) + number_field(2, 7) + bytes_field(5, bytes_field(1, value)));
  return file;
}

std::string tensor_event(std::string_view tensor) {
  return framed_event(bytes_field(1, "loss") + bytes_field(8, tensor));
}

}  // namespace

TEST_CASE("scalars of an event file that our own export wrote come back") {
  std::string file;
  exporting::append_file_version(file, 1.7e9);
  const exporting::TaggedValue values[] = {{"train/loss", 0.5F},
                                           {"lr", std::numeric_limits<float>::quiet_NaN()}};
  exporting::append_scalars(file, 1'700'000'000.25, 0, values);
  exporting::append_scalars(file, 1'700'000'001.5, 12, {values, 1});
  const auto reading = read_whole(kTensorboardReaderFormat, file);
  CHECK(reading.problem.empty());
  CHECK(reading.used == file.size());
  REQUIRE(reading.found.points.size() == 3);
  const auto& points = reading.found.points;
  CHECK(points[0].name == "train/loss");
  CHECK(points[0].step == 0);
  CHECK(points[0].value == 0.5);
  CHECK(points[0].wall_s == 1'700'000'000.25);
  CHECK(std::isnan(points[1].value));
  CHECK(points[2].step == 12);
}

TEST_CASE("an event file that grows byte by byte gives the same, and a torn tail is waited for") {
  const std::string file = event_file(1.7e9, 3, "loss", 0.5F);
  const auto pieces = read_in_pieces(kTensorboardReaderFormat, file, 1);
  CHECK(pieces.problem.empty());
  CHECK(pieces.found.points.size() == 1);
  for (const std::size_t cut : {1U, 4U, 5U, 30U}) {
    const auto torn =
        read_whole(kTensorboardReaderFormat, std::string_view(file).substr(0, file.size() - cut));
    CHECK(torn.problem.empty());
    CHECK(torn.found.points.empty());
    CHECK(torn.used < file.size() - cut);
  }
}

TEST_CASE("a scalar may be a tensor of one element, and others are passed over") {
  const auto value_of = [](const std::string& tensor) {
    const auto reading = read_whole(kTensorboardReaderFormat, tensor_event(tensor));
    CHECK(reading.problem.empty());
    return reading.found.points.empty() ? -1.0 : reading.found.points.front().value;
  };
  const std::string one = number_field(1, 1);  // DT_FLOAT
  CHECK(value_of(one + float_field(5, 0.25F)) == 0.25);
  CHECK(value_of(one + bytes_field(5, little_endian(std::bit_cast<std::uint32_t>(0.25F)))) == 0.25);
  CHECK(value_of(one + bytes_field(4, little_endian(std::bit_cast<std::uint32_t>(0.25F)))) == 0.25);
  CHECK(value_of(number_field(1, 2) +
                 bytes_field(4, little_endian(std::bit_cast<std::uint64_t>(0.125)))) == 0.125);
  const std::string length_1 = bytes_field(2, bytes_field(2, number_field(1, 1)));
  const std::string length_3 = bytes_field(2, bytes_field(2, number_field(1, 3)));
  CHECK(value_of(one + length_1 + float_field(5, 0.25F)) == 0.25);
  CHECK(value_of(one + length_3 + float_field(5, 0.25F)) == -1);
  CHECK(value_of(number_field(1, 7) + bytes_field(8, "text")) == -1);
}

TEST_CASE("damage in an event file is told with its place") {
  std::string file = event_file(1.7e9, 3, "loss", 0.5F);
  std::string flipped = file;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);
  const auto spoiled = read_whole(kTensorboardReaderFormat, flipped);
  CHECK(spoiled.problem.find("checksum of a record does not match") != std::string::npos);
  CHECK(spoiled.problem.find("at byte 40") != std::string::npos);
  CHECK(read_whole(kTensorboardReaderFormat, "not an event file at all")
            .problem.find("not an event file") != std::string::npos);
  // A length that nobody can mean, under a correct checksum.
  const std::string length = little_endian(std::uint64_t{1} << 40U);
  file += length + little_endian(exporting::masked_crc32c(length));
  CHECK(read_whole(kTensorboardReaderFormat, file).problem.find("above the limit") !=
        std::string::npos);
}

TEST_CASE("an event that is none, and a tag without measure, are refused") {
  std::string file;
  exporting::append_tf_record(file, "\x0b nonsense");
  CHECK(read_whole(kTensorboardReaderFormat, file).problem.find("not an event") !=
        std::string::npos);
  const std::string tag(5000, 'x');
  CHECK(read_whole(kTensorboardReaderFormat, framed_event(bytes_field(1, tag) + float_field(2, 1)))
            .problem.find("5000 bytes") != std::string::npos);
  const auto odd = read_whole(kTensorboardReaderFormat,
                              framed_event(bytes_field(1, "a\xff") + float_field(2, 1)));
  REQUIRE(odd.found.points.size() == 1);
  CHECK(odd.found.points.front().name == "a\\xff");
}
