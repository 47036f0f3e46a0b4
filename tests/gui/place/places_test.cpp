#include "gui/place/places.h"

#include "gui/place/kinds.h"
#include "gui/place/run_place.h"
#include "gui/slurm/job_file.h"
#include "protocol/base/clock.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"

namespace ringside::place {
namespace {

messages::RunSpec auto_ranks(std::int64_t ranks) {
  messages::RunSpec spec;
  spec.devices.kind = "auto";
  spec.devices.world_size = ranks;
  spec.devices.ids = {"GPU-1"};
  return spec;
}

/// A study of one setting, adapted to the place.
Result<messages::RunSpec> settled(const Place& place, messages::RunSpec spec) {
  launch::StudyRequest request;
  request.one_setting = true;
  RINGSIDE_TRY(place.for_study(spec, request));
  return spec;
}

const slurm::Allocation kTwoNodes{"12", "n[1-2]", 2, 8, 2};

TEST_CASE("this machine takes a run unchanged, and starts nothing but an agent for it") {
  const auto spec = settled(*here(), auto_ranks(3));
  REQUIRE(spec);
  CHECK(messages::to_toml(*spec) == messages::to_toml(auto_ranks(3)));
  launch::Plan plan;
  plan.runs.push_back({*spec, false});
  CHECK(here()->preview(plan, "/runs")->empty());
  CHECK(here()->is_here());
  CHECK(here()->doing() == "trains");
}

TEST_CASE("Slurm puts ranks on real nodes, and an allocation has one rank for each of its GPUs") {
  const auto jobs = settled(*on_slurm({.nodes = 2}, {}), auto_ranks(1));
  REQUIRE(jobs);
  CHECK(jobs->devices.kind == "cpu");
  CHECK(jobs->devices.nodes == 2);
  CHECK(jobs->devices.ids.empty());
  const auto steps = settled(*on_slurm({}, kTwoNodes), auto_ranks(1));
  REQUIRE(steps);
  CHECK(steps->devices.kind == "cuda");
  CHECK(steps->devices.world_size == 4);
  CHECK_FALSE(settled(*on_slurm({.nodes = 3}, kTwoNodes), auto_ranks(1)));
}

TEST_CASE("a place describes itself and its options, and accepts what was typed") {
  const auto keys = [](const Place& place) {
    std::string all;
    for (const launch::PlaceOption& row : place.offer().options) all += row.key + std::string(" ");
    return all;
  };
  CHECK(here()->offer().kind == nullptr);
  CHECK(keys(*here()).empty());
  const auto jobs = on_slurm({}, {});
  CHECK(jobs->offer().title == "Slurm");
  CHECK(std::string(jobs->offer().kind->word) == "--slurm");
  CHECK(keys(*jobs) == "nodes gpus_per_node partition account time qos constraint sbatch ");
  const auto steps = on_slurm({}, kTwoNodes);
  CHECK(steps->offer().title == "Slurm job 12");
  CHECK(steps->offer().inside);
  CHECK(keys(*steps) == "nodes gpus_per_node ");
  const auto two = jobs->with({{"nodes", "2"}});
  REQUIRE(two);
  CHECK(settled(**two, auto_ranks(1))->devices.nodes == 2);
  CHECK_FALSE(jobs->with({{"nodes", "two"}}));
  CHECK_FALSE(jobs->with({{"sbatch", "wrap=id"}}));
  CHECK(jobs->beside()->is_here());
  CHECK(steps->beside()->note() ==
        "this is inside Slurm job 12 on 2 nodes, and the run stays on this machine; --slurm takes "
        "them all");
}

TEST_CASE("a run's folder names its place, and an unknown place is ignored") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  CHECK_FALSE(place_report(folder));
  temp.write("slurm.json", R"({"job": "12"})");
  CHECK(place_report(folder)->item == "job 12");
  for (const char* text : {"", "[]", R"({"kind": 3, "job": "12"})", R"({"kind": "later"})"}) {
    temp.write("place.json", text);
    CHECK_FALSE(place_report(folder));
  }
  REQUIRE(slurm::write_job_file(folder, {"13", {}, 1, {}}));
  CHECK(place_report(folder)->item == "job 13");
}

TEST_CASE("nothing is started if the agent program is missing") {
  slurm::Rig rig;
  rig.program("sbatch", "13");
  rig.program("srun", "");
  launch::Plan plan;
  plan.runs.push_back({auto_ranks(1), false});
  const auto runs = rig.temp.path() / "none";
  // No ringside-agent is installed beside this test.
  for (const PlacePtr& place : {here(), on_slurm({}, {}), on_slurm({}, kTwoNodes)}) {
    const auto started =
        place->start(launch::make_folders(plan, runs, SystemClock()).value(), plan, {});
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("ringside-agent") != std::string::npos);
  }
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("a run of an unknown place cannot be restarted") {
  slurm::Rig rig;
  REQUIRE(write_text_atomically(rig.run.path() / "place.json", R"({"kind": "later"})", 0600));
  const auto started = restart_run(rig.run, {});
  REQUIRE_FALSE(started);
  CHECK(started.error().kind == ErrorKind::kRequest);
  CHECK(started.error().message.find("place.json") != std::string::npos);
}

TEST_CASE("a run restarts in the place that its folder names") {
  slurm::Rig rig;
  const slurm::Variable none("SLURM_JOB_ID", "");
  const auto why = [&rig] { return restart_run(rig.run, {}).error().message; };
  CHECK(why().find("ringside-agent") != std::string::npos);
  slurm::JobFile file{"12", {}, 1, slurm::JobReport{"CANCELLED", {}, {}}};
  file.is_step = true;
  REQUIRE(slurm::write_job_file(rig.run, file));
  CHECK(why().find("was a step inside Slurm job 12") != std::string::npos);
}

}  // namespace
}  // namespace ringside::place
