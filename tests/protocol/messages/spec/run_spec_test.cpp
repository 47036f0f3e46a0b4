#include "protocol/messages/spec/run_spec.h"

#include "protocol/messages/spec/settings.h"
#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

// A spec in which every field differs from its default.
RunSpec everything_changed() {
  RunSpec spec;
  spec.name = "a \"quoted\" name\nwith $(touch x); `y` and \xC3\xA9";
  spec.program.argv = {"python3", "train me.py", "--flag=\"x\""};
  spec.program.cwd = "/somewhere";
  spec.program.environment = {"MODE=fast"};
  spec.program.instrument = false;
  spec.program.keep_source = false;
  spec.devices = {"cpu",  3,   {"GPU-a", "GPU-b", "GPU-c"}, 4, "cores", "dp", "share", 3, 1,
                  "eth0", true};
  spec.model = {"resnet18", 100, "cifar", true, "weights.pt"};
  spec.data.name = "cifar10";
  spec.data.root = "/data/it's here";
  spec.data.train_samples = 7;
  spec.data.test_samples = 8;
  spec.data.seed = 9;
  spec.data.mean = {0.4914, 0.4822, 0.4465};
  spec.data.std = {1, 0.1994, 1e-3};
  spec.data.resize = 64;
  spec.data.crop = 32;
  spec.data.crop_padding = 4;
  spec.data.flip = true;
  spec.data.workers = 0;
  spec.data.on_device = true;
  spec.data.pinned_mib = 256;
  spec.batch = {96, "per_rank", 2, true};
  spec.train = {11, 12, "bf16", true, true, true, true, 13, "nan", 40};
  spec.optimizer = {"adamw", 1e-4, 0.5, 5e-4, true, 0.8, 0.99, 1e-6, "linear", 256};
  spec.schedule = {"multistep", 3, 0.25, {4, 8}, 1e-3, 0.4, 10.0, 100.0, 7, 0.5};
  spec.sampler = {false, false, "none", 5};
  spec.evaluate = {2, "none", 32, true};
  spec.checkpoint = {4, 2, 6, 5, true, "ranks_epoch", "auto"};
  spec.baseline = {"reuse", "20261121T134005Z-7f3a1c", {"train.precision=fp32"}, {2, 4}};
  spec.limits = {2, 1.5, 2.5, 3.5, 9};
  spec.inject = {"delay_data", 1, 2.5, 3, 4, 5};
  return spec;
}

TEST_CASE("a spec written as TOML is read back field by field") {
  for (const RunSpec& spec : {RunSpec{}, everything_changed()}) {
    const auto back = parse_run_spec(to_toml(spec), "spec.toml");
    REQUIRE(back);
    CHECK(differences(spec, *back).empty());
    CHECK(to_toml(*back) == to_toml(spec));
  }
}

TEST_CASE("the written spec has every field, and a changed spec differs in all of them") {
  const auto rows = differences(RunSpec{}, everything_changed());
  const std::string text = to_toml(RunSpec{});
  for (const Setting& setting : settings()) {
    const bool differs = std::any_of(rows.begin(), rows.end(),
                                     [&](const auto& row) { return row.key == setting.key; });
    INFO(setting.key);
    CHECK(differs);
    CHECK(("\n" + text).find("\n" + std::string(setting.field.key) + " = ") != std::string::npos);
  }
  CHECK(rows.size() == settings().size());
}

TEST_CASE("a short file leaves all other fields at their defaults") {
  const auto spec = parse_run_spec(
      "name = \"demo\"\n[devices]\nworld_size = 2\n[optimizer]\nlr = 1\n", "demo.toml");
  REQUIRE(spec);
  RunSpec expected;
  expected.name = "demo";
  expected.devices.world_size = 2;
  expected.optimizer.lr = 1.0;
  CHECK(differences(*spec, expected).empty());
  CHECK(parse_run_spec("", "empty"));
}

TEST_CASE("one field of any type is changed by --set, with or without quotes") {
  RunSpec spec;
  const std::vector<std::string> assignments{"name=my run",           "train.epochs=5",
                                             "optimizer.lr=0.5",      "optimizer.lr=2",
                                             "sampler.shuffle=false", "model.name=resnet18",
                                             "data.name=\"shapes\"",  "program.argv=[\"a\", \"b\"]",
                                             "data.mean=[0.5, 1]",    "data.root=/some/where",
                                             "checkpoint.resume=auto"};
  for (const auto& assignment : assignments) {
    INFO(assignment);
    CHECK(set_field(spec, assignment));
  }
  CHECK(spec.name == "my run");
  CHECK(spec.train.epochs == 5);
  CHECK(spec.optimizer.lr == 2.0);
  CHECK_FALSE(spec.sampler.shuffle);
  CHECK(spec.model.name == "resnet18");
  CHECK(spec.data.name == "shapes");
  CHECK(spec.program.argv == std::vector<std::string>{"a", "b"});
  CHECK(spec.data.mean == std::vector<double>{0.5, 1.0});
  CHECK(spec.data.root == "/some/where");
  CHECK(spec.checkpoint.resume == "auto");
}

TEST_CASE("every allowed word of every field is accepted") {
  std::size_t words = 0;
  for (const Setting& setting : settings()) {
    for (const auto& word : words_of(setting.field)) {
      RunSpec spec;
      const std::string assignment = setting.key + "=" + word;
      INFO(assignment);
      CHECK(set_field(spec, assignment));
      CHECK(parse_run_spec(setting.key + " = \"" + word + "\"\n", "x"));
      ++words;
    }
  }
  CHECK(words > 40);
}

TEST_CASE("differences have the field and both values") {
  RunSpec left;
  RunSpec right;
  right.devices.world_size = 4;
  right.optimizer.lr = 0.1;
  const auto rows = differences(left, right);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].key == "devices.world_size");
  CHECK(rows[0].left == "1");
  CHECK(rows[0].right == "4");
  CHECK(rows[1].key == "optimizer.lr");
  CHECK(rows[1].left == "0.01");
  CHECK(rows[1].right == "0.1");
}

TEST_CASE("Steps are delayed from one on, for so many, and again every so many") {
  const auto delayed = [](std::int64_t from, std::int64_t steps, std::int64_t every) {
    const InjectSpec inject{"delay_data", 0, 1, from, steps, every};
    std::string marks;
    for (std::int64_t step = 0; step < 9; ++step) marks += inject.delays(step) ? 'd' : '.';
    return marks;
  };
  CHECK(delayed(2, 0, 0) == "..ddddddd");
  CHECK(delayed(2, 2, 0) == "..dd.....");
  CHECK(delayed(2, 2, 3) == "..dd.dd.d");
}

TEST_CASE("a run without a name is named by its model, data and ranks") {
  RunSpec spec;
  spec.devices.world_size = 2;
  CHECK(display_name(spec) == "convnet \xC2\xB7 digits \xC2\xB7 2 ranks");
  spec.devices.world_size = 1;
  CHECK(display_name(spec) == "convnet \xC2\xB7 digits \xC2\xB7 1 rank");
  spec.program.argv = {"mine"};
  CHECK(display_name(spec) == "mine \xC2\xB7 1 rank");
  spec.program.argv = {"bash", "-e", "jobs/train.sh", "x"};
  CHECK(display_name(spec) == "train.sh \xC2\xB7 1 rank");
  spec.program.argv = {"/bin/sh", "-c", "cd x; python3 train.py"};
  CHECK(display_name(spec) == "sh \xC2\xB7 1 rank");
  spec.name = "the name";
  CHECK(display_name(spec) == "the name");
}

}  // namespace
}  // namespace ringside::messages
