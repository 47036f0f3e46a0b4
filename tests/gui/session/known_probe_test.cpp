// Tests which of the saved probes is shown before a run.
#include "gui/session/machines/known_probe.h"

#include "gui/runs/probe_file.h"
#include "gui/view/launch/launch_form.h"
#include "protocol/host/host.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

messages::RunSpec two_slots() {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.threads = 1;
  return spec;
}

analysis::LinkProbe probe_of(const std::string& step, std::int64_t wall_ns) {
  analysis::LinkProbe probe;
  probe.devices = {host_name(), "gloo", {}, 2, 1};
  probe.wall_ns = wall_ns;
  probe.sizes = {{4, 1e-4}, {std::int64_t{1} << 20, 1e-3}};
  probe.step = step;
  probe.alone_s = 0.1;
  probe.together_s = 0.11;
  probe.ceiling = 1.81;
  return probe;
}

}  // namespace

TEST_CASE(
    "the newest probe is shown for a custom program, and one of the same step for our trainer") {
  const TempFolder folder;
  messages::RunSpec spec = two_slots();
  const auto facts = messages::batch_facts(spec, view::dataset_size(spec.data)->train);
  REQUIRE(facts);
  const auto own =
      analysis::step_words(spec.model.name, facts->per_rank_batch, messages::precision_text(spec));
  REQUIRE(runs::keep_probe(folder.path(), probe_of(own, 1)));
  REQUIRE(runs::keep_probe(folder.path(), probe_of("lenet, 3 samples, fp32", 2)));
  const auto trained = session::known_probe(spec, folder.path());
  REQUIRE(trained);
  CHECK(trained->wall_ns == 1);
  spec.program.argv = {"python3", "train.py"};
  const auto custom = session::known_probe(spec, folder.path());
  REQUIRE(custom);
  CHECK(custom->wall_ns == 2);
}
