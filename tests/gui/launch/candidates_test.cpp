// Tests which changes are proposed for given settings, and the settings after a change.
#include "gui/launch/candidates.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace ringside::launch {
namespace {

std::vector<std::string> candidate_names(const messages::RunSpec& spec, int cores, bool other) {
  std::vector<std::string> names;
  for (const Candidate& one : candidates(spec, cores, other)) names.push_back(one.name());
  return names;
}

using CandidateNames = std::vector<std::string>;

TEST_CASE("our trainer on CPUs may load data with more threads, and share the cores among ranks") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.threads = 8;
  spec.data.workers = 1;
  CHECK(candidate_names(spec, 8, false) ==
        CandidateNames{"devices.threads=4", "data.workers=2", "data.workers=4"});
  spec.devices.threads = 0;  // cores / ranks
  spec.data.workers = 4;
  CHECK(candidate_names(spec, 8, false) ==
        CandidateNames{"data.workers=8", "data.workers=16", "devices.threads=1"});
  CHECK(candidate_names(spec, 2, true) == CandidateNames{"data.workers=8", "data.workers=16",
                                                         "train.channels_last=true",
                                                         "train.precision=bf16"});
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

TEST_CASE("a script gets arguments for its own calls only if the package is in it") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  spec.program.environment = {"A=b"};
  const auto all = candidates(spec, 2, false);
  REQUIRE(all.size() == 6);
  CHECK(kept_by(all[0]) == "num_workers=2 in DataLoader(...)");
  CHECK(kept_by(all[2]) == "prefetch_factor=8 in DataLoader(...)");
  CHECK(kept_by(all[4]) == "gradient_as_bucket_view=True in DistributedDataParallel(...)");
  const auto changed = with_candidate(spec, all[0]).value();
  CHECK(changed.program.environment ==
        std::vector<std::string>{"A=b", "RINGSIDE_ARGUMENTS=DataLoader.num_workers=2"});
  CHECK(changed.devices.threads == spec.devices.threads);
  // Arguments that were set before are kept.
  CHECK(with_candidate(changed, all[4]).value().program.environment.back() ==
        "RINGSIDE_ARGUMENTS=DataLoader.num_workers=2,"
        "DistributedDataParallel.gradient_as_bucket_view=1");
  spec.program.instrument = false;
  CHECK(candidates(spec, 2, false).empty());
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
  const auto all = candidates(spec, 2, false, shown);
  REQUIRE(all.size() == 7);
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
