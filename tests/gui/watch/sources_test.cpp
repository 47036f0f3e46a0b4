#include "gui/watch/sources.h"

#include "tests/gui/watch/foreign_files.h"
#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using ringside::testing::event_file;
using watch::Format;

namespace {

std::vector<watch::Source> sources_of(const TempFolder& folder) {
  const auto sources = watch::find_sources(folder.path());
  REQUIRE(sources);
  CHECK(sources->left_out.empty());
  return sources->files;
}

}  // namespace

TEST_CASE("every folder with files is a run, rank_N below it is a rank, and train is a part") {
  const TempFolder folder;
  folder.write("ddp/rank_0/events.out.tfevents.1", "");
  folder.write("ddp/rank_1_attempt_1/events.out.tfevents.1", "");
  folder.write("ddp/node_0/events.out.tfevents.1", "");
  folder.write("keras/validation/events.out.tfevents.1.v2", "");
  folder.write("rank_x/metrics.csv", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 5);
  CHECK(sources[0].run == "ddp");
  CHECK(sources[0].rank == kNoRank);
  CHECK(sources[1].rank == 0);
  CHECK(sources[2].run == "ddp");
  CHECK(sources[2].rank == 1);
  CHECK(sources[3].run == "keras");
  CHECK(sources[3].prefix == "validation/");
  CHECK(sources[4].run == "rank_x");
  CHECK(sources[4].format == Format::kCsv);
}

TEST_CASE("files of all kinds in a folder belong to one run, W&B's first") {
  const TempFolder folder;
  folder.write("version_0/metrics.csv", "");
  folder.write("version_0/events.out.tfevents.1", "");
  folder.write("version_0/wandb/run-1.wandb", "");
  folder.write("version_0/hparams.yaml", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].format == Format::kWandb);
  CHECK(sources[1].run == "version_0");
  CHECK(sources[2].run == "version_0");
  CHECK(watch::can_watch(folder.path()));
}

TEST_CASE(
    "a table of any name counts if it has a column of steps, and beside others it is a run of its "
    "own") {
  const TempFolder folder;
  folder.write("one/training_log.CSV", "");
  folder.write("two/a.tsv", "");
  folder.write("two/b.csv", "");
  folder.write("three/metrics.csv", "");
  folder.write("three/notes.txt", "");
  folder.write("four/run-exp1-tag-train_loss.csv", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 6);
  CHECK(sources[0].run == "four/exp1");
  CHECK(sources[0].table.value_name == "train_loss");
  CHECK(sources[1].run == "one");
  CHECK_FALSE(sources[1].table.rows_are_steps);
  CHECK(sources[2].table.rows_are_steps);
  CHECK(sources[3].run == "three/notes");
  CHECK(sources[3].doubtful);
  CHECK(sources[4].run == "two/a");
  CHECK(sources[5].run == "two/b");
}

TEST_CASE("one file of any name is a run of one rank, and anything else is refused") {
  const TempFolder folder;
  folder.write("any name.csv", "");
  folder.write("log", "epoch,loss\n");
  folder.write("board", event_file(1.7e9, 1, "loss", 1));
  folder.write("weights", ":W&B");
  const auto format_of_one = [&](const char* name) {
    const auto one = watch::find_sources(folder.path() / name, "column");
    REQUIRE(one);
    REQUIRE(one->files.size() == 1);
    CHECK(one->files.front().run.empty());
    CHECK(one->files.front().rank == 0);
    CHECK(one->files.front().table.step == "column");
    return one->files.front().format;
  };
  CHECK(format_of_one("any name.csv") == Format::kCsv);
  CHECK(format_of_one("log") == Format::kCsv);
  CHECK(format_of_one("board") == Format::kTensorBoard);
  CHECK(format_of_one("weights") == Format::kWandb);
  CHECK_FALSE(watch::find_sources(folder.path() / "missing"));
  CHECK_FALSE(watch::can_watch(folder.path() / "log"));
}

TEST_CASE("links are followed, and a file that is reached twice is taken once by its own path") {
  const TempFolder folder;
  const TempFolder elsewhere;
  elsewhere.write("events.out.tfevents.2", "");
  folder.write("wandb/offline-run-1/run-1.wandb", "");
  folder.write("logs/events.out.tfevents.1", "");
  const auto link = [&](const std::filesystem::path& to, const char* name) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::filesystem::create_symlink(to, folder.path() / name);
  };
  link(folder.path() / "wandb/offline-run-1", "a_latest-run");
  link(folder.path(), "wandb/loop");
  link(elsewhere.path(), "exp");
  link(folder.path() / "logs/events.out.tfevents.1",
       "wandb/offline-run-1/files/events.out.tfevents.1");
  link("nowhere", "broken.csv");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].run == "wandb/offline-run-1");
  CHECK(sources[1].run == "exp");
  CHECK(sources[2].run == "logs");
}

TEST_CASE("files in the folder `files` of a W&B run belong to that run") {
  const TempFolder folder;
  folder.write("wandb/run-1/run-1.wandb", "");
  folder.write("wandb/run-1/files/tb/events.out.tfevents.1", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 2);
  CHECK(sources[1].run == "wandb/run-1");
}

TEST_CASE("a table's name may contain a rank, and numbers without the first ranks are not ranks") {
  const TempFolder folder;
  folder.write("a/loss_rank0.csv", "");
  folder.write("a/loss_rank1.csv", "");
  folder.write("b/metrics-rank_0.csv", "");
  folder.write("b/rank1_metrics.csv", "");
  folder.write("c/rank_16/metrics.csv", "");
  folder.write("c/rank_8/metrics.csv", "");
  folder.write("d/lora_rank2.csv", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 7);
  const char* const kRuns[] = {"a", "a", "b", "b", "c/rank_16", "c/rank_8", "d"};
  const Rank kRanks[] = {0, 1, 0, 1, 0, 0, 0};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    INFO(sources[i].path);
    CHECK(sources[i].run == kRuns[i]);
    CHECK(sources[i].rank == kRanks[i]);
  }
}

TEST_CASE("metrics of MLflow are tables of a run with its name") {
  const TempFolder folder;
  folder.write("mlruns/0/4be/meta.yaml", "end_time: 1\nrun_name: 'happy cat'\nstatus: 3\n");
  folder.write("mlruns/0/4be/metrics/val/loss", "1700000000000 0.5 10\n");
  folder.write("mlruns/0/4be/params/lr", "0.1");
  folder.write("other/metrics/loss", "1 2 3\n");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].run == "mlruns/0/4be");
  const auto reading = ringside::testing::read_whole(
      Format::kCsv, "1700000000000 0.5 10\n1700000001000 0.25 20\n", false, sources[0].table);
  CHECK(reading.values() == "val/loss@10=0.5 val/loss@20=0.25");
  CHECK(reading.found.points[1].wall_s == 1'700'000'001);
  CHECK(reading.found.title == "happy cat");
}

TEST_CASE("curves of DVCLive are tables of one run") {
  const TempFolder folder;
  folder.write("x/plots/metrics/lr.tsv", "");
  folder.write("x/plots/metrics/train/acc.tsv", "");
  folder.write("x/plots/metrics/train/gpu/mem.tsv", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 3);
  for (const auto& source : sources) CHECK(source.run == "x");
  CHECK(sources[0].prefix.empty());
  CHECK(sources[1].prefix == "train/");
  CHECK(sources[2].prefix == "train/gpu/");
}

TEST_CASE("JSON documents in a folder are a run each") {
  const TempFolder folder;
  folder.write("out/trainer_state.json", "");
  folder.write("out/config.json", "");
  folder.write("alone/log.jsonl", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].run == "alone");
  CHECK(sources[0].doubtful);
  CHECK(sources[2].run == "out/trainer_state");
}
