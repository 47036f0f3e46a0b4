#include "gui/doctor/probe.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::doctor;
using nlohmann::json;

namespace {

json rank_facts(std::vector<double> alone, std::vector<double> together) {
  return {
      {"backend", "gloo"},
      {"transport", "TCP"},
      {"device", "cpu"},
      {"threads", 1},
      {"batch", 32},
      {"alone_s", alone},
      {"together_s", together},
      {"sizes", {{{"size_bytes", 4}, {"seconds", 1e-4}}, {{"size_bytes", 16}, {"seconds", 2e-4}}}}};
}

messages::RunSpec run_spec() {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.threads = 1;
  spec.model.name = "resnet18";
  spec.model.sync_batchnorm = true;
  spec.data.name = "shapes";
  spec.batch.size = 32;
  return spec;
}

}  // namespace

TEST_CASE("The ceiling is the pace of all copies together divided by the pace of one alone") {
  // Times of the rounds: 0.1 s alone; together 0.125 s and 0.125 s, 0.1 s and 0.2 s, 0.125 s and
  // 0.2 s.
  const auto probe = probe_of({rank_facts({0.1, 0.1, 0.1}, {0.125, 0.1, 0.125}),
                               rank_facts({}, {0.125, 0.2, 0.2})},
                              run_spec(), "host", 7)
                         .value();
  CHECK(probe.ceiling == Approx(1.5));  // median of 1.6, 1.5 and 1.3
  CHECK(probe.alone_s == Approx(0.1));
  CHECK(probe.together_s == Approx(0.15));
  CHECK(probe.devices == analysis::ProbedDevices{"host", "gloo", {}, 2, 1});
  CHECK(probe.step == "resnet18, 32 samples, fp32");
  CHECK(probe.wall_ns == 7);
  REQUIRE(probe.sizes.size() == 2);
  CHECK(probe.sizes[1] == analysis::TimedExchange{16, 2e-4});
}

TEST_CASE("Unexpected output of a rank gives no probe") {
  json broken = rank_facts({0.1}, {0.1});
  broken.erase("sizes");
  CHECK(!probe_of({broken}, run_spec(), "host", 7));
  CHECK(!probe_of({rank_facts({}, {})}, run_spec(), "host", 7));
  CHECK(!probe_of({rank_facts({0.1, 0.1}, {0.1})}, run_spec(), "host", 7));
}

TEST_CASE("The probe has the model and batch of the run, and no exchange within a step") {
  messages::RunSpec least;
  least.model.name = "lenet";
  const auto spec = probe_spec(run_spec(), least, true);
  CHECK(spec.model.name == "resnet18");
  CHECK(spec.data.name == "shapes");
  CHECK(spec.batch.size == 32);
  CHECK(!spec.model.sync_batchnorm);
  CHECK(probe_spec(run_spec(), least, false).model.name == "lenet");
  auto script = run_spec();
  script.program.argv = {"python3", "train.py"};
  CHECK(probe_spec(script, least, true).model.name == "lenet");
  CHECK(probe_spec(script, least, true).devices.threads == 1);
}

TEST_CASE("One device, several machines, and GPUs that others use, are not probed") {
  auto spec = run_spec();
  spec.devices.world_size = 1;
  CHECK(probe_links({}, {spec}).error().message.find("no link") != std::string::npos);
  spec.devices.world_size = 2;
  spec.devices.nodes = 2;
  CHECK(probe_links({}, {spec}).error().message.find("one machine") != std::string::npos);
  spec.devices.nodes = 1;
  launch::Machine machine;
  machine.gpus.resize(2);
  machine.gpus[0].uuid = "GPU-a";
  machine.gpus[1].uuid = "GPU-b";
  machine.gpus[1].index = 1;
  machine.gpus[1].pids = {4711};
  spec.devices.kind = "cuda";
  spec.devices.ids = {"GPU-a", "GPU-b"};
  CHECK(probe_links(machine, {spec}).error().message.starts_with("GPU 1 is in use"));
}
