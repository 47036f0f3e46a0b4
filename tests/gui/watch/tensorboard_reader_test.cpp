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

/// A framed event whose only value is `value`.
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

TEST_CASE("scalars of an event file from our own export are read back") {
  std::string file;
  exporting::append_file_version(file, 1.7e9);
  const exporting::TaggedValue values[] = {{"train/loss", 0.5F},
                                           {"lr", std::numeric_limits<float>::quiet_NaN()}};
  exporting::append_scalars(file, 1'700'000'000.25, 0, values);
  exporting::append_scalars(file, 1'700'000'001.5, 12, {values, 1});
  const auto reading = read_whole(kTensorboardReaderFormat, file);
  CHECK(reading.left_out().empty());
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
  CHECK(pieces.left_out().empty());
  CHECK(pieces.found.points.size() == 1);
  for (const std::size_t cut : {1U, 4U, 5U, 30U}) {
    const auto torn =
        read_whole(kTensorboardReaderFormat, std::string_view(file).substr(0, file.size() - cut));
    CHECK(torn.left_out().empty());
    CHECK(torn.found.points.empty());
    CHECK(torn.used < file.size() - cut);
  }
}

TEST_CASE("a scalar may be a one-element tensor of any type, and other tensors are counted") {
  const auto value_of = [](const std::string& tensor) {
    const auto reading = read_whole(kTensorboardReaderFormat, tensor_event(tensor));
    CHECK(reading.found.points.size() + reading.found.left_out.size() == 1);
    return reading.found.points.empty() ? -1.0 : reading.found.points.front().value;
  };
  const auto kind = [](std::uint64_t number) { return number_field(1, number); };
  const std::string quarter = little_endian(std::bit_cast<std::uint32_t>(0.25F));
  CHECK(value_of(kind(1) + float_field(5, 0.25F)) == 0.25);
  CHECK(value_of(kind(1) + bytes_field(5, quarter)) == 0.25);
  CHECK(value_of(kind(1) + bytes_field(4, quarter)) == 0.25);
  CHECK(value_of(kind(1)) == 0);  // encoding of a float that is 0
  CHECK(value_of(kind(2) + bytes_field(4, little_endian(std::bit_cast<std::uint64_t>(0.125)))) ==
        0.125);
  CHECK(value_of(kind(2) + double_field(6, 0.125)) == 0.125);
  const auto minus = static_cast<std::uint64_t>(-7);
  CHECK(value_of(kind(3) + number_field(7, minus)) == -7);  // int32
  CHECK(value_of(kind(3) + bytes_field(4, little_endian(std::uint32_t(-7)))) == -7);
  CHECK(value_of(kind(9) + bytes_field(10, varint(minus))) == -7);  // int64
  CHECK(value_of(kind(9) + bytes_field(4, little_endian(minus))) == -7);
  CHECK(value_of(kind(5) + bytes_field(4, little_endian(std::uint16_t(0xfff9)))) == -7);
  CHECK(value_of(kind(6) + number_field(7, minus)) == -7);                       // int8
  CHECK(value_of(kind(4) + number_field(7, 200)) == 200);                        // uint8
  CHECK(value_of(kind(17) + number_field(7, 60'000)) == 60'000);                 // uint16
  CHECK(value_of(kind(22) + number_field(16, 4'000'000'000)) == 4e9);            // uint32
  CHECK(value_of(kind(23) + number_field(17, minus)) == 1.8446744073709552e19);  // uint64
  CHECK(value_of(kind(10) + number_field(11, 1)) == 1);                          // bool
  CHECK(value_of(kind(19) + number_field(13, 0x3C00)) == 1);                     // half
  CHECK(value_of(kind(19) + bytes_field(4, little_endian(std::uint16_t(0xC500)))) == -5);
  CHECK(value_of(kind(19) + number_field(13, 1)) == Approx(5.9604644775390625e-8));
  CHECK(std::isinf(value_of(kind(19) + number_field(13, 0x7C00))));
  CHECK(value_of(kind(14) + number_field(13, 0x3F80)) == 1);  // bfloat16
  const std::string length_1 = bytes_field(2, bytes_field(2, number_field(1, 1)));
  const std::string length_3 = bytes_field(2, bytes_field(2, number_field(1, 3)));
  CHECK(value_of(kind(1) + length_1 + float_field(5, 0.25F)) == 0.25);
  CHECK(value_of(kind(1) + length_3 + float_field(5, 0.25F)) == -1);
  CHECK(value_of(kind(7) + bytes_field(8, "text")) == -1);
  CHECK(value_of(kind(8) + float_field(9, 1)) == -1);  // complex
}

TEST_CASE("intact records of an event file survive damaged ones before and after them") {
  std::string file;
  std::vector<std::size_t> begins;
  for (std::int64_t step = 0; step < 4; ++step) {
    begins.push_back(file.size());
    const exporting::TaggedValue value[] = {{"loss", static_cast<float>(step)}};
    exporting::append_scalars(file, 1.7e9, step, value);
  }
  const auto spoiled = [&](std::size_t at) {
    std::string bytes = file;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  const std::string good = "loss@0=0 loss@2=2 loss@3=3";
  const std::string second = "byte " + std::to_string(begins[1]);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, file.size()}) {
    const auto body =
        read_in_pieces(kTensorboardReaderFormat, spoiled(begins[1] + 20), piece, true);
    CHECK(body.values() == good);
    CHECK(body.left_out() == second + ": a record is damaged: its checksum does not match (1)");
    CHECK(body.used == file.size());
    const auto length = read_in_pieces(kTensorboardReaderFormat, spoiled(begins[1]), piece, true);
    CHECK(length.values() == good);
    CHECK(length.left_out() ==
          second + ": a record is damaged: the checksum of its length does not match (1)");
  }
  // A record is truncated, and the writer goes on after it.
  const std::string cut = file.substr(0, begins[2] - 9) + file.substr(begins[2]);
  CHECK(read_whole(kTensorboardReaderFormat, cut, true).values() == good);
  // The first record of the file is damaged.
  CHECK(read_whole(kTensorboardReaderFormat, spoiled(3), true).values() ==
        "loss@1=1 loss@2=2 loss@3=3");
  const auto torn = read_whole(kTensorboardReaderFormat, file.substr(0, file.size() - 5), true);
  CHECK(torn.values() == "loss@0=0 loss@1=1 loss@2=2");
  CHECK(torn.left_out() ==
        "byte " + std::to_string(begins[3]) + ": the last record is not whole (1)");
}

TEST_CASE("a record above the limit is skipped, and a file that is not an event file is reported") {
  const std::string length = little_endian(std::uint64_t{65} << 20U);
  std::string file = event_file(1.7e9, 3, "loss", 0.5F);
  const std::size_t place = file.size();
  file += length + little_endian(exporting::masked_crc32c(length));
  file += std::string((std::size_t{65} << 20U) + 4, 'x') + event_file(1.7e9, 4, "loss", 0.25F);
  const auto large = read_in_pieces(kTensorboardReaderFormat, file, std::size_t{4} << 20U, true);
  CHECK(large.values() == "loss@3=0.5 loss@4=0.25");
  CHECK(large.left_out() ==
        "byte " + std::to_string(place) + ": a record is above the limit of 64 MiB (1)");
  CHECK(read_whole(kTensorboardReaderFormat, "not an event file at all", true)
            .foreign.find("not an event file") != std::string::npos);
}

TEST_CASE("invalid events and tags of unknown kind are counted") {
  std::string file;
  exporting::append_tf_record(file, "\x0b nonsense");
  file += event_file(1.7e9, 3, "loss", 0.5F);
  const auto nonsense = read_whole(kTensorboardReaderFormat, file);
  CHECK(nonsense.values() == "loss@3=0.5");
  CHECK(nonsense.left_out() == "byte 0: a record is not an event of TensorBoard (1)");
  const std::string tag(5000, 'x');
  CHECK(read_whole(kTensorboardReaderFormat, framed_event(bytes_field(1, tag) + float_field(2, 1)))
            .left_out() == "byte 0: a name is longer than 1024 bytes (1)");
  const auto odd = read_whole(kTensorboardReaderFormat,
                              framed_event(bytes_field(1, "a\xff") + float_field(2, 1)));
  REQUIRE(odd.found.points.size() == 1);
  CHECK(odd.found.points.front().name == "a\\xff");
}

TEST_CASE("images and histograms are counted by kind, without a warning") {
  const std::string image = framed_event(bytes_field(1, "pictures") + bytes_field(4, "png"));
  const std::string bars = framed_event(bytes_field(1, "weights") + bytes_field(5, "bars"));
  const auto reading = read_whole(kTensorboardReaderFormat, image + image + bars);
  CHECK(reading.left_out() == "byte 0, pictures: an image is not a scalar (2) | byte " +
                                  std::to_string(2 * image.size()) +
                                  ", weights: a histogram is not a scalar (1)");
  for (const auto& one : reading.found.left_out) CHECK(one.expected);
}

TEST_CASE("steps below 0 and up to 2^63, and restarts of a session, are read") {
  std::string file;
  const exporting::TaggedValue value[] = {{"loss", 1.0F}};
  for (const std::int64_t step : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
    exporting::append_scalars(file, 1.7e9, step, value);
  exporting::append_tf_record(
      file, double_field(1, 1.7e9) + number_field(2, 5) + bytes_field(7, number_field(1, 1)));
  exporting::append_scalars(file, 1.7e9, 6, value);
  const auto reading = read_whole(kTensorboardReaderFormat, file);
  CHECK(reading.values() == "loss@-1=1 loss@9223372036854775807=1 loss@6=1");
  REQUIRE(reading.found.restarts.size() == 1);
  CHECK(reading.found.restarts[0].points_before == 2);
  CHECK(reading.found.restarts[0].step == 5);
}

TEST_CASE("the settings of the hparams plugin are read, and its tags are not curves") {
  const auto entry = [](std::string_view key, const std::string& value) {
    return bytes_field(1, bytes_field(1, key) + bytes_field(2, value));
  };
  const std::string start = bytes_field(3, entry("lr", double_field(2, 1e-07)) +
                                               entry("optimizer", bytes_field(3, "adam")) +
                                               entry("amp", number_field(4, 1)));
  const std::string metadata =
      bytes_field(9, bytes_field(1, bytes_field(1, "hparams") + bytes_field(2, start)));
  const std::string zero = bytes_field(8, number_field(1, 1) + float_field(5, 0));
  const auto reading =
      read_whole(kTensorboardReaderFormat,
                 framed_event(bytes_field(1, "_hparams_/session_start_info") + metadata + zero));
  CHECK(reading.found.points.empty());
  CHECK(reading.left_out().empty());
  CHECK(reading.found.settings == "lr=1e-07, optimizer=adam, amp=true");
}
