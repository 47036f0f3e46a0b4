#include "gui/session/launch/next_run.h"

#include "tests/support/catch.h"

namespace ringside::session {
namespace {

view::MachineSummary four_gpus(bool first_two_are_busy) {
  view::MachineSummary machine;
  for (const char* uuid : {"GPU-0", "GPU-1", "GPU-2", "GPU-3"}) {
    machine.gpus.emplace_back();
    machine.gpus.back().uuid = uuid;
    if (first_two_are_busy && machine.gpus.size() <= 2) machine.gpus.back().used_by = "run #12";
  }
  return machine;
}

}  // namespace

TEST_CASE("new settings use the GPUs that are free now, and selected GPUs stay selected") {
  NextRun next;
  next.settle(four_gpus(false));
  messages::RunSpec spec;
  spec.devices.kind = "cuda";
  spec.devices.world_size = 2;
  next.take_settings(spec);
  CHECK(next.spec().devices.ids == std::vector<std::string>{"GPU-0", "GPU-1"});
  next.know(four_gpus(true));
  CHECK(next.spec().devices.ids == std::vector<std::string>{"GPU-0", "GPU-1"});
  next.take_settings(spec);
  CHECK(next.spec().devices.ids == std::vector<std::string>{"GPU-2", "GPU-3"});
}

}  // namespace ringside::session
