#include "gui/slurm/study_jobs.h"

#include "gui/slurm/job_file.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::slurm;
using World = std::vector<launch::WorldSize>;

TEST_CASE("devices of a study are on as many nodes as they fill") {
  CHECK(on_nodes({{1, 1}, {4, 1}, {8, 1}, {16, 1}}, 4).value() ==
        World{{1, 1}, {4, 1}, {8, 2}, {16, 4}});
  CHECK(on_nodes({{2, 1}, {6, 2}}, 4).value() == World{{2, 1}, {6, 2}});
  CHECK(on_nodes({{8, 1}, {8, 2}}, 4).value() == World{{8, 2}});
  CHECK(on_nodes({{8, 1}, {16, 1}}, 0).value() == World{{8, 1}, {16, 1}});
}

TEST_CASE("what does not fill its nodes is a bad request that says how to write it") {
  for (const World& world : {World{{6, 1}}, World{{16, 2}}}) {
    const auto spread = on_nodes(world, 4);
    REQUIRE_FALSE(spread);
    CHECK(spread.error().kind == ErrorKind::kRequest);
    CHECK(spread.error().message.find("nodes of 4 GPUs") != std::string::npos);
  }
}

TEST_CASE("points of nodes by GPUs stay as they are written, whatever nodes the recipe has") {
  launch::SweepRequest request;
  request.world = launch::parse_world("1x1,1x2,2x2").value();
  REQUIRE(place_on_nodes({.gpus_per_node = 2}, request));
  CHECK(request.world == World{{1, 1}, {2, 1}, {4, 2}});
  messages::RunSpec recipe;
  recipe.devices.kind = "auto";
  recipe.devices.world_size = 4;
  recipe.devices.nodes = 2;
  recipe.devices.ranks_per_node = 2;
  recipe.devices.virtual_nodes = true;
  launch::Machine cluster;
  cluster.elsewhere = true;
  const auto sweep =
      launch::plan_sweep(recipe_on_cluster(recipe, {.gpus_per_node = 2}), request, cluster);
  REQUIRE(sweep);
  std::vector<std::vector<std::int64_t>> points;
  for (const auto& setting : sweep->settings) {
    CHECK(setting.spec.devices.kind == "cuda");
    CHECK_FALSE(setting.spec.devices.virtual_nodes);
    points.push_back({setting.spec.devices.nodes, setting.spec.devices.world_size});
  }
  CHECK(points == std::vector<std::vector<std::int64_t>>{{1, 1}, {1, 2}, {2, 4}});
}

TEST_CASE("a variant needs as many GPUs on one node as it has devices") {
  launch::SweepRequest request;
  request.world = {{1, 1}, {8, 1}};
  request.variants = {{"bf16", 8}};
  const auto placed = place_on_nodes({.gpus_per_node = 4}, request);
  REQUIRE_FALSE(placed);
  CHECK(placed.error().message == "--variants bf16@8 is on one node, and each has 4 GPUs");
  request.variants = {{"bf16", 4}, {"dp", 0}};
  CHECK(place_on_nodes({.gpus_per_node = 4}, request));
}

TEST_CASE("inside an allocation no study is queued") {
  const Variable none("SLURM_JOB_ID", "");
  CHECK(refuse_study_inside());
  const Variable job("SLURM_JOB_ID", "12");
  const auto refused = refuse_study_inside();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("from outside of an allocation: this is Slurm job 12") !=
        std::string::npos);
}

TEST_CASE("the recipe has no device of this machine, and keeps its number of ranks") {
  messages::RunSpec recipe;
  recipe.devices.kind = "auto";
  recipe.devices.world_size = 2;
  recipe.devices.ids = {"GPU-1", "GPU-2"};
  CHECK(recipe_on_cluster(recipe, {}).devices.kind == "cpu");
  const auto gpus = recipe_on_cluster(recipe, {.gpus_per_node = 4});
  CHECK(gpus.devices.kind == "cuda");
  CHECK(gpus.devices.world_size == 2);
  CHECK(gpus.devices.ids.empty());
}

TEST_CASE("a study goes on with the options of its newest job") {
  const TempFolder temp;
  const auto make = [&temp](const std::string& id, const std::string& partition, bool step) {
    std::filesystem::create_directories(temp.path() / id);
    JobFile file{"1", {.partition = partition}, 1, {}};
    file.is_step = step;
    REQUIRE(write_job_file(runlog::RunFolder(temp.path() / id), file));
  };
  CHECK_FALSE(options_of_study(temp.path(), {"", "a"}));
  make("b", "old", false);
  make("c", "new", false);
  make("d", "held", true);
  CHECK(options_of_study(temp.path(), {"", "a", "b", "c", "d"})->partition == "new");
}
