// Measurements of a single rank on the CPU.
#include "trainer/check/check_rank.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/check/hooks.h"
#include "trainer/check/step_bench.h"

using namespace ringside;
using namespace ringside::check;

namespace {

CheckRank one_rank(const TempFolder& folder) {
  CheckRank rank;
  rank.spec.devices.kind = "cpu";
  rank.spec.devices.threads = 1;
  rank.spec.model.name = "lenet";
  rank.spec.data.train_samples = 200;
  rank.spec.data.test_samples = 10;
  rank.spec.batch.size = 20;
  rank.spec.train.epochs = 1000;
  rank.cuda.why_not = "this is a test";
  rank.run_dir = folder.path();
  rank.quick = true;
  return rank;
}

}  // namespace

TEST_CASE("batches arrive intact on a busy device") {
  const TempFolder folder;
  auto rank = one_rank(folder);
  rank.spec.batch.size = 30;  // 100 batches of 30 are not a whole number of epochs
  const auto facts = copies(rank).value();
  CHECK(facts.at("batches") == 100);
  CHECK(facts.at("bits_on_device") == facts.at("bits_on_host"));
  CHECK(facts.at("batch_bytes") == 30 * 28 * 28 * 4);
  CHECK(facts.at("link_bytes_per_s") > 0.0);
}

TEST_CASE("an overflow skips the step and halves the scale, and the next step trains") {
  const TempFolder folder;
  auto rank = one_rank(folder);
  CHECK(!overflow(rank).has_value());
  rank.spec.train.precision = "fp16";
  const auto facts = overflow(rank).value();
  CHECK(facts.at("skipped") == true);
  CHECK(facts.at("weights_moved") == false);
  CHECK(facts.at("scale_after") == facts.at("scale_before").get<double>() / 2);
  CHECK(facts.at("next_weights_moved") == true);
}

TEST_CASE("loader, copy and model are timed alone and together in each round") {
  const TempFolder folder;
  const auto facts = feed(one_rank(folder)).value();
  CHECK(facts.at("images") == 800);
  for (const char* name : {"loader_s", "copy_s", "model_s", "together_s"}) {
    REQUIRE(facts.at(name).size() == 3);
    for (const double seconds : facts.at(name)) CHECK(seconds > 0);
  }
}

TEST_CASE("the timeline of the host returns the times of its clock") {
  const TempFolder folder;
  const auto parts = prepare(one_rank(folder)).value();
  const auto facts = read_timeline(*parts);
  CHECK(facts.at("read_ns").get<double>() / facts.at("host_ns").get<double>() ==
        Approx(1).margin(0.03));
}

TEST_CASE("steps replayed by a graph train bitwise the same as eager steps") {
  const TempFolder folder;
  auto rank = one_rank(folder);
  rank.spec.model.name = "convnet";  // has dropout
  rank.spec.data.crop = 28;
  rank.spec.data.crop_padding = 2;
  rank.spec.data.flip = true;
  rank.spec.batch.size = 30;  // the last batch of an epoch is short
  const auto weights = [&rank](bool replayed) {
    const auto parts = prepare(rank).value();
    if (replayed) replay_on_host(*parts);
    StepBench bench(*parts);
    REQUIRE(bench.begin());
    for (int i = 0; i < 20; ++i) bench.step(bench.next_batch().value());
    (void)bench.finish();
    return dist::hash_of(parts->replica->parameters());
  };
  CHECK(weights(true) == weights(false));
}

TEST_CASE("a delayed rank has a late backward pass") {
  const TempFolder folder;
  const auto parts = prepare(one_rank(folder)).value();
  delay_backward(*parts, 20'000'000);
  StepBench bench(*parts);
  REQUIRE(bench.begin());
  bench.step(bench.next_batch().value());
  CHECK(bench.finish().backward_ns >= 20'000'000);
}

TEST_CASE("a group of one rank trains bitwise the same as no group") {
  const TempFolder folder;
  auto rank = one_rank(folder);
  rank.options.rendezvous = folder.path() / "rendezvous";
  std::vector<std::uint64_t> weights;
  for (const bool grouped : {false, true}) {
    rank.options.group_of_one = grouped;
    const auto parts = prepare(rank).value();
    CHECK(parts->groups.solo() != grouped);
    CHECK(parts->groups.backend == (grouped ? "gloo" : "solo"));
    StepBench bench(*parts);
    REQUIRE(bench.begin());
    for (int step = 0; step < 3; ++step) bench.step(bench.next_batch().value());
    bench.finish();
    weights.push_back(dist::hash_of(parts->replica->parameters()));
    dist::close_groups(parts->groups, nullptr);
  }
  CHECK(weights[0] == weights[1]);
}

TEST_CASE("GPU-only checks report why they were not run") {
  const TempFolder folder;
  CHECK(load(one_rank(folder)).error().message == "this is a test");
  CHECK(hold(one_rank(folder)).error().message == "this is a test");
  CHECK(sums(one_rank(folder)).error().message.find("need two") != std::string::npos);
  CHECK(links(one_rank(folder)).error().message ==
        "between one device and itself there is no link");
}
