// Runs read for a report, with one progress over all logs from the first byte to the last.
#include "gui/session/report_runs.h"

#include <algorithm>

#include "gui/export/csv_choice.h"
#include "gui/session/export_run.h"
#include "gui/view/log_damage.h"
#include "gui/view/number_format.h"
#include "protocol/base/byte_file.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;

namespace {

constexpr const char* kBaseline = "20261121T100000Z-aaaaaa";
constexpr const char* kReportRunsRun = "20261121T110000Z-bbbbbb";

struct TwoRuns {
  TwoRuns() {
    support::make_run(folder.path(), kBaseline, support::demo_small(1));
    support::make_run(folder.path(), kReportRunsRun, support::demo_small(2), kBaseline);
  }
  std::uint64_t log_bytes(const char* id) const {
    return fs::file_size(runlog::RunFolder(folder.path() / id).log_path(0));
  }
  TempFolder folder;
};

}  // namespace

TEST_CASE("a report reads the logs of the run and its baseline with one progress") {
  const TwoRuns made;
  const std::uint64_t all = made.log_bytes(kBaseline) + made.log_bytes(kReportRunsRun);
  std::vector<std::uint64_t> done;
  const auto read = session::ReportRuns::read(made.folder.path(), {kReportRunsRun},
                                              [&](std::uint64_t bytes, std::uint64_t total) {
                                                CHECK(total == all);
                                                done.push_back(bytes);
                                                return true;
                                              });
  REQUIRE(read);
  CHECK(read->runs().size() == 2);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(std::find(done.begin(), done.end(), made.log_bytes(kBaseline)) != done.end());
  REQUIRE_FALSE(done.empty());
  CHECK(done.back() == all);
}

TEST_CASE("a cancelled report reads no further log") {
  const TwoRuns made;
  int asked = 0;
  const auto read = session::ReportRuns::read(made.folder.path(), {kReportRunsRun},
                                              [&](std::uint64_t, std::uint64_t) {
                                                ++asked;
                                                return false;
                                              });
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("cancelled") != std::string::npos);
  CHECK(asked == 1);
}

TEST_CASE("runs that differ in more than devices get neither a speedup nor a scaling in a report") {
  const TempFolder folder;
  const std::vector<std::string> ids{"20261121T100000Z-aaaaaa", "20261121T110000Z-bbbbbb",
                                     "20261121T120000Z-cccccc"};
  const auto report_of = [&](const std::vector<Rank>& ranks, bool other_seed) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto options = support::demo_small(ranks[i]);
      auto spec = support::demo_spec(options);
      spec.optimizer.lr = 0.01 * static_cast<double>(i + 1);
      if (other_seed) spec.train.seed = static_cast<std::int64_t>(i);
      fs::remove_all(folder.path() / ids[i]);
      support::LogSink log(support::make_folder(folder.path(), ids[i], spec));
      support::play_demo(options, log);
    }
    auto read = session::ReportRuns::read(folder.path(), ids);
    REQUIRE(read);
    return view::build_report(read->runs());
  };
  const auto said = [](const std::vector<view::Table>& tables, const char* key) {
    std::string text;
    for (const view::TableRow& row : tables.front().rows)
      text += view::cell_of(tables.front(), row, key).text + " ";
    return text;
  };
  const auto has = [](const std::vector<view::Table>& tables, const std::string& key) {
    return std::any_of(tables.begin(), tables.end(),
                       [&](const view::Table& table) { return table.key == key; });
  };
  for (const bool other_seed : {false, true}) {
    // There is no scaling with equal numbers of devices, or with different work.
    const auto none =
        report_of(other_seed ? std::vector<Rank>{1, 2, 2} : std::vector<Rank>{2, 2, 2}, other_seed);
    CHECK(said(none, "scaling") == "– – – ");
    CHECK(said(none, "speedup") == "– – – ");
    CHECK_FALSE(has(none, "strong_scaling"));
    CHECK_FALSE(has(none, "weak_scaling"));
  }
  const auto scaled = report_of({1, 2, 4}, false);  // differs as with a learning rate rule
  CHECK(said(scaled, "scaling").find("–") == std::string::npos);
  CHECK(said(scaled, "speedup").find("×") != std::string::npos);
}

TEST_CASE("a run whose log is missing is in the report without one") {
  const TwoRuns made;
  fs::remove(runlog::RunFolder(made.folder.path() / kBaseline).log_path(0));
  const auto read = session::ReportRuns::read(made.folder.path(), {kReportRunsRun, kBaseline});
  REQUIRE(read);
  REQUIRE(read->runs().size() == 2);
  for (const auto& run : read->runs()) CHECK(run.model != nullptr);
}

TEST_CASE("a report and an export state lost records once each") {
  const TempFolder folder;
  auto options = support::demo_small(1);
  options.lose_every = 10;
  const auto run = support::make_run(folder.path(), kReportRunsRun, options);
  const std::string words = view::lost_records_text(12);
  const auto read = session::ReportRuns::read(folder.path(), {kReportRunsRun});
  REQUIRE(read);
  const auto tables = view::build_report(read->runs());
  const auto& notes = tables.front().notes;
  CHECK(std::count_if(notes.begin(), notes.end(), [&](const std::string& note) {
          return note.find(words) != std::string::npos;
        }) == 1);
  const auto exported =
      session::export_csv(run, folder.path() / "csv", exporting::all_csv_tables());
  REQUIRE(exported);
  auto damage = exported->damage;
  CHECK(damage.lost_records == 12);
  CHECK(view::damage_text(damage) == words);
  damage.lost_records = 0;
  CHECK(view::damage_text(damage).empty());
}

TEST_CASE("exports and reports of a run whose second node's log is missing report that") {
  const TempFolder folder;
  auto spec = support::demo_spec(support::demo_small(4));
  spec.devices.nodes = 2;
  const auto run = support::make_folder(folder.path(), kReportRunsRun, spec);
  {
    support::LogSink log(run);
    support::play_demo(support::demo_small(2), log);
  }
  const std::vector<Node> second{1};
  const auto tables = session::export_csv(run, folder.path() / "csv", exporting::all_csv_tables());
  REQUIRE(tables);
  CHECK(tables->damage.missing_nodes == second);
  const auto read = session::ReportRuns::read(folder.path(), {kReportRunsRun});
  REQUIRE(read);
  CHECK(read->runs().back().damage.missing_nodes == second);
  std::string notes;
  bool no_log = false;
  for (const view::Table& table : view::build_report(read->runs())) {
    for (const std::string& note : table.notes) notes += note + "\n";
    for (const view::TableRow& row : table.rows)
      no_log = no_log || (table.key == "nodes" && row.key == "n1" && row.cells[1].text == "no log");
  }
  CHECK(notes.find(view::missing_logs_text(second)) != std::string::npos);
  CHECK(no_log);
  fs::remove(run.log_path(0));
  const auto none = session::export_csv(run, folder.path() / "csv", exporting::all_csv_tables());
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("has no log (node_0.log)") != std::string::npos);
}
