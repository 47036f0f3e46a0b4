#include "gui/runs/probe_file.h"

#include "protocol/base/byte_file.h"
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
  return probe;
}

}  // namespace

TEST_CASE("probes come back as they were kept, the newest of each kind") {
  const TempFolder folder;
  const auto runs_dir = folder.path() / "runs";
  CHECK(runs::read_probes(runs_dir).empty());
  REQUIRE(runs::keep_probe(runs_dir, probe_of("resnet18", 1)));
  REQUIRE(runs::keep_probe(runs_dir, probe_of("lenet", 2)));
  REQUIRE(runs::keep_probe(runs_dir, probe_of("resnet18", 3)));
  CHECK(runs::read_probes(runs_dir) ==
        std::vector<LinkProbe>{probe_of("lenet", 2), probe_of("resnet18", 3)});
}

TEST_CASE("a file of probes that is not ours counts for none, and the next one replaces it") {
  const TempFolder folder;
  for (const char* text : {"", "{", "[]", R"({"probes": [{"host": 7}]})"}) {
    REQUIRE(write_text_atomically(folder.path() / "probes.json", text));
    CHECK(runs::read_probes(folder.path()).empty());
  }
  REQUIRE(runs::keep_probe(folder.path(), probe_of("lenet", 2)));
  CHECK(runs::read_probes(folder.path()).size() == 1);
}
