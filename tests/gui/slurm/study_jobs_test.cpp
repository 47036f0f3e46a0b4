#include "gui/slurm/study_jobs.h"

#include "gui/slurm/job_file.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::slurm;
using World = std::vector<launch::WorldSize>;

namespace {

Allocation study_jobs_two_nodes() { return {"12", "n[1-2]", 2, 8, 4}; }

}  // namespace

TEST_CASE("the devices of a study are placed on as many nodes as they fill") {
  CHECK(on_nodes({{1, 1}, {4, 1}, {8, 1}, {16, 1}}, 4).value() ==
        World{{1, 1}, {4, 1}, {8, 2}, {16, 4}});
  CHECK(on_nodes({{2, 1}, {6, 2}}, 4).value() == World{{2, 1}, {6, 2}});
  CHECK(on_nodes({{8, 1}, {8, 2}}, 4).value() == World{{8, 2}});
  CHECK(on_nodes({{8, 1}, {16, 1}}, 0).value() == World{{8, 1}, {16, 1}});
}

TEST_CASE("devices that do not fill their nodes are a bad request that says how to write it") {
  for (const World& world : {World{{6, 1}}, World{{16, 2}}}) {
    const auto spread = on_nodes(world, 4);
    REQUIRE_FALSE(spread);
    CHECK(spread.error().kind == ErrorKind::kRequest);
    CHECK(spread.error().message.find("nodes of 4 GPUs") != std::string::npos);
  }
}

TEST_CASE("points written as nodes by GPUs stay so, whatever nodes the recipe has") {
  launch::StudyRequest request;
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
      launch::plan_settings(recipe_on_cluster(recipe, {.gpus_per_node = 2}), request, cluster);
  REQUIRE(sweep);
  std::vector<std::vector<std::int64_t>> points;
  for (const auto& setting : sweep->settings) {
    CHECK(setting.spec.devices.kind == "cuda");
    CHECK_FALSE(setting.spec.devices.virtual_nodes);
    points.push_back({setting.spec.devices.nodes, setting.spec.devices.world_size});
  }
  CHECK(points == std::vector<std::vector<std::int64_t>>{{1, 1}, {1, 2}, {2, 4}});
}

TEST_CASE("a variant needs one node with as many GPUs as it has devices") {
  launch::StudyRequest request;
  request.world = {{1, 1}, {8, 1}};
  request.variants = {{"bf16", 8}};
  const auto placed = place_on_nodes({.gpus_per_node = 4}, request);
  REQUIRE_FALSE(placed);
  CHECK(placed.error().message == "--variants bf16@8 is on one node, and each has 4 GPUs");
  request.variants = {{"bf16", 4}, {"dp", 0}};
  CHECK(place_on_nodes({.gpus_per_node = 4}, request));
}

TEST_CASE(
    "inside an allocation a study has its GPUs, or fewer, and nodes according to its points") {
  const auto whole = study_within(study_jobs_two_nodes(), {}, "auto");
  REQUIRE(whole);
  CHECK(whole->nodes == 0);
  CHECK(whole->gpus_per_node == 4);
  CHECK(study_within(study_jobs_two_nodes(), {.nodes = 2, .gpus_per_node = 2}, "auto")
            ->gpus_per_node == 2);
  CHECK(study_within(study_jobs_two_nodes(), {}, "cpu")->gpus_per_node == 0);
  CHECK_FALSE(study_within(study_jobs_two_nodes(), {.partition = "gpu"}, "auto"));
  CHECK_FALSE(study_within(study_jobs_two_nodes(), {.gpus_per_node = 8}, "auto"));
  // Devices cannot be placed on nodes whose number of GPUs is unknown.
  Allocation silent = study_jobs_two_nodes();
  silent.gpus_per_node = 0;
  silent.gpus_unknown = "Slurm has not reported them yet";
  CHECK_FALSE(study_within(silent, {}, "cuda"));
  CHECK(study_within(silent, {.gpus_per_node = 4}, "cuda")->gpus_per_node == 4);
}

TEST_CASE("a point that is too large is named together with what the allocation has") {
  const auto point = [](std::int64_t nodes, std::int64_t each, const char* kind) {
    messages::RunSpec spec;
    spec.devices.kind = kind;
    spec.devices.nodes = nodes;
    spec.devices.world_size = nodes * each;
    return spec;
  };
  CHECK(refuse_unfit(study_jobs_two_nodes(), "strong-2x4", point(2, 4, "cuda")));
  const auto nodes = refuse_unfit(study_jobs_two_nodes(), "strong-3x4", point(3, 4, "cuda"));
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().kind == ErrorKind::kRequest);
  CHECK(nodes.error().message ==
        "strong-3x4 needs 3 nodes with 4 GPUs each, and Slurm job 12, inside which this is, has "
        "n[1-2], 2 nodes with 4 GPUs each");
  const auto gpus = refuse_unfit(study_jobs_two_nodes(), "strong-8", point(1, 8, "cuda"));
  REQUIRE_FALSE(gpus);
  CHECK(gpus.error().message.starts_with("strong-8 needs 1 node with 8 GPUs, and Slurm job 12"));
  // CPU ranks share cores, and the agents check what is not known here.
  CHECK(refuse_unfit(study_jobs_two_nodes(), "strong-8", point(1, 8, "cpu")));
  CHECK(refuse_unfit({"12", "n[1-2]", 2, 8, 0}, "strong-8", point(1, 8, "cuda")));
}

TEST_CASE(
    "a study resumes as it began: as jobs outside of an allocation, as Slurm steps inside one") {
  const StudyBefore jobs{{.partition = "gpu", .gpus_per_node = 4}, {}};
  CHECK(options_to_go_on("S-07", jobs, {})->partition == "gpu");
  const auto inside = options_to_go_on("S-07", jobs, study_jobs_two_nodes());
  REQUIRE_FALSE(inside);
  CHECK(inside.error().kind == ErrorKind::kRequest);
  CHECK(inside.error().message.find("from outside of an allocation: this is Slurm job 12") !=
        std::string::npos);
  CHECK(inside.error().message.find("env -u SLURM_JOB_ID") != std::string::npos);
  const StudyBefore steps{{.nodes = 4, .gpus_per_node = 8}, "9"};
  const auto smaller = options_to_go_on("S-07", steps, study_jobs_two_nodes());
  REQUIRE(smaller);
  CHECK(smaller->nodes == 0);
  CHECK(smaller->gpus_per_node == 4);
  const auto outside = options_to_go_on("S-07", steps, {});
  REQUIRE_FALSE(outside);
  CHECK(outside.error().kind == ErrorKind::kRequest);
  CHECK(
      outside.error().message ==
      "the runs of study S-07 were steps inside Slurm job 9: go on inside an allocation, `salloc` "
      "makes one, or queue the rest as jobs with `ringside sweep S-07 --slurm ...`");
}

TEST_CASE("the recipe keeps its number of ranks but no device of this machine") {
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

TEST_CASE("the newest run on Slurm tells how a study was submitted") {
  const TempFolder temp;
  const auto make = [&temp](const std::string& id, const std::string& partition, bool step) {
    std::filesystem::create_directories(temp.path() / id);
    JobFile file{"1", {.partition = partition}, 1, {}};
    file.is_step = step;
    REQUIRE(write_job_file(runlog::RunFolder(temp.path() / id), file));
  };
  CHECK_FALSE(study_before(temp.path(), {"", "a"}));
  make("b", "old", false);
  make("c", "new", false);
  make("d", "", true);
  const auto jobs = study_before(temp.path(), {"", "a", "b", "c"});
  REQUIRE(jobs);
  CHECK(jobs->options.partition == "new");
  CHECK(jobs->inside.empty());
  CHECK(study_before(temp.path(), {"a", "d", "b"})->inside == "1");
}
