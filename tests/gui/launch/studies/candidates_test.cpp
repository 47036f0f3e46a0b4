// Tests which changes are proposed for given settings, and the settings after a change.
#include "gui/launch/studies/candidates.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace ringside::launch {
namespace {

Machine with_cores(int cores) {
  Machine machine;
  machine.cores = cores;
  return machine;
}

std::vector<std::string> names_of(const std::vector<Candidate>& all) {
  std::vector<std::string> names;
  for (const Candidate& one : all) names.push_back(one.name());
  return names;
}

std::vector<std::string> candidate_names(const messages::RunSpec& spec, int cores, bool other) {
  return names_of(candidates(spec, with_cores(cores), other));
}

using CandidateNames = std::vector<std::string>;

TEST_CASE("our trainer on CPUs may load data with more threads, and share the cores among ranks") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.threads = 8;
  spec.data.workers = 1;
  CHECK(candidate_names(spec, 8, false) == CandidateNames{"devices.threads=4", "data.workers=2",
                                                          "data.workers=4",
                                                          "devices.affinity=cores"});
  spec.devices.threads = 0;  // cores / ranks
  spec.data.workers = 4;
  CHECK(candidate_names(spec, 8, false) == CandidateNames{"data.workers=8", "data.workers=16",
                                                          "devices.threads=1",
                                                          "devices.affinity=cores"});
  CHECK(candidate_names(spec, 2, true) ==
        CandidateNames{"data.workers=8", "data.workers=16", "devices.affinity=cores",
                       "train.channels_last=true", "train.precision=bf16"});
  // Changes that alter the numbers come last, however much they may save.
  Shown shown;
  shown.shares = {0.01, 0.01, 0.9};
  CHECK(names_of(candidates(spec, with_cores(2), true, shown)) ==
        CandidateNames{"devices.affinity=cores", "data.workers=8", "data.workers=16",
                       "train.channels_last=true", "train.precision=bf16"});
}

TEST_CASE("ranks are bound to cores only if several share one machine and are not bound yet") {
  const auto affinity = [](std::int64_t ranks, int nodes, Machine machine,
                           const char* now = "none") {
    messages::RunSpec spec;
    spec.data.on_device = true;
    spec.devices.kind = "cuda";
    spec.train.cuda_graph = true;
    spec.devices.world_size = ranks;
    spec.devices.nodes = nodes;
    spec.devices.affinity = now;
    return names_of(candidates(spec, machine, false));
  };
  Machine machine = with_cores(4);
  CHECK(affinity(2, 1, machine) == CandidateNames{"devices.affinity=cores"});
  CHECK(affinity(1, 1, machine).empty());
  CHECK(affinity(8, 1, machine).empty());
  CHECK(affinity(4, 2, machine).empty());
  CHECK(affinity(2, 1, machine, "cores").empty());
  machine.numa_nodes = 2;
  CHECK(affinity(2, 1, machine) ==
        CandidateNames{"devices.affinity=cores", "devices.affinity=numa"});
}

TEST_CASE("variables of NCCL are proposed where the links suggest them and nobody has set them") {
  const auto nccl = [](const char* link, std::vector<std::string> environment = {},
                       const char* backend = "") {
    messages::RunSpec spec;
    spec.devices.kind = "cuda";
    spec.devices.world_size = 2;
    spec.devices.affinity = "cores";
    spec.program.argv = {"./train"};
    spec.program.environment = std::move(environment);
    Machine machine = with_cores(4);
    if (*link != '\0') machine.links = {{0, 1, link}};
    Shown shown;
    shown.backend = backend;
    return names_of(candidates(spec, machine, false, shown));
  };
  CHECK(nccl("NV4") == CandidateNames{"NCCL_MIN_NCHANNELS=16"});
  CHECK(nccl("SYS") == CandidateNames{"NCCL_P2P_LEVEL=SYS", "NCCL_BUFFSIZE=8388608"});
  CHECK(nccl("PIX") == CandidateNames{"NCCL_BUFFSIZE=8388608"});
  CHECK(nccl("PIX", {"NCCL_BUFFSIZE=1"}).empty());
  CHECK(nccl("NV4", {}, "gloo").empty());
  CHECK(nccl("").empty());
  const Candidate one{{}, {}, "why", false, StepPart::kExchange, false, false, "NCCL_BUFFSIZE=1"};
  messages::RunSpec spec;
  spec.program.argv = {"./train"};
  CHECK(with_candidate(spec, one).value().program.environment ==
        std::vector<std::string>{"NCCL_BUFFSIZE=1"});
  CHECK(kept_by(one) == "--env NCCL_BUFFSIZE=1");
}

TEST_CASE("a program that is not Python is changed from outside alone, unless it reports PyTorch") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"/bin/sh", "train.sh"};
  CHECK(only_outside(spec, {}) == "sh is not Python; a first run shows whether it starts PyTorch");
  const CandidateNames outside{"devices.threads=1", "devices.affinity=cores"};
  CHECK(names_of(candidates(spec, with_cores(4), true)) == outside);
  Shown shown;
  shown.torch = true;
  CHECK(only_outside(spec, shown).empty());
  CHECK(names_of(candidates(spec, with_cores(4), false, shown)).front() ==
        "DataLoader.num_workers=2");
  shown.torch = false;
  spec.program.argv = {"python3", "train.py"};
  CHECK(only_outside(spec, shown) == "it reports no PyTorch");
  CHECK(names_of(candidates(spec, with_cores(4), false, shown)) == outside);
  CHECK(only_outside(spec, {}).empty());
  spec.program.argv = {"./train.py"};
  CHECK(only_outside(spec, {}).empty());
  CHECK(only_outside(messages::RunSpec(), shown).empty());
}

TEST_CASE("what alters the numbers of a script is proposed on request, with its lines to keep") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  const auto all = candidates(spec, with_cores(2), true);
  const std::size_t last = all.size() - 1;
  CHECK(all[last - 1].name() == "DistributedDataParallel.bf16=1");
  CHECK(kept_by(all[last - 1]) ==
        "with torch.autocast(device, torch.bfloat16): around model and loss");
  CHECK(kept_by(all[last]) ==
        "model.to(memory_format=torch.channels_last) before DistributedDataParallel(...)");
  CHECK(all[last].alters_numbers);
  CHECK(std::ranges::count_if(all, &Candidate::alters_numbers) == 2);
}

TEST_CASE("changes that need GPUs are proposed only for runs on GPUs") {
  messages::RunSpec spec;
  spec.devices.kind = "cuda";
  spec.data.on_device = true;
  CHECK(candidate_names(spec, 8, false) == CandidateNames{"train.cuda_graph=true"});
  spec.program.argv = {"python", "train.py"};
  const CandidateNames names = candidate_names(spec, 8, false);
  CHECK(std::ranges::count(names, "DataLoader.pin_memory=1") == 1);
}

TEST_CASE("what a program has left on for debugging comes first, and is turned off") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  spec.program.environment = {"TORCH_DISTRIBUTED_DEBUG=DETAIL", "A=b"};
  Shown shown;
  shown.torch = true;
  shown.notices = {"no_goodbye", "unused_parameters", "anomaly_mode", "distributed_debug",
                   "launch_blocking"};
  shown.shares = {0.5, 0.1, 0.4};
  const auto all = candidates(spec, with_cores(2), false, shown);
  CHECK(all[0].name() == "torch.set_detect_anomaly=0");
  CHECK(kept_by(all[0]) == "torch.autograd.set_detect_anomaly(False)");
  CHECK(all[1].name() == "CUDA_LAUNCH_BLOCKING=0");
  CHECK(all[2].name() == "DistributedDataParallel.find_unused_parameters=0");
  CHECK(kept_by(all[2]) == "find_unused_parameters=False in DistributedDataParallel(...)");
  const auto debug = std::ranges::find(all, "TORCH_DISTRIBUTED_DEBUG=OFF", &Candidate::name);
  REQUIRE(debug != all.end());
  CHECK(with_candidate(spec, *debug).value().program.environment ==
        std::vector<std::string>{"A=b", "TORCH_DISTRIBUTED_DEBUG=OFF"});
}

TEST_CASE("persistent workers come first if the waits are in the first steps of epochs") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.program.argv = {"python", "train.py"};
  Shown shown;
  shown.torch = true;
  shown.shares = {0.5, 0.1, 0.4};
  shown.workers = 2;
  shown.epoch_steps = 8;
  shown.first_waits = 0.4;
  const auto first = [&] {
    return names_of(candidates(spec, with_cores(2), false, shown)).front();
  };
  CHECK(first() == "DataLoader.num_workers=2");
  shown.first_waits = 0.9;
  CHECK(first() == "DataLoader.persistent_workers=1");
  shown.epoch_steps = 400;
  CHECK(first() == "DataLoader.num_workers=2");
}

TEST_CASE(
    "changes of loader workers wait until the loader has some, as the run shows or by a change") {
  messages::RunSpec spec;
  spec.program.argv = {"python", "train.py"};
  Shown shown;
  shown.first_waits = 0.9;
  const auto all = candidates(spec, with_cores(2), false, shown);
  for (const char* name : {"DataLoader.prefetch_factor=8", "DataLoader.persistent_workers=1"}) {
    const auto found = std::ranges::find(all, name, &Candidate::name);
    REQUIRE(found != all.end());
    CHECK_FALSE(found->shown);
    const auto lacks = [&](std::int64_t workers, const messages::RunSpec& settings) {
      Shown now;
      now.workers = workers;
      return what_it_lacks(*found, settings, now);
    };
    CHECK(lacks(0, spec) == "no workers of its loader are known");
    CHECK_FALSE(lacks(-1, spec).empty());
    CHECK(lacks(1, spec).empty());
    CHECK(lacks(0, with_candidate(spec, all[0]).value()).empty());
  }
  CHECK(what_it_lacks(all[0], spec, shown).empty());
}

TEST_CASE("a script gets arguments for its own calls only if the package is in it") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  spec.program.environment = {"A=b"};
  const auto all = candidates(spec, with_cores(2), false);
  REQUIRE(all.size() == 8);
  CHECK(kept_by(all[0]) == "num_workers=2 in DataLoader(...)");
  CHECK(kept_by(all[2]) == "prefetch_factor=8 in DataLoader(...)");
  CHECK(kept_by(all[3]) == "persistent_workers=True in DataLoader(...)");
  CHECK(kept_by(all[5]) == "gradient_as_bucket_view=True in DistributedDataParallel(...)");
  const auto changed = with_candidate(spec, all[0]).value();
  CHECK(changed.program.environment ==
        std::vector<std::string>{"A=b", "RINGSIDE_ARGUMENTS=DataLoader.num_workers=2"});
  CHECK(changed.devices.threads == spec.devices.threads);
  // Arguments that were set before are kept.
  CHECK(with_candidate(changed, all[5]).value().program.environment.back() ==
        "RINGSIDE_ARGUMENTS=DataLoader.num_workers=2,"
        "DistributedDataParallel.gradient_as_bucket_view=1");
  spec.program.instrument = false;
  CHECK(candidate_names(spec, 2, false) == CandidateNames{"devices.affinity=cores"});
}

TEST_CASE("measurements of a run decide which changes come first and which cannot be worth it") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  Shown shown;
  shown.shares = {0.004, 0.6, 0.3};
  shown.buckets = 1;
  shown.exchanges = 4;
  shown.threads = 8;
  shown.workers = 2;
  shown.epoch_steps = 1000;
  const auto all = candidates(spec, with_cores(2), false, shown);
  REQUIRE(all.size() == 8);
  CHECK(all[0].name() == "DistributedDataParallel.no_sync=4");
  CHECK(kept_by(all[0]) == "with model.no_sync(): around all but the last of 4 passes");
  CHECK(all[0].most == 0.6);
  // A single bucket cannot be reduced.
  CHECK(std::ranges::none_of(all, [](const Candidate& one) {
    return one.name().find("bucket_cap_mb") != std::string::npos;
  }));
  const auto threads = std::ranges::find(all, "torch.set_num_threads=1", &Candidate::name);
  REQUIRE(threads != all.end());
  CHECK(kept_by(*threads) == "torch.set_num_threads(1)");
  CHECK(std::ranges::find(all, StepPart::kComputing, &Candidate::part) == threads);
  CHECK(std::ranges::count_if(all, &Candidate::is_idle) == 3);
  CHECK(all.back().part == StepPart::kData);
  CHECK_FALSE(Candidate().is_idle());
}

TEST_CASE("a short run has only the given steps, without evaluation and checkpoints") {
  messages::RunSpec spec;
  CHECK(cut_short(spec, 60).train.max_steps == 60);
  CHECK(cut_short(spec, 60).evaluate.mode == "none");
  CHECK(cut_short(spec, 60).checkpoint.every_epochs == 0);
  spec.train.max_steps = 20;
  CHECK(cut_short(spec, 60).train.max_steps == 20);
  spec.program.argv = {"python", "train.py"};
  CHECK(cut_short(spec, 60).program.environment ==
        std::vector<std::string>{"RINGSIDE_ARGUMENTS=script.steps=60"});
  spec.program.instrument = false;
  CHECK(cut_short(spec, 60).program.environment.empty());
}

TEST_CASE("a changed setting is applied, and named as an option of `ringside run`") {
  messages::RunSpec spec;
  const Candidate candidate{"data.workers=6", {}, "", true};
  CHECK(with_candidate(spec, candidate).value().data.workers == 6);
  CHECK(kept_by(candidate) == "--set data.workers=6");
  CHECK_FALSE(with_candidate(spec, {"no.such=1", {}, ""}));
}

}  // namespace
}  // namespace ringside::launch
