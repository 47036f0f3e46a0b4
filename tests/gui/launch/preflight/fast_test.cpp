#include "gui/launch/preflight/fast.h"

#include <algorithm>

#include "protocol/messages/spec/spec_problems.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

messages::RunSpec on_gpus() {
  messages::RunSpec spec;
  spec.devices.kind = "cuda";
  return spec;
}

bool records(const std::vector<std::string>& sets) {
  return std::find(sets.begin(), sets.end(), "train.cuda_graph=true") != sets.end();
}

}  // namespace

TEST_CASE("fast is available only if all GPUs have bf16, and for our trainer") {
  CHECK(why_not_fast(on_gpus(), {"8.0", "12.0"}).empty());
  CHECK(why_not_fast(on_gpus(), {"9.0", "7.5"}).find("7.5 has no bf16") != std::string::npos);
  CHECK_FALSE(why_not_fast(on_gpus(), {""}).empty());
  CHECK_FALSE(why_not_fast(on_gpus(), {}).empty());
  auto other = on_gpus();
  other.program.argv = {"python3", "train.py"};
  CHECK_FALSE(why_not_fast(other, {"9.0"}).empty());
  other = on_gpus();
  other.devices.kind = "cpu";
  CHECK_FALSE(why_not_fast(other, {"9.0"}).empty());
}

TEST_CASE("fast records steps as a CUDA graph if they are known to be short and can be recorded") {
  CHECK(records(fast_settings(on_gpus(), 2.9)));
  CHECK_FALSE(records(fast_settings(on_gpus(), 3.0)));
  CHECK_FALSE(records(fast_settings(on_gpus())));
  auto accumulates = on_gpus();
  accumulates.batch.accumulate = 2;
  CHECK_FALSE(records(fast_settings(accumulates, 1.0)));
}

TEST_CASE("fast's settings count as fast, without cuDNN benchmark if determinism is asked for") {
  for (const bool deterministic : {false, true}) {
    auto spec = on_gpus();
    spec.train.deterministic = deterministic;
    CHECK_FALSE(is_fast(spec));
    for (const auto& setting : fast_settings(spec)) REQUIRE(messages::set_field(spec, setting));
    CHECK(is_fast(spec));
    CHECK(spec.train.cudnn_benchmark != deterministic);
    CHECK(messages::problems(spec).empty());
  }
}

TEST_CASE("a preflight offers fast with its effect if the GPUs allow it, and nothing otherwise") {
  Machine machine;
  machine.gpus.resize(2);
  machine.gpus[0].uuid = "GPU-old";
  machine.gpus[0].capability = "7.0";
  machine.gpus[1].uuid = "GPU-new";
  machine.gpus[1].capability = "9.0";
  CHECK_FALSE(check_speed({}, machine));
  Plan plan;
  plan.runs.resize(1);
  auto& spec = plan.runs[0].spec;
  spec = on_gpus();
  spec.devices.ids = {"GPU-new"};
  const auto offered = check_speed(plan, machine);
  REQUIRE(offered);
  CHECK(offered->verdict == Verdict::kPass);
  CHECK(result_text(*offered).find(std::string("`ringside run --fast` sets it: ") + kFastEffect) !=
        std::string::npos);
  for (const auto& setting : fast_settings(spec)) REQUIRE(messages::set_field(spec, setting));
  REQUIRE(check_speed(plan, machine));
  CHECK(result_text(*check_speed(plan, machine)) == kFastEffect);
}
