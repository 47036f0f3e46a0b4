#include "gui/runs/probe_file.h"

#include "gui/model/run_model.h"
#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using analysis::LinkProbe;

namespace {

LinkProbe probe_of(const std::string& step, std::int64_t wall_ns) {
  LinkProbe probe;
  probe.devices = {"host", "nccl", {"GPU-a", "GPU-b"}, 2, 0};
  probe.transport = "P2P/CUMEM";
  probe.wall_ns = wall_ns;
  probe.sizes = {{4, 1.1e-5}, {std::int64_t{256} << 20, 0.0123456789012345}};
  probe.step = step;
  probe.alone_s = 0.1;
  probe.together_s = 0.11;
  probe.ceiling = 1.81;
  probe.others_cores = 0.7;
  probe.host_cores = 4;
  return probe;
}

}  // namespace

TEST_CASE("probes are read back as they were stored, the newest of each kind") {
  const TempFolder folder;
  const auto runs_dir = folder.path() / "runs";
  CHECK(runs::read_probes(runs_dir).empty());
  REQUIRE(runs::keep_probe(runs_dir, probe_of("resnet18", 1)));
  REQUIRE(runs::keep_probe(runs_dir, probe_of("lenet", 2)));
  REQUIRE(runs::keep_probe(runs_dir, probe_of("resnet18", 3)));
  CHECK(runs::read_probes(runs_dir) ==
        std::vector<LinkProbe>{probe_of("lenet", 2), probe_of("resnet18", 3)});
}

TEST_CASE("a probe stored by an older version has no load of the host") {
  const TempFolder folder;
  REQUIRE(runs::keep_probe(folder.path(), probe_of("lenet", 2)));
  std::string text = read_text(folder.path() / "probes.json").value();
  const std::size_t begin = text.find(",", text.find("\"ceiling\""));
  text.erase(begin, text.find('}', begin) - begin);
  REQUIRE(write_text_atomically(folder.path() / "probes.json", text));
  const auto probes = runs::read_probes(folder.path());
  REQUIRE(probes.size() == 1);
  CHECK(probes[0].others_cores == -1);
  CHECK(probes[0].host_cores == 0);
}

TEST_CASE("a probe with impossible figures is ignored") {
  const TempFolder folder;
  const auto kept = [&folder](const auto& change) {
    LinkProbe probe = probe_of("lenet", 2);
    change(probe);
    REQUIRE(write_text_atomically(folder.path() / "probes.json", "{}"));
    REQUIRE(runs::keep_probe(folder.path(), probe));
    return runs::read_probes(folder.path()).size();
  };
  CHECK(kept([](LinkProbe&) {}) == 1);
  CHECK(kept([](LinkProbe& probe) { probe.sizes.clear(); }) == 0);
  CHECK(kept([](LinkProbe& probe) { probe.sizes.pop_back(); }) == 0);
  CHECK(kept([](LinkProbe& probe) { probe.sizes[1].size_bytes = 4; }) == 0);
  CHECK(kept([](LinkProbe& probe) { probe.sizes[0].seconds = 0; }) == 0);
  CHECK(kept([](LinkProbe& probe) { probe.devices.ranks = 1; }) == 0);
  CHECK(kept([](LinkProbe& probe) { probe.ceiling = 0; }) == 0);
}

TEST_CASE("all-reduce figures are valid for another step, the ceiling is not") {
  const std::vector<LinkProbe> probes{probe_of("lenet", 1), probe_of("resnet18", 2)};
  const auto same = runs::probe_of_work(probes, {probes[0].devices, "lenet", 9});
  REQUIRE(same);
  CHECK(*same == probes[0]);
  const auto other = runs::probe_of_work(probes, {probes[0].devices, "convnet", 9});
  REQUIRE(other);
  CHECK(other->sizes == probes[1].sizes);
  CHECK(other->ceiling == 0);
  CHECK_FALSE(runs::probe_of_work(probes, {{"another host", "nccl", {}, 2, 0}, "lenet", 9}));
}

TEST_CASE("a ceiling that was measured after a run had begun is not used for that run") {
  constexpr std::int64_t kBeganWallNs = 1'790'000'000'000'000'000;
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  model::RunModel run(spec);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.host = "host";
    hello.backend = "nccl";
    hello.device_index = rank;
    hello.device_uuid = rank == 0 ? "GPU-a" : "GPU-b";
    hello.wall_ns = kBeganWallNs;
    run.accept({0, rank, 0, 1'000'000'000}, hello);
  }
  auto work = runs::probed_work(run);
  REQUIRE(work);
  CHECK(work->began_wall_ns == kBeganWallNs);
  const std::string step = work->step;
  const auto ceiling = [&](std::int64_t wall_ns) {
    const std::vector<LinkProbe> probes{probe_of(step, wall_ns)};
    const auto probe = runs::probe_of_work(probes, *work);
    REQUIRE(probe);
    CHECK(probe->sizes == probes[0].sizes);  // the links do not depend on the step
    return probe->ceiling;
  };
  CHECK(ceiling(kBeganWallNs - 1) == 1.81);
  CHECK(ceiling(kBeganWallNs + 1) == 0);
  work->began_wall_ns = 0;  // unknown
  CHECK(ceiling(kBeganWallNs - 1) == 0);
}

TEST_CASE("a file that is not a probe file is ignored, and the next probe replaces it") {
  const TempFolder folder;
  for (const char* text : {"", "{", "[]", R"({"probes": [{"host": 7}]})"}) {
    REQUIRE(write_text_atomically(folder.path() / "probes.json", text));
    CHECK(runs::read_probes(folder.path()).empty());
  }
  REQUIRE(runs::keep_probe(folder.path(), probe_of("lenet", 2)));
  CHECK(runs::read_probes(folder.path()).size() == 1);
}
