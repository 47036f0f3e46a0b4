// The scalars and folders that each kind of record is written to; also checks that no half-written
// file is visible.
#include "gui/export/tensorboard_exporter.h"

#include <cmath>
#include <iterator>
#include <limits>

#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "tests/gui/export/event_reader.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::messages;
using exporting::TensorBoardExporter;

namespace {

constexpr const char* kRun = "20261121T134005Z-7f3a1c";
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::unique_ptr<TensorBoardExporter> begin(const fs::path& folder) {
  return TensorBoardExporter::create(folder, kRun).value();
}

tests::ReadEvents events_of(const fs::path& folder, const std::string& record_sender) {
  const auto text =
      read_text(folder / record_sender / ("events.out.tfevents." + std::string(kRun)));
  INFO(record_sender);
  REQUIRE(text);
  return tests::read_events(*text);
}

RankHello hello_at(std::int64_t wall_ns) {
  RankHello hello;
  hello.wall_ns = wall_ns;
  return hello;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a step becomes one value per tag at its time, and unknown values are left out") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  exporter->accept({0, 1, 0, 1'000'000'000}, hello_at(1'795'271'067'000'000'000));
  StepReport step{.epoch = 2, .step = 41, .samples = 32, .loss = 0.25F, .correct = 8, .lr = 0.1};
  step.step_ns = 12'500'000;
  step.forward_ns = 4'000'000;
  exporter->accept({0, 1, 1, 3'500'000'000}, step);
  const auto summary = exporter->finish();
  REQUIRE(summary);
  REQUIRE(summary->files.size() == 1);
  CHECK(summary->files[0].name == "rank_1/events.out.tfevents." + std::string(kRun));
  CHECK(summary->values == 8);
  CHECK(summary->size_bytes == fs::file_size(folder.path() / summary->files[0].name));
  const auto events = events_of(folder.path(), "rank_1");
  CHECK(events.size() == 8);
  CHECK(events.at("step/loss").at(0).value == 0.25F);
  CHECK(events.at("step/loss").at(0).step == 41);
  CHECK(events.at("step/loss").at(0).wall_time_s == Approx(1'795'271'069.5).epsilon(1e-15));
  CHECK(events.at("step/accuracy").at(0).value == 0.25F);
  CHECK(events.at("step/lr").at(0).value == 0.1F);
  CHECK(events.at("time_ms/step").at(0).value == 12.5F);
  CHECK(events.at("time_ms/forward").at(0).value == 4.0F);
  CHECK(events.count("time_ms/backward") == 0);
  CHECK(events.count("step/grad_norm") == 0);
}

TEST_CASE("NaN and Inf are kept, and a loss that was never reported is left out") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  StepReport step{.loss = kInfinity};
  exporter->accept({0, 0, 0, 0}, step);
  step.step = 1;
  step.loss = std::nanf("");
  step.grad_norm = -kInfinity;
  exporter->accept({0, 0, 1, 0}, step);
  exporter->accept({0, 1, 0, 0}, StepReport{});
  exporter->accept({0, 0, 2, 0}, Scalar{"large", 1, 1e300});
  REQUIRE(exporter->finish());
  const auto events = events_of(folder.path(), "rank_0");
  REQUIRE(events.at("step/loss").size() == 2);
  CHECK(events.at("step/loss")[0].value == kInfinity);
  CHECK(std::isnan(events.at("step/loss")[1].value));
  CHECK(events.at("step/grad_norm").at(0).value == -kInfinity);
  CHECK(events.at("large").at(0).value == kInfinity);
  CHECK(events_of(folder.path(), "rank_1").count("step/loss") == 0);
}

TEST_CASE("epochs, scalars, devices and hosts go to the expected folders and tags") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  exporter->accept({0, 0, 0, 0}, StepReport{.step = 7});
  EpochReport epoch{.epoch = 3, .phase = Phase::kValidate, .loss_sum = 5, .correct = 30};
  epoch.counted = 40;
  epoch.seconds = 1.5;
  exporter->accept({0, 0, 1, 0}, epoch);
  exporter->accept({0, 0, 2, 0}, EpochReport{.phase = Phase::kTest});  // nothing was counted
  exporter->accept({0, 0, 3, 0}, Scalar{"val/top5", 12, 0.5});
  exporter->accept({0, 0, 4, 0}, Scalar{"step/loss", 12, 99});
  exporter->accept({0, 0, 5, 0}, Scalar{"bad \xFF name", 12, 1});
  exporter->accept({0, kNoRank, 0, 0}, Scalar{"", 12, 1});
  exporter->accept({0, kNoRank, 1, 0}, DeviceSample{.device_index = 2,
                                                    .device_uuid = "GPU-1",
                                                    .valid = 0b100011,
                                                    .utilisation_pct = 50,
                                                    .memory_used_bytes = 1024,
                                                    .sm_clock_mhz = 1410});
  HostSample host;
  host.disk_free_bytes = 4096;
  host.rank_resident_bytes = {-1, 2048};
  exporter->accept({0, kNoRank, 2, 0}, host);
  REQUIRE(exporter->finish());
  const auto rank = events_of(folder.path(), "rank_0");
  CHECK(rank.at("epoch_validate/accuracy").at(0).value == 0.75F);
  CHECK(rank.at("epoch_validate/accuracy").at(0).step == 3);
  CHECK(rank.at("epoch_validate/loss").at(0).value == 0.125F);
  CHECK(rank.at("epoch_validate/seconds").at(0).value == 1.5F);
  CHECK(rank.count("epoch_test/accuracy") == 0);
  CHECK(rank.at("val/top5").at(0).step == 12);
  CHECK(rank.at("scalar/step/loss").at(0).value == 99);
  CHECK(rank.count("step/loss") == 0);
  CHECK(rank.count("bad \\xff name") == 1);
  const auto node = events_of(folder.path(), "node_0");
  CHECK(node.at("scalar").size() == 1);
  CHECK(node.at("device_2/utilisation_pct").at(0).value == 50);
  CHECK(node.at("device_2/utilisation_pct").at(0).step == 7);
  CHECK(node.at("device_2/memory_used_bytes").at(0).value == 1024);
  CHECK(node.at("device_2/sm_clock_mhz").at(0).value == 1410);
  CHECK(node.count("device_2/power_w") == 0);
  CHECK(node.at("host/disk_free_bytes").at(0).value == 4096);
  CHECK(node.at("host/rank_resident_bytes/1").at(0).value == 2048);
  CHECK(node.count("host/rank_resident_bytes/0") == 0);
  CHECK(node.count("host/cpu_pct") == 0);
}

TEST_CASE("attempts have folders of their own, each complete") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  RankState state;
  exporter->accept({0, kNoRank, 0, 0}, state);
  for (Step step = 0; step < 5; ++step)
    exporter->accept({0, 0, 0, 0}, StepReport{.step = step, .loss = 1});
  state.attempt = 1;
  exporter->accept({0, kNoRank, 1, 0}, state);
  HostSample host;
  host.disk_free_bytes = 4096;
  exporter->accept({0, kNoRank, 2, 0}, host);
  for (Step step = 3; step < 6; ++step)
    exporter->accept({0, 0, 0, 0}, StepReport{.step = step, .loss = 2});
  const auto summary = exporter->finish();
  REQUIRE(summary);
  CHECK(summary->files.size() == 3);
  const auto first = events_of(folder.path(), "rank_0").at("step/loss");
  REQUIRE(first.size() == 5);
  CHECK(first.back().step == 4);
  const auto second = events_of(folder.path(), "rank_0_attempt_1").at("step/loss");
  REQUIRE(second.size() == 3);
  CHECK(second.front().step == 3);
  CHECK(second.front().value == 2);
  const auto node = events_of(folder.path(), "node_0_attempt_1");
  CHECK(node.at("host/disk_free_bytes").at(0).step == 0);
}

TEST_CASE("nothing is thinned, with more ranks than a process may have open files") {
  TempFolder folder;
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  rlimit few = files;
  few.rlim_cur = 64;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  auto exporter = begin(folder.path());
  constexpr Rank kRanks = 200;
  constexpr Step kSteps = 100;
  for (Step step = 0; step < kSteps; ++step) {
    for (Rank rank = 0; rank < kRanks; ++rank) {
      StepReport report{.step = step, .loss = static_cast<float>(step * kRanks + rank)};
      exporter->accept({0, rank, static_cast<std::uint64_t>(step), step}, report);
    }
  }
  const auto summary = exporter->finish();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  REQUIRE(summary);
  REQUIRE(summary->files.size() == kRanks);
  for (const Rank rank : {0, 117, 199}) {
    const auto loss = events_of(folder.path(), "rank_" + std::to_string(rank)).at("step/loss");
    REQUIRE(loss.size() == kSteps);
    for (Step step = 0; step < kSteps; ++step) {
      const auto& value = loss[static_cast<std::size_t>(step)];
      REQUIRE(value.step == step);
      REQUIRE(value.value == static_cast<float>(step * kRanks + rank));
    }
  }
}

TEST_CASE("a later export of the run replaces the earlier one, and an abandoned one does not") {
  TempFolder folder;
  const auto steps_seen = [&] { return events_of(folder.path(), "rank_0").at("step/lr").size(); };
  const auto write = [&](std::uint64_t steps, bool finish) {
    auto exporter = begin(folder.path());
    for (std::uint64_t i = 0; i < steps; ++i) exporter->accept({0, 0, i, 0}, StepReport{});
    if (finish) REQUIRE(exporter->finish());
  };
  write(3, true);
  CHECK(steps_seen() == 3);
  write(5000, false);
  CHECK(steps_seen() == 3);
  CHECK(entries(folder.path()) == 1);
  write(5, true);
  CHECK(steps_seen() == 5);
  CHECK(entries(folder.path() / "rank_0") == 1);
}

TEST_CASE("a folder with other event files is refused with their name") {
  TempFolder folder;
  const std::string place = GENERATE(as<std::string>(), "", "rank_4/", "node_0/");
  folder.write(place + "events.out.tfevents.123.host", "x");
  const auto exporter = TensorBoardExporter::create(folder.path(), kRun);
  REQUIRE(!exporter);
  CHECK(exporter.error().kind == ErrorKind::kRequest);
  CHECK(exporter.error().message.find(place + "events.out.tfevents.123.host") != std::string::npos);
  CHECK(exporter.error().message.find("--tensorboard") != std::string::npos);
}

TEST_CASE("an impossible rank number is ignored") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  exporter->accept({0, 2'000'000'000, 0, 0}, StepReport{});
  exporter->accept({-7, 0, 0, 0}, StepReport{});
  exporter->accept({0, -5, 0, std::numeric_limits<std::int64_t>::min()}, StepReport{});
  exporter->accept({0, 0, 0, std::numeric_limits<std::int64_t>::min()}, hello_at(1));
  const auto summary = exporter->finish();
  REQUIRE(summary);
  CHECK(summary->files.empty());
  // The hidden folder stays until the exporter is destroyed.
  CHECK(fs::is_empty(folder.path()) == false);
  exporter.reset();
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a file that cannot grow fails the export and leaves nothing") {
  TempFolder folder;
  auto exporter = begin(folder.path());
  const auto summary = with_full_disk(4096, [&] {
    for (std::uint64_t i = 0; i < 1000; ++i) exporter->accept({0, 0, i, 0}, StepReport{});
    return exporter->finish();
  });
  REQUIRE(!summary);
  CHECK(summary.error().message.find("rank_0") != std::string::npos);
  exporter.reset();
  CHECK(fs::is_empty(folder.path()));
}
