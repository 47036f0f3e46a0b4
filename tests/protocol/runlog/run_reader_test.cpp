// Reading the logs of all nodes of a run as one.
#include "protocol/runlog/run_reader.h"

#include <filesystem>
#include <fstream>

#include "protocol/host/files.h"
#include "protocol/runlog/log_writer.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {
namespace {

constexpr std::int64_t kRunReaderSecondNs = 1'000'000'000;

/// Every node writes a record each `steps`-th of a second, with its own clock.
void write_log(const RunFolder& folder, Node node, Step steps) {
  const std::int64_t began_ns = (node + 1) * 1000 * kRunReaderSecondNs;
  auto writer = LogWriter::open(*open_file(folder.log_path(node), OpenMode::kAppend),
                                {"run", node, 5000 * kRunReaderSecondNs, began_ns, ""});
  REQUIRE(writer);
  for (Step step = 0; step < steps; ++step) {
    std::vector<std::byte> payload;
    messages::append_record(payload,
                            {node, node, static_cast<std::uint64_t>(step),
                             began_ns + step * kRunReaderSecondNs / steps + node},
                            support::step_report(step));
    REQUIRE(writer->append(payload, 1));
  }
}

}  // namespace

TEST_CASE("the logs of eight nodes are read in order of time") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  constexpr Step kSteps = 3000;  // more than is read of one log at a time
  constexpr std::size_t kRecords = 8 * kSteps;
  for (Node node = 0; node < 8; ++node) write_log(folder, node, kSteps);
  CHECK(folder.logged_nodes().size() == 8);
  support::RecordList list;
  const auto read = read_run(folder, list);
  REQUIRE(read);
  CHECK(read->at_end);
  CHECK(read->consumed_bytes == folder.log_bytes());
  CHECK(read->decoded.records == kRecords);
  REQUIRE(list.entries.size() == kRecords);
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    const auto& stamp = list.entries[i].stamp;
    REQUIRE(stamp.node == static_cast<Node>(i % 8));
    REQUIRE(stamp.seq == i / 8);
  }
}

TEST_CASE("a single log is read as before, and missing records are reported") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  support::RecordList list;
  const auto none = read_run(folder, list);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::kRequest);
  CHECK(none.error().message.find(" has no log (node_0.log)") != std::string::npos);
  write_log(folder, 0, 10);
  std::ofstream(folder.path() / "node_x.log") << "no log";
  std::ofstream(folder.path() / "node_01.log") << "no log either";
  CHECK(folder.logged_nodes() == std::vector<Node>{0});
  auto reader = RunReader::open(folder);
  REQUIRE(reader);
  REQUIRE(reader->poll(list));
  CHECK(reader->finish(list).at_end);
  CHECK(list.entries.size() == 10);
  CHECK(reader->identity().run_id == "run");
}

TEST_CASE("a torn log of one node loses no records of the others") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  for (Node node = 0; node < 3; ++node) write_log(folder, node, 100);
  const auto torn = folder.log_path(1);
  std::filesystem::resize_file(torn, std::filesystem::file_size(torn) / 2);
  support::RecordList list;
  const auto read = read_run(folder, list);
  REQUIRE(read);
  CHECK(read->tail_bytes > 0);
  std::size_t whole = 0;
  for (const auto& entry : list.entries) whole += entry.stamp.node != 1 ? 1U : 0U;
  CHECK(whole == 200);
  CHECK(list.entries.size() > 240);
}

TEST_CASE("without the log of node 0 the others are read, and its clock is unknown") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  for (Node node = 1; node < 3; ++node) write_log(folder, node, 100);
  support::RecordList list;
  CHECK(read_run(folder, list)->decoded.records == 200);
  CHECK(list.entries.size() == 200);
  CHECK(RunReader::open(folder)->identity().run_id.empty());
}

TEST_CASE("a cancelled reading is an error") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  for (Node node = 0; node < 2; ++node) write_log(folder, node, 10);
  support::RecordList list;
  CHECK_FALSE(read_run(folder, list, [](std::uint64_t, std::uint64_t) { return false; }));
}

}  // namespace ringside::runlog
