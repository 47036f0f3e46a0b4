#include "gui/watch/sources.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using watch::Format;

namespace {

std::vector<watch::Source> sources_of(const TempFolder& folder) {
  const auto sources = watch::find_sources(folder.path());
  REQUIRE(sources);
  return *sources;
}

}  // namespace

TEST_CASE("every folder with files is a run, rank_N below it is a rank, train is a part") {
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

TEST_CASE("of several kinds of files in one run the best known one counts") {
  const TempFolder folder;
  folder.write("version_0/metrics.csv", "");
  folder.write("version_0/events.out.tfevents.1", "");
  folder.write("version_1/metrics.csv", "");
  folder.write("version_1/notes.csv", "");
  folder.write("version_1/hparams.yaml", "");
  const auto sources = sources_of(folder);
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].format == Format::kTensorBoard);
  CHECK(sources[1].path.filename() == "metrics.csv");
  CHECK(watch::can_watch(folder.path()));
}

TEST_CASE("one file is a run of one rank, and what is neither is refused") {
  const TempFolder folder;
  folder.write("any name.csv", "");
  folder.write("notes.txt", "");
  const auto one = watch::find_sources(folder.path() / "any name.csv");
  REQUIRE(one);
  REQUIRE(one->size() == 1);
  CHECK(one->front().run.empty());
  CHECK(one->front().rank == 0);
  CHECK_FALSE(watch::find_sources(folder.path() / "notes.txt"));
  CHECK_FALSE(watch::find_sources(folder.path() / "missing"));
  CHECK_FALSE(watch::can_watch(folder.path()));
  CHECK_FALSE(watch::can_watch(folder.path() / "notes.txt"));
  CHECK(sources_of(folder).empty());
}

TEST_CASE("links to folders are not gone into") {
  const TempFolder folder;
  folder.write("wandb/offline-run-1/run-1.wandb", "");
  std::filesystem::create_directory_symlink(folder.path() / "wandb/offline-run-1",
                                            folder.path() / "wandb/latest-run");
  CHECK(sources_of(folder).size() == 1);
}
