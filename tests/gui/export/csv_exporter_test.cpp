// The files of the CSV export: names, headers, one row per record, exact values, and nothing
// half-written visible.
#include "gui/export/csv_exporter.h"

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>

#include "protocol/host/files.h"
#include "protocol/messages/device_records.h"
#include "protocol/messages/epoch_records.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/group_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/step_records.h"
#include "tests/gui/export/csv_reader.h"
#include "tests/support/catch.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::messages;
using exporting::CsvExporter;

namespace {

struct Folder : TempFolder {
  fs::path operator/(std::string_view name) const { return path() / name; }
};

tests::CsvRows rows_of(const fs::path& file) { return tests::parse_csv(read_text(file).value()); }

std::string csv_exporter_cell(const tests::CsvRows& rows, std::size_t row,
                              std::string_view column) {
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (rows[0][i] == column) return rows.at(row).at(i);
  }
  FAIL("no column " << column);
  return {};
}

template <class Body, class Change>
Body with(Change&& change) {
  Body body;
  change(body);
  return body;
}

Record some_record(std::mt19937_64& random) {
  Record record;
  switch (random() % 16) {
    case 0:
      record = with<RankHello>([](auto& r) { r.device_name = "a, \"b\"\n=c"; });
      break;
    case 1:
      record = BucketReport{.step = 3};
      break;
    case 2:
      record = EpochReport{};
      break;
    case 3:
      record = ShardReport{.indices = {5, 2, 7}};
      break;
    case 4:
      record = DeviceSample{};
      break;
    case 5:
      record = with<HostSample>([](auto& r) { r.rank_resident_bytes = {1, -1}; });
      break;
    case 6:
      record = with<RankState>([](auto& r) { r.text = "=cmd|' /C calc'!A0"; });
      break;
    case 7:
      record = ClockSync{};
      break;
    case 8:
      record = messages::Checkpoint{.path = "a/b"};
      break;
    case 9:
      record = Notice{.code = "x", .text = "line\r\nline"};
      break;
    case 10:
      record = Scalar{.name = "-x", .value = -1.5};
      break;
    case 11:
      record = RankGoodbye{};
      break;
    case 12:
      record = messages::DeviceLink{"GPU-a", "GPU-b", "NV4"};
      break;
    case 13:
      record = messages::GroupReport{0, "0", "", "", "gloo", {0, 1}};
      break;
    case 14:
      record = messages::CollectiveReport{};
      break;
    default:
      record = StepReport{};
  }
  return record;
}

std::string file_of(const Record& record) {
  static const std::vector<std::string> kFiles = {
      "ranks.csv", "steps.csv",   "buckets.csv", "epochs.csv",     "shards.csv",  "devices.csv",
      "hosts.csv", "ranks.csv",   "notices.csv", "notices.csv",    "notices.csv", "scalars.csv",
      "ranks.csv", "notices.csv", "ranks.csv",   "collectives.csv"};
  return kFiles.at(record.index());
}

}  // namespace

TEST_CASE("every file has one row per record, and the folder has no other files") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "20261121T134005Z-7f3a1c").value();
  std::map<std::string, std::size_t> expected;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Record record = some_record(random);
    ++expected[file_of(record)];
    exporter->accept(Stamp{0, static_cast<Rank>(random() % 3) - 1, i, static_cast<std::int64_t>(i)},
                     record);
  }
  const auto summary = exporter->finish();
  REQUIRE(summary);
  CHECK(summary->rows == 5000);
  CHECK(summary->files.size() == 10);
  std::size_t found = 0;
  exporter.reset();
  for (const auto& entry : fs::directory_iterator(folder / "out")) {
    ++found;
    const auto name = entry.path().filename().string();
    const auto rows = rows_of(entry.path());
    INFO(name);
    CHECK(rows.size() == expected[name] + 1);
    for (const auto& row : rows) REQUIRE(row.size() == rows[0].size());
    CHECK(rows[0][0] == "run");
    CHECK(rows[0][1] == "node");
    CHECK(rows[0][2] == "rank");
  }
  CHECK(found == 10);
}

TEST_CASE("the headers are those that scripts rely on") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "r").value();
  REQUIRE(exporter->finish());
  const auto head = [&](const char* name) {
    auto text = read_text(folder / "out" / name).value();
    return text.substr(0, text.find('\r'));
  };
  CHECK(head("steps.csv") ==
        "run,node,rank,epoch,step,seq,mono_ns,samples,loss,correct,lr,grad_norm,loss_scale,skipped,"
        "data_wait_ns,"
        "host_to_device_ns,forward_ns,backward_ns,exposed_comm_ns,optimizer_ns,step_ns,"
        "local_grad_norm,non_finite_buckets,attempt");
  CHECK(head("buckets.csv") ==
        "run,node,rank,epoch,step,seq,mono_ns,bucket,size_bytes,ready_ns,reduced_ns,attempt");
  CHECK(head("epochs.csv") ==
        "run,node,rank,epoch,seq,mono_ns,phase,loss_sum,correct,counted,padded,steps,seconds,last_"
        "step,padded_correct,idle_seconds,attempt");
  CHECK(head("scalars.csv") == "run,node,rank,step,seq,mono_ns,name,value,own_step,attempt");
  CHECK(head("notices.csv") ==
        "run,node,rank,epoch,step,seq,mono_ns,record,severity,code,text,path,size_bytes,seconds,"
        "peer,offset_ns,"
        "uncertainty_ns,from_uuid,to_uuid,link,attempt");
  CHECK(head("shards.csv") ==
        "run,node,rank,epoch,seq,mono_ns,sampler_seed,dataset_size,shard_size,padded,offset,stride,"
        "indices,replica,replicas,attempt");
}

TEST_CASE("values are in the right columns, bit for bit") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "=odd,id").value();
  StepReport step{.epoch = 2, .step = 41, .samples = 32, .loss = 0.1F, .lr = 1.0 / 3.0};
  step.grad_norm = -0.0F;
  step.forward_ns = 1234567;
  exporter->accept({1, 3, 77, 999}, step);
  step.epoch = -1;
  step.loss = std::nanf("");
  step.step = 42;
  exporter->accept({1, 3, 78, 1000}, step);
  step.loss = kUnknownF;
  step.step = 43;
  exporter->accept({1, 3, 79, 1001}, step);
  exporter->accept({0, kNoRank, 0, 5}, with<RankState>([](auto& r) {
                     r.state = State::kStarting;
                     r.about = 1;
                   }));
  exporter->accept({0, kNoRank, 1, 6}, DeviceSample{.device_uuid = "GPU-1",
                                                    .valid = 0b100010,
                                                    .utilisation_pct = 5,
                                                    .memory_used_bytes = 17,
                                                    .sm_clock_mhz = 1410});
  REQUIRE(exporter->finish());
  const auto steps = rows_of(folder / "out" / "steps.csv");
  CHECK(csv_exporter_cell(steps, 1, "run") == "'=odd,id");
  CHECK(csv_exporter_cell(steps, 1, "node") == "1");
  CHECK(csv_exporter_cell(steps, 1, "rank") == "3");
  CHECK(csv_exporter_cell(steps, 1, "epoch") == "2");
  CHECK(csv_exporter_cell(steps, 2, "epoch").empty());
  CHECK(csv_exporter_cell(steps, 1, "seq") == "77");
  CHECK(csv_exporter_cell(steps, 1, "loss") == "0.1");
  CHECK(std::strtod(csv_exporter_cell(steps, 1, "lr").c_str(), nullptr) == 1.0 / 3.0);
  CHECK(csv_exporter_cell(steps, 1, "grad_norm") == "-0");
  CHECK(csv_exporter_cell(steps, 1, "correct").empty());
  CHECK(csv_exporter_cell(steps, 1, "forward_ns") == "1234567");
  CHECK(csv_exporter_cell(steps, 2, "loss") == "nan");
  CHECK(csv_exporter_cell(steps, 3, "loss").empty());
  CHECK(csv_exporter_cell(steps, 2, "step") == "42");
  const auto ranks = rows_of(folder / "out" / "ranks.csv");
  CHECK(csv_exporter_cell(ranks, 1, "rank").empty());
  CHECK(csv_exporter_cell(ranks, 1, "about") == "1");
  CHECK(csv_exporter_cell(ranks, 1, "state") == "starting");
  CHECK(csv_exporter_cell(ranks, 1, "record") == "state");
  CHECK(csv_exporter_cell(ranks, 1, "pid").empty());
  const auto devices = rows_of(folder / "out" / "devices.csv");
  CHECK(csv_exporter_cell(devices, 1, "utilisation_pct").empty());
  CHECK(csv_exporter_cell(devices, 1, "memory_used_bytes") == "17");
  CHECK(csv_exporter_cell(devices, 1, "sm_clock_mhz") == "1410");
  CHECK(csv_exporter_cell(devices, 1, "power_w").empty());
}

TEST_CASE("rows of a restarted run have their attempt") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "r").value();
  for (std::int32_t attempt = 0; attempt < 2; ++attempt) {
    exporter->accept({0, kNoRank, 0, 0}, with<RankState>([&](auto& r) { r.attempt = attempt; }));
    exporter->accept({0, 1, 0, 0}, with<RankHello>([&](auto& r) { r.attempt = attempt; }));
    exporter->accept({0, 1, 1, 0}, StepReport{.step = 7});
    exporter->accept({0, 1, 2, 0}, Scalar{.name = "x"});
    exporter->accept({0, kNoRank, 1, 0}, Notice{.code = "x", .text = "y"});
  }
  // The log of another node begins with a first attempt of its own.
  exporter->accept({1, kNoRank, 0, 0}, with<RankState>([](auto&) {}));
  exporter->accept({1, 2, 0, 0}, StepReport{.step = 7});
  REQUIRE(exporter->finish());
  const auto steps = rows_of(folder / "out" / "steps.csv");
  REQUIRE(steps.size() == 4);
  CHECK(csv_exporter_cell(steps, 1, "attempt") == "0");
  CHECK(csv_exporter_cell(steps, 2, "attempt") == "1");
  CHECK(csv_exporter_cell(steps, 3, "attempt") == "0");
  for (const char* name : {"scalars.csv", "notices.csv"}) {
    CHECK(csv_exporter_cell(rows_of(folder / "out" / name), 2, "attempt") == "1");
  }
  CHECK(csv_exporter_cell(rows_of(folder / "out" / "ranks.csv"), 4, "attempt") == "1");
}

TEST_CASE("a single attempt can be exported") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "r").value();
  exporting::NewestAttempt newest;
  exporting::OneAttempt last(*exporter, 2);
  for (messages::RecordSink* sink :
       {static_cast<messages::RecordSink*>(&newest), static_cast<messages::RecordSink*>(&last)}) {
    for (std::int32_t attempt = 0; attempt < 3; ++attempt) {
      sink->accept({0, kNoRank, 0, 0}, with<RankState>([&](auto& r) { r.attempt = attempt; }));
      sink->accept({0, 1, 1, 0}, StepReport{.step = attempt});
    }
  }
  CHECK(newest.attempt() == 2);
  REQUIRE(exporter->finish());
  const auto steps = rows_of(folder / "out" / "steps.csv");
  REQUIRE(steps.size() == 2);
  CHECK(csv_exporter_cell(steps, 1, "step") == "2");
  CHECK(csv_exporter_cell(steps, 1, "attempt") == "2");
  CHECK(rows_of(folder / "out" / "ranks.csv").size() == 2);
}

TEST_CASE("only the chosen tables are written, and others of an earlier export stay") {
  Folder folder;
  REQUIRE(CsvExporter::create(folder / "out", "r").value()->finish());
  const auto before = read_text(folder / "out" / "hosts.csv").value();
  const auto choice = exporting::choose_csv_tables("steps, epochs").value();
  auto exporter = CsvExporter::create(folder / "out", "r", choice).value();
  std::mt19937_64 random(3);
  std::size_t steps = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Record record = some_record(random);
    steps += file_of(record) == "steps.csv" ? 1U : 0U;
    exporter->accept({0, 0, i, 0}, record);
  }
  const auto summary = exporter->finish();
  REQUIRE(summary);
  REQUIRE(summary->files.size() == 2);
  CHECK(summary->files[0].name == "steps.csv");
  CHECK(summary->files[0].rows == steps);
  CHECK(summary->files[1].name == "epochs.csv");
  CHECK(rows_of(folder / "out" / "steps.csv").size() == steps + 1);
  CHECK(read_text(folder / "out" / "hosts.csv").value() == before);
}

TEST_CASE("an unknown table is a bad request that names the nearest one") {
  const auto wrong = exporting::choose_csv_tables("steps,epoch");
  REQUIRE(!wrong);
  CHECK(wrong.error().kind == ErrorKind::kRequest);
  CHECK(wrong.error().message.find("\"epochs\"") != std::string::npos);
  CHECK(!exporting::choose_csv_tables(""));
  CHECK(!exporting::choose_csv_tables("steps,,epochs"));
  CHECK(exporting::choose_csv_tables("shards,steps,steps")->count() == 2);
  CHECK(exporting::all_csv_tables().count() == 10);
}

TEST_CASE("an abandoned export leaves the earlier one unchanged") {
  Folder folder;
  auto first = CsvExporter::create(folder / "out", "r").value();
  first->accept({0, 0, 0, 0}, StepReport{});
  REQUIRE(first->finish());
  first.reset();
  const auto before = read_text(folder / "out" / "steps.csv").value();
  {
    auto second = CsvExporter::create(folder / "out", "r").value();
    for (std::uint64_t i = 0; i < 10000; ++i) second->accept({0, 0, i, 0}, StepReport{});
    CHECK(read_text(folder / "out" / "steps.csv").value() == before);
  }
  CHECK(read_text(folder / "out" / "steps.csv").value() == before);
  CHECK(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator{}) == 10);
}

TEST_CASE("tables of a person or of another run are replaced only on request") {
  Folder folder;
  const auto refused = [&](const std::string& run, const exporting::CsvChoice& choice) {
    const auto exporter = CsvExporter::create(folder / "out", run, choice);
    REQUIRE(!exporter);
    CHECK(exporter.error().kind == ErrorKind::kRequest);
    CHECK(exporter.error().message.find("--force") != std::string::npos);
    return exporter.error().message;
  };
  const auto all = exporting::all_csv_tables();
  folder.write("out/notices.csv", "my own");
  CHECK(refused("r", all).find("notices.csv") != std::string::npos);
  CHECK(read_text(folder / "out" / "notices.csv").value() == "my own");
  CHECK(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator{}) == 1);

  auto exporter = CsvExporter::create(folder / "out", "r", all, true).value();
  exporter->accept({0, 0, 0, 0}, StepReport{});
  REQUIRE(exporter->finish());
  CHECK(rows_of(folder / "out" / "notices.csv").size() == 1);
  // Tables of two runs are never mixed in one folder.
  CHECK(refused("r2", *exporting::choose_csv_tables("epochs")).find("steps.csv") !=
        std::string::npos);
  CHECK(CsvExporter::create(folder / "out", "r"));

  // Devices, pipes and links are never replaced.
  fs::remove(folder / "out" / "steps.csv");
  fs::create_symlink(folder / "mine", folder / "out" / "steps.csv");
  const auto link = CsvExporter::create(folder / "out", "r", all, true);
  REQUIRE(!link);
  CHECK(link.error().message.find("not a regular file") != std::string::npos);
}

TEST_CASE("a file that cannot grow fails the export with its name, and leaves nothing behind") {
  Folder folder;
  auto exporter = CsvExporter::create(folder / "out", "r").value();
  const auto summary = with_full_disk(4096, [&] {
    for (std::uint64_t i = 0; i < 10000; ++i) exporter->accept({0, 0, i, 0}, StepReport{});
    return exporter->finish();
  });
  REQUIRE(!summary);
  CHECK(summary.error().message.find("steps.csv") != std::string::npos);
  exporter.reset();
  CHECK(fs::is_empty(folder / "out"));
}

TEST_CASE("an export into a run that is moved away meanwhile fails and leaves nothing anywhere") {
  Folder folder;
  {
    auto exporter = CsvExporter::create(folder / "run/export", "r").value();
    fs::rename(folder / "run", folder / "trash");
    exporter->accept({0, 0, 0, 0}, StepReport{});
    const auto summary = exporter->finish();
    REQUIRE(!summary);
    CHECK(summary.error().message.find("moved away") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(folder / "run"));
  CHECK(fs::is_empty(folder / "trash/export"));
}

TEST_CASE("S9: if the export folder of a run is a link elsewhere, nothing is written through it") {
  Folder folder;
  folder.write("mine/steps.csv", "my own");
  folder.write("run/spec.toml", "");
  fs::create_directory_symlink(folder / "mine", folder / "run/export");
  const auto refused = CsvExporter::create(folder / "run/export", "r");
  REQUIRE(!refused);
  CHECK(refused.error().message.find("is a link to") != std::string::npos);
  CHECK(read_text(folder / "mine/steps.csv").value() == "my own");
  // A link that a person names was chosen.
  fs::create_directory_symlink(folder / "mine", folder / "link");
  const auto chosen = CsvExporter::create(folder / "link", "r", exporting::all_csv_tables(), true);
  REQUIRE(chosen);
  CHECK((*chosen)->finish());
}

TEST_CASE("a folder that cannot be created is a clear error") {
  Folder folder;
  REQUIRE(write_text_atomically(folder / "file", "x"));
  const auto exporter = CsvExporter::create(folder / "file" / "out", "r");
  REQUIRE(!exporter);
  CHECK(exporter.error().message.find("--csv") != std::string::npos);
}
