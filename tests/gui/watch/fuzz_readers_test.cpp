// A reader of foreign files never crashes, and reads the same values if a file comes in pieces.
// Runs briefly with a fixed seed; RINGSIDE_FUZZ_SECONDS=600 runs longer.
#include <bit>

#include "tests/gui/watch/foreign_files.h"
#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"
#include "tests/support/mutator.h"

using namespace ringside;
using namespace ringside::testing;
using support::Bytes;
using support::Mutator;

namespace {

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void compare(watch::Format format, const std::string& file, std::size_t piece) {
  const auto whole = read_whole(format, file, true);
  const auto pieces = read_in_pieces(format, file, piece, true);
  // The columns of a table are chosen from the rows that exist so far, so pieces may differ.
  if (format == watch::Format::kCsv) return;
  REQUIRE(whole.left_out() == pieces.left_out());
  REQUIRE(whole.found.points.size() == pieces.found.points.size());
  REQUIRE(whole.found.exit_code == pieces.found.exit_code);
  for (std::size_t i = 0; i < whole.found.points.size(); ++i) {
    REQUIRE(whole.found.points[i].name == pieces.found.points[i].name);
    REQUIRE(whole.found.points[i].step == pieces.found.points[i].step);
  }
}

void damaged_file(Mutator& mutator, std::uint64_t round) {
  constexpr watch::Format kFormats[] = {watch::Format::kWandb, watch::Format::kTensorBoard,
                                        watch::Format::kCsv};
  compare(kFormats[round % 3], text_of(mutator.next()), 1 + mutator.below(300));
}

/// Wraps nonsense in correct checksums.
void sealed_nonsense(Mutator& mutator, std::uint64_t round) {
  const std::string record = text_of(mutator.next());
  if (round % 2 == 0) {
    std::string file;
    exporting::append_tf_record(file, record);
    compare(watch::Format::kTensorBoard, file, 1 + mutator.below(300));
  } else {
    WandbFile file;
    file.add(record);
    compare(watch::Format::kWandb, file.bytes, 1 + mutator.below(300));
  }
}

}  // namespace

TEST_CASE("fuzz: damaged foreign files read the same as a whole and in pieces") {
  WandbFile wandb;
  wandb.add_history(1, {{"loss", "0.5"}, {"_timestamp", "1.7e9"}});
  wandb.add(bytes_field(18, number_field(1, 3)));
  support::fuzz(20'000,
                {bytes_of(wandb.bytes), bytes_of(event_file(1.7e9, 3, "loss", 0.5F)),
                 bytes_of("epoch,step,\"a\nb\"\n1,2,3\n4,5,nan\n"),
                 bytes_of("{\"step\":1,\"loss\":NaN}\n{\"step\":2,\"a\":{\"b\":1}}\n"),
                 bytes_of("{\"log\":[{\"step\":1,\"loss\":2},{\"step\":2,\"x\":\"a\"}]}"),
                 bytes_of("# x\nepoch;batch;loss\n0;1;0,5\n0;2;\"0,4\"\n1;1;tensor(2)\n")},
                damaged_file);
}

TEST_CASE("fuzz: nonsense under a correct checksum never crashes a reader of foreign files") {
  const std::string tensor = number_field(1, 1) + bytes_field(4, "abcd");
  const std::string value = bytes_field(1, "loss") + bytes_field(8, tensor);
  const std::string item = bytes_field(1, "loss") + bytes_field(16, "0.5");
  support::fuzz(
      20'000,
      {bytes_of(double_field(1, 1.7e9) + number_field(2, 7) +
                bytes_field(5, bytes_field(1, value))),
       bytes_of(bytes_field(2, bytes_field(1, item) + bytes_field(2, number_field(1, 3)))),
       bytes_of(bytes_field(18, number_field(1, 3)))},
      sealed_nonsense);
}
