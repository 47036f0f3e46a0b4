// The logs of all nodes of a run, read as one stream.
#include "gui/runs/run_source.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/runs/run_figures.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/run_state.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

/// Writes every record into the log of its node, as agents would.
class LogsOfNodes final : public messages::RecordSink {
 public:
  explicit LogsOfNodes(runlog::RunFolder folder) : folder_(std::move(folder)) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    auto& log = logs_[stamp.node];
    // The clock of node K is 5 K seconds ahead.
    if (!log) {
      log = std::make_unique<runlog::LogWriter>(
          runlog::LogWriter::open(
              *open_file(folder_.log_path(stamp.node), OpenMode::kAppend),
              {folder_.id(), stamp.node, 1'795'271'067 * kSecondNs,
               1000 * kSecondNs + stamp.node * 5 * kSecondNs, current_boot_id()})
              .value());
    }
    std::vector<std::byte> payload;
    messages::append_any_record(payload, stamp, record);
    REQUIRE(log->append(payload, 1));
  }

 private:
  runlog::RunFolder folder_;
  std::map<Node, std::unique_ptr<runlog::LogWriter>> logs_;
};

support::DemoOptions two_nodes() {
  support::DemoOptions options = support::demo_small(4);
  options.nodes = 2;
  return options;
}

/// Reads all records.
runs::SourceProgress read_all(runs::RunSource& source, messages::RecordSink& sink) {
  runs::SourceProgress progress;
  for (int i = 0; i < 1000 && !progress.ended; ++i) {
    const auto polled = source.poll(sink, 1U << 20, 10'000'000);
    REQUIRE(polled);
    progress = *polled;
  }
  REQUIRE(progress.ended);
  return progress;
}

}  // namespace

TEST_CASE("two logs give the same run as one log with both nodes") {
  const TempFolder temp;
  const auto options = two_nodes();
  const auto run =
      support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", support::demo_spec(options));
  LogsOfNodes logs(run);
  support::play_demo(options, logs);
  CHECK(run.logged_nodes() == std::vector<Node>{0, 1});
  support::RecordList expected;
  support::play_demo(options, expected);
  model::RunModel as_one(support::demo_spec(options));
  for (const auto& entry : expected.entries) as_one.accept(entry.stamp, entry.record);

  runs::RunSource source(run);
  support::RecordList list;
  const auto progress = read_all(source, list);
  CHECK(list.entries.size() == expected.entries.size());
  CHECK(progress.log.decoded.records == expected.entries.size());
  CHECK(progress.log.consumed_bytes == run.log_bytes());
  CHECK(source.identity(1).node == 1);
  // No record of a rank may come a whole step too early by the clock of node 0.
  std::int64_t newest_ns = 0;
  for (const auto& entry : list.entries) {
    if (!std::holds_alternative<messages::StepReport>(entry.record)) continue;
    const std::int64_t at_ns = entry.stamp.mono_ns - entry.stamp.node * 5 * kSecondNs;
    CHECK(at_ns > newest_ns - kSecondNs);
    newest_ns = std::max(newest_ns, at_ns);
  }
  model::RunModel merged(support::demo_spec(options));
  for (const auto& entry : list.entries) merged.accept(entry.stamp, entry.record);
  CHECK(merged.world_size() == as_one.world_size());
  CHECK(merged.newest_common_step() == as_one.newest_common_step());
  CHECK(merged.lost_records() == as_one.lost_records());
  CHECK(merged.run_state()->state == as_one.run_state()->state);
  for (const Rank rank : as_one.ranks()) {
    CHECK(merged.rank(rank)->node == as_one.rank(rank)->node);
    CHECK(merged.rank(rank)->steps_reported == as_one.rank(rank)->steps_reported);
  }
  // Lists and reports read the same records.
  const auto read = runs::read_run(run, support::demo_spec(options));
  CHECK(read.problem.empty());
  CHECK(read.model->newest_common_step() == as_one.newest_common_step());
  CHECK(read.damage.log.decoded.records == expected.entries.size());
}

TEST_CASE("a node whose log is created later is read too") {
  const TempFolder temp;
  const auto options = two_nodes();
  const auto run =
      support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", support::demo_spec(options));
  support::RecordList all;
  support::play_demo(options, all);
  {
    LogsOfNodes first(run);
    for (const auto& entry : all.entries) {
      if (entry.stamp.node == 0) first.accept(entry.stamp, entry.record);
    }
  }
  runs::RunSource source(run);
  support::RecordList list;
  read_all(source, list);
  LogsOfNodes second(run);
  for (const auto& entry : all.entries) {
    if (entry.stamp.node == 1) second.accept(entry.stamp, entry.record);
  }
  const std::int64_t deadline_ns = mono_now_ns() + 20 * kSecondNs;
  while (list.entries.size() < all.entries.size() && mono_now_ns() < deadline_ns)
    REQUIRE(source.poll(list, 1U << 20, 10'000'000));
  CHECK(list.entries.size() == all.entries.size());
}

TEST_CASE("a missing log is reported once the run has begun, and the others are read") {
  const Node gone = GENERATE(0, 1);
  const TempFolder temp;
  const auto options = two_nodes();
  auto spec = support::demo_spec(options);
  spec.devices.nodes = 2;
  const auto run = support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", spec);
  CHECK(runs::read_run(run, spec).damage.missing_nodes.empty());
  {
    LogsOfNodes logs(run);
    support::play_demo(options, logs);
  }
  CHECK(runs::read_run(run, spec).damage.missing_nodes.empty());
  std::filesystem::remove(run.log_path(gone));
  const auto read = runs::read_run(run, spec);
  CHECK(read.problem.empty());
  CHECK(read.damage.missing_nodes == std::vector<Node>{gone});
  REQUIRE(read.model->ranks().size() == 2);
  for (const Rank rank : read.model->ranks()) CHECK(read.model->rank(rank)->node == 1 - gone);
  CHECK(read.identity.run_id.empty() == (gone == 0));
  runs::RunSource source(run);
  support::RecordList list;
  read_all(source, list);
  CHECK_FALSE(list.entries.empty());
  CHECK(source.logged() == std::vector<Node>{1 - gone});
  const auto shown = runs::read_summaries(temp.path()).value().front().state;
  CHECK((shown.word == "finished") == (gone == 1));
  CHECK(shown.detail.starts_with("the log of node 0 is missing") == (gone == 0));
  std::filesystem::remove(run.log_path(1 - gone));
  CHECK(runs::read_run(run, spec).damage.missing_nodes.empty());
  std::filesystem::create_directories(run.attempt_dir(0));
  CHECK(runs::read_run(run, spec).damage.missing_nodes == std::vector<Node>{0, 1});
}

TEST_CASE("waiting for records works when node 0 has ended and another node goes on") {
  const TempFolder temp;
  const auto options = two_nodes();
  const auto run =
      support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", support::demo_spec(options));
  LogsOfNodes logs(run);
  support::play_demo(options, logs);
  REQUIRE(
      wire::write_agent_endpoint(run.agent_path(1), support::agent_endpoint_of(run.id(), true)));
  runs::RunSource source(run);
  support::RecordList list;
  std::uint64_t consumed = 0;
  for (int i = 0; i < 1000 && consumed < run.log_bytes(); ++i)
    consumed = source.poll(list, 1U << 20, 0).value().log.consumed_bytes;
  REQUIRE(consumed == run.log_bytes());
  const std::int64_t begin_ns = mono_now_ns();
  const auto progress = source.poll(list, 1U << 20, 20'000'000);
  CHECK(mono_now_ns() - begin_ns > 15'000'000);
  REQUIRE(progress);
  CHECK_FALSE(progress->ended);
}

TEST_CASE("a log does not count as missing before training begins") {
  const TempFolder temp;
  auto spec = support::demo_spec(two_nodes());
  spec.devices.nodes = 2;
  const auto run = support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", spec);
  LogsOfNodes logs(run);
  messages::RankState queued;
  queued.wall_ns = 1;
  logs.accept({0, kNoRank, 0, 1}, queued);
  CHECK(runs::read_run(run, spec).damage.missing_nodes.empty());
}

TEST_CASE("the state of the run is that of node 0") {
  model::RunModel model;
  messages::RankState state;
  state.state = messages::State::kTraining;
  model.accept({0, kNoRank, 0, 1000}, state);
  state.state = messages::State::kFinished;
  model.accept({1, kNoRank, 0, 2000}, state);
  REQUIRE(model.run_state());
  CHECK(model.run_state()->state == messages::State::kTraining);
  CHECK_FALSE(messages::is_of_run({1, kNoRank, 0, 0}, &state));
  CHECK_FALSE(messages::is_of_run({0, kNoRank, 0, 0}, nullptr));
}

TEST_CASE("a node whose log appears last is read before the run has ended") {
  const TempFolder temp;
  const auto options = two_nodes();
  const auto run =
      support::make_folder(temp.path(), "20261121T100000Z-aaaaaa", support::demo_spec(options));
  {
    LogsOfNodes logs(run);
    support::play_demo(options, logs);
  }
  const auto late = temp.path() / "late";
  std::filesystem::rename(run.log_path(1), late);
  std::optional<runlog::FolderLock> agent(*runlog::FolderLock::take(run));
  runs::RunSource source(run);
  support::RecordList list;
  const auto first = source.poll(list, 1U << 20, 0);
  REQUIRE(first);
  CHECK_FALSE(first->ended);
  std::filesystem::rename(late, run.log_path(1));
  agent.reset();
  read_all(source, list);
  std::set<Node> nodes;
  for (const auto& entry : list.entries) nodes.insert(entry.stamp.node);
  CHECK(nodes == std::set<Node>{0, 1});
}

}  // namespace ringside
