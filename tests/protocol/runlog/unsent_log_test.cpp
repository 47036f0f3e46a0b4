// Promise R8: unsent records are read once and in order, whatever happened to the file.
#include "protocol/runlog/unsent_log.h"

#include <fstream>

#include "protocol/messages/records.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {
namespace {

constexpr std::uint64_t kSteps = 40;  // the goodbye has the next sequence number

std::vector<std::byte> goodbye_of(Rank rank) {
  messages::RankGoodbye goodbye;
  goodbye.produced = kSteps + 1;
  std::vector<std::byte> bytes;
  messages::append_record(bytes, {0, rank, kSteps, 0}, goodbye);
  return bytes;
}

struct File {
  // Writes batches of ten records, starting with this number.
  explicit File(std::uint64_t first = 0, Rank rank = 1) : path(folder.path() / "unsent.log") {
    std::vector<std::vector<std::byte>> batches;
    for (std::uint64_t seq = first; seq < kSteps; ++seq) {
      if ((seq - first) % 10 == 0) batches.emplace_back();
      messages::append_record(batches.back(), {0, rank, seq, 0},
                              support::step_report(static_cast<Step>(seq)));
    }
    batches.push_back(goodbye_of(rank));
    const std::vector<std::span<const std::byte>> spans(batches.begin(), batches.end());
    REQUIRE(write_unsent(path, {"run-1", 0, 0, 0, ""}, goodbye_of(rank), spans));
  }

  UnsentRead read(std::uint64_t next_seq, const RunId& run = "run-1") {
    list.entries.clear();
    const auto got = read_unsent(path, {run, 0, 1, next_seq}, list);
    REQUIRE(got);
    return *got;
  }
  bool ends_with_goodbye() const {
    return !list.entries.empty() &&
           std::holds_alternative<messages::RankGoodbye>(list.entries.back().record);
  }

  TempFolder folder;
  std::filesystem::path path;
  support::RecordList list;
};

TEST_CASE("R8: unsent records are read in order, with the goodbye last and once") {
  File file;
  const UnsentRead read = file.read(0);
  CHECK(read.records == kSteps + 1);
  CHECK(read.refused + read.damaged_bytes == 0);
  REQUIRE(file.list.entries.size() == kSteps + 1);
  for (std::size_t i = 0; i <= kSteps; ++i) CHECK(file.list.entries[i].stamp.seq == i);
  CHECK(file.ends_with_goodbye());
}

TEST_CASE("R8: records that are already in the log are not repeated") {
  File file(10);
  CHECK(file.read(25).records == kSteps - 25 + 1);
  CHECK(file.list.entries.front().stamp.seq == 25);
  CHECK(file.read(kSteps).records == 1);
  CHECK(file.read(kSteps + 1).records == 0);
}

TEST_CASE("R8: a torn file still has the number of records") {
  File file;
  std::filesystem::resize_file(file.path, std::filesystem::file_size(file.path) / 2);
  const UnsentRead read = file.read(0);
  CHECK(read.damaged_bytes > 0);
  CHECK(read.records > 1);
  CHECK(read.records < kSteps);
  REQUIRE(file.ends_with_goodbye());
  CHECK(std::get<messages::RankGoodbye>(file.list.entries.back().record).produced == kSteps + 1);
}

TEST_CASE("R8: a file cut anywhere is damaged or ends between two batches") {
  const File whole;
  const auto size = std::filesystem::file_size(whole.path);
  int between = 0;
  for (std::uintmax_t end = kFileHeaderBytes + 1; end < size; ++end) {
    File file;
    std::filesystem::resize_file(file.path, end);
    between += file.read(0).damaged_bytes == 0 ? 1 : 0;
  }
  CHECK(between == 5);
}

TEST_CASE("R8: a flipped bit loses only its batch") {
  const File whole;
  const auto size = std::filesystem::file_size(whole.path);
  for (std::uint64_t at = 0; at < size; at += 37) {
    File file;
    std::fstream bytes(file.path, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(bytes.get() ^ 4);
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(flipped);
    bytes.close();
    const UnsentRead read = file.read(0);
    CHECK(read.records >= kSteps - 10 + 1);
    CHECK(file.ends_with_goodbye());
  }
}

TEST_CASE("S4: records of another run or rank are refused and counted") {
  File file;
  const UnsentRead other_run = file.read(0, "run-2");
  CHECK(other_run.records == 0);
  CHECK(other_run.refused == kSteps + 2);
  File other_rank(0, 2);
  CHECK(other_rank.read(0).records == 0);
  CHECK(other_rank.read(0).refused == kSteps + 2);
}

TEST_CASE("S4: a file larger than any rank writes is an error") {
  File file;
  std::filesystem::resize_file(file.path, std::uintmax_t{65} << 20);
  CHECK_FALSE(read_unsent(file.path, {"run-1", 0, 1, 0}, file.list));
}

}  // namespace
}  // namespace ringside::runlog
