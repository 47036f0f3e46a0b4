#include "trainer/engine/device_placement.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

cuda::DeviceFacts gpu(const char* name, const char* uuid, const char* capability = "") {
  return {name, uuid, "CUDA 13.0, NCCL 2.28.9", capability};
}

}  // namespace

TEST_CASE(
    "the number of threads is from the environment, then the spec, then a share of the cores") {
  CHECK(choose_threads("3", 5, 2) == 3);
  CHECK(choose_threads(nullptr, 5, 2) == 5);
  CHECK(choose_threads("", 5, 2) == 5);
  CHECK(choose_threads("many", 5, 2) == 5);
  CHECK(choose_threads(nullptr, 0, 100'000) == 1);
}

TEST_CASE("requesting CUDA without a GPU is refused with the reason, and auto uses CPU slots") {
  const cuda::CudaModule none{nullptr, "no NVIDIA driver on this machine"};
  const auto refused = choose_placement("cuda", none, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("no NVIDIA driver") != std::string::npos);
  const auto placement = choose_placement("auto", none, {});
  REQUIRE(placement);
  CHECK_FALSE(placement->on_cuda());
  CHECK(placement->uuid == "cpu");
  CHECK(placement->versions.find("torch 2.") == 0);
}

TEST_CASE("a rank that sees one GPU uses it, whatever its local rank") {
  testing::FakeCuda cuda;
  cuda.devices = {gpu("one", "GPU-b")};
  dist::LaunchEnvironment env;  // srun --gpus-per-task=1, the second of two
  env.rank = env.local_rank = 1;
  env.world_size = env.local_world_size = 2;
  const auto placement = choose_placement("cuda", {&cuda, {}}, env);
  REQUIRE(placement);
  CHECK(placement->index == 0);
  CHECK(cuda.attached == 0);
  CHECK(placement->uuid == "GPU-b");
  cuda.devices.push_back(gpu("two", "GPU-c"));
  CHECK(choose_placement("cuda", {&cuda, {}}, env)->uuid == "GPU-c");
  env.local_rank = 2;
  CHECK(choose_placement("cuda", {&cuda, {}}, env).error().message.find("has no GPU") !=
        std::string::npos);
}

TEST_CASE("the reported GPU index is that of the node, found by UUID, not CUDA's") {
  testing::FakeCuda cuda;  // CUDA_VISIBLE_DEVICES=GPU-5,GPU-2 of eight
  cuda.devices = {gpu("five", "GPU-5"), gpu("two", "GPU-2")};
  dist::LaunchEnvironment env;
  env.gpus = "GPU-5=5,GPU-2=2";
  env.local_rank = 1;
  const auto placement = choose_placement("cuda", {&cuda, {}}, env);
  REQUIRE(placement);
  CHECK(placement->index == 1);
  CHECK(placement->number_on_node == 2);
  env.gpus.clear();  // without an agent, CUDA's index is the only one
  CHECK(choose_placement("cuda", {&cuda, {}}, env)->number_on_node == 1);
}

TEST_CASE("a MIG instance has the UUID of CUDA_VISIBLE_DEVICES") {
  testing::FakeCuda cuda;
  cuda.devices = {gpu("A100 MIG 1g.5gb", "GPU-5f3a")};
  dist::LaunchEnvironment env;
  env.visible_gpus = "MIG-5f3a,MIG-77aa";
  env.gpus = "MIG-5f3a=4";
  const auto placement = choose_placement("cuda", {&cuda, {}}, env);
  REQUIRE(placement);
  CHECK(placement->uuid == "MIG-5f3a");
  CHECK(placement->number_on_node == 4);
}

TEST_CASE(
    "a GPU that LibTorch was not built for is refused by name, with the supported architectures") {
  testing::FakeCuda cuda;
  cuda.built = "-gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_80,code=sm_80";
  cuda.devices = {gpu("A100", "GPU-a", "8.0"), gpu("P100", "GPU-p", "6.0")};
  dist::LaunchEnvironment env;
  CHECK(choose_placement("cuda", {&cuda, {}}, env));
  const auto both = choose_placement("cuda", {&cuda, {}}, env, 2);  // dp
  REQUIRE_FALSE(both);
  env.local_rank = 1;
  const auto old = choose_placement("cuda", {&cuda, {}}, env);
  REQUIRE_FALSE(old);
  CHECK(old.error().kind == ErrorKind::kRequest);
  CHECK(old.error().message.find("P100 (GPU-p): compute capability 6.0 is not among what LibTorch "
                                 "was built for (sm_75, sm_80)") == 0);
  cuda.built.clear();  // the architectures are unknown
  CHECK(choose_placement("cuda", {&cuda, {}}, env));
}

TEST_CASE("dp attaches to the first of its GPUs last, so that it stays the current one") {
  testing::FakeCuda cuda;
  cuda.devices = {gpu("one", "GPU-a"), gpu("two", "GPU-b")};
  const auto placement = choose_placement("cuda", {&cuda, {}}, {}, 2);
  REQUIRE(placement);
  CHECK(cuda.attached == 0);
  CHECK(placement->uuid == "GPU-a");
}

TEST_CASE("auto reports why it used CPU slots although a GPU could be expected") {
  testing::FakeCuda cuda;
  cuda.devices.resize(1);
  dist::LaunchEnvironment env;
  env.world_size = env.local_world_size = 2;
  const auto few = choose_placement("auto", {&cuda, {}}, env);
  REQUIRE(few);
  CHECK_FALSE(few->on_cuda());
  CHECK(few->fallback.find("2 GPUs are wanted on this node and 1 can be seen") !=
        std::string::npos);
  const auto broken = choose_placement("auto", {nullptr, "the driver is broken", true}, env);
  CHECK(broken->fallback.find("took CPU slots: the driver is broken") != std::string::npos);
  CHECK(choose_placement("auto", {nullptr, "no driver"}, env)->fallback.empty());
  CHECK(choose_placement("cpu", {&cuda, {}}, env)->fallback.empty());
  env.world_size = env.local_world_size = 1;
  CHECK(choose_placement("auto", {&cuda, {}}, env)->fallback.empty());
}
