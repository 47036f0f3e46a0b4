// A mistake in the settings is a bad request that names the place, the key and the nearest valid
// word.
#include "protocol/messages/spec/run_spec.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/spec_problems.h"
#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

std::string message_of(std::string_view toml) {
  const auto spec = parse_run_spec(toml, "my.toml");
  REQUIRE_FALSE(spec);
  CHECK(spec.error().kind == ErrorKind::kRequest);
  return spec.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an unknown key is reported with its line and the nearest known key") {
  const auto key = message_of("name = \"x\"\n[train]\nepochs = 2\nepoch = 3\n");
  CHECK(has(key, "my.toml:4"));
  CHECK(has(key, "train.epoch"));
  CHECK(has(key, "did you mean \"epochs\"?"));
  const auto section = message_of("[optimiser]\nlr = 1\n");
  CHECK(has(section, "my.toml:1"));
  CHECK(has(section, "did you mean \"optimizer\"?"));
  const auto top = message_of("nmae = \"x\"\n");
  CHECK(has(top, "did you mean \"name\"?"));
  const auto far = message_of("[batch]\nquantity = 1\n");
  CHECK(has(far, "known: size, meaning"));
}

TEST_CASE("a word that is not allowed is reported with the nearest allowed word") {
  const auto near = message_of("[model]\nname = \"resnet81\"\n");
  CHECK(has(near, "my.toml:2"));
  CHECK(has(near, "model.name = \"resnet81\""));
  CHECK(has(near, "did you mean \"resnet18\"?"));
  CHECK(has(message_of("[train]\nprecision = \"quadruple\"\n"), "known: torch, fp32, tf32"));
}

TEST_CASE("a value of the wrong type is reported with the expected type") {
  CHECK(has(message_of("[train]\nepochs = \"three\"\n"),
            "train.epochs = \"three\" must be a whole number from 0 to 1e6"));
  CHECK(has(message_of("[train]\nepochs = 1.5\n"), "train.epochs = 1.5 must be a whole number"));
  CHECK(has(message_of("[optimizer]\nlr = true\n"), "optimizer.lr = true must be a number"));
  CHECK(has(message_of("[sampler]\nshuffle = 1\n"), "sampler.shuffle = 1 must be true or false"));
  CHECK(has(message_of("[data]\nmean = [0.5, \"x\"]\n"),
            "data.mean = [0.5, \"x\"] must be a list of numbers"));
  CHECK(has(message_of("[program]\nargv = \"one\"\n"),
            "program.argv = \"one\" must be a list of strings"));
  CHECK(has(message_of("name = 3\n"), "name = 3 must be a text"));
  CHECK(has(message_of("train = 3\n"), "train must be a table: [train]"));
}

TEST_CASE("text that is not TOML is refused with its line") {
  CHECK(has(message_of("[train]\nepochs = = 3\n"), "my.toml:2"));
  CHECK(has(message_of("[train\n"), "my.toml:1"));
  CHECK(has(message_of("[[["), "my.toml:1"));
  CHECK(has(message_of("[train]\n[=]\n"), "my.toml:2"));
  CHECK(has(message_of("[train]\nepochs = 1\nepochs = 2\n"), "my.toml:3"));
}

TEST_CASE("an invalid --set changes nothing and is an error") {
  for (const char* assignment :
       {"train.epochs=x", "train.epoch=3", "trian.epochs=3", "epochs", "=3", "train.=3",
        "train.epochs=", "model.name=resnet81", "a b=3", "train.epochs=1\nseed = 2"}) {
    RunSpec spec;
    INFO(assignment);
    const auto result = set_field(spec, assignment);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::kRequest);
    CHECK(differences(spec, RunSpec{}).empty());
  }
}

TEST_CASE("an invalid --set names the sections that have a key of that name") {
  const auto refused = [](const char* assignment) {
    RunSpec spec;
    return set_field(spec, assignment).error().message;
  };
  CHECK(has(refused("lr=0.1"), "unknown key lr, did you mean \"optimizer.lr\"?"));
  CHECK(has(refused("train.lr=0.1"), "did you mean \"optimizer.lr\"?"));
  CHECK(has(refused("seed=1"), "\"data.seed\" or \"train.seed\" or \"sampler.seed\"?"));
  CHECK(
      has(refused("train.epochs=x"), "train.epochs = \"x\" must be a whole number from 0 to 1e6"));
}

TEST_CASE("numbers out of range are reported with the range") {
  CHECK(validate(RunSpec{}));
  for (const char* assignment : {"devices.world_size=0",     "devices.threads=-1",
                                 "model.classes=1",          "data.train_samples=0",
                                 "data.workers=-1",          "batch.size=0",
                                 "batch.accumulate=0",       "data.crop=-1",
                                 "train.epochs=-1",          "train.max_steps=-1",
                                 "optimizer.beta1=1",        "optimizer.eps=-1",
                                 "optimizer.lr_batch=-1",    "schedule.warmup_factor=2",
                                 "schedule.rise=1.5",        "schedule.div_factor=0.5",
                                 "sampler.seed=-2",          "limits.restarts=-1",
                                 "optimizer.lr=-1",          "optimizer.lr=nan",
                                 "optimizer.momentum=1.5",   "optimizer.weight_decay=-0.1",
                                 "schedule.step_epochs=0",   "schedule.gamma=-1",
                                 "evaluate.every_epochs=-1", "checkpoint.every_epochs=-1",
                                 "checkpoint.keep=-1",       "limits.grace_s=0",
                                 "limits.stall_s=0",         "limits.collective_timeout_s=inf"}) {
    RunSpec spec;
    INFO(assignment);
    REQUIRE(set_field(spec, assignment));
    const auto valid = validate(spec);
    REQUIRE_FALSE(valid);
    const std::string key = std::string(assignment).substr(0, std::string(assignment).find('='));
    CHECK(has(valid.error().message, key));
    const auto range = range_text(find_setting(key)->field);
    CHECK(has(valid.error().message, "out of range; use " + range));
  }
}

TEST_CASE("all errors are reported at once, each with the settings involved") {
  RunSpec spec;
  CHECK(problems(spec).empty());
  spec.batch.size = 0;
  spec.optimizer.momentum = 0;
  spec.optimizer.nesterov = true;
  const auto found = problems(spec);
  REQUIRE(found.size() == 2);
  CHECK(found[0].keys == std::vector<std::string>{"batch.size"});
  CHECK(found[1].keys ==
        std::vector<std::string>{"optimizer.nesterov", "optimizer.name", "optimizer.momentum"});
  CHECK(validate(spec).error().message == found[0].message);
}

TEST_CASE("S6: control characters that cannot be displayed or passed on are refused") {
  RunSpec spec;
  spec.name = "two\nlines\tand \u202E marks";
  CHECK(validate(spec));
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("a\x1b[31m"), std::string("\x7f")}) {
    spec.name = text;
    REQUIRE_FALSE(validate(spec));
    CHECK(validate(spec).error().message.starts_with("name holds a control character"));
  }
  spec.name.clear();
  spec.program.argv = {"train", std::string("a\0b", 3)};
  REQUIRE_FALSE(validate(spec));
  CHECK(validate(spec).error().message.find("program.argv") != std::string::npos);
  spec.program.argv = {"train", "\x1b is data"};
  CHECK(validate(spec));
}

TEST_CASE("fields that contradict each other are refused") {
  const auto refused = [](auto change) {
    RunSpec spec;
    change(spec);
    const auto valid = validate(spec);
    return valid ? std::string() : valid.error().message;
  };
  CHECK(has(refused([](RunSpec& s) {
              s.devices.ids = {"a", "b", "c"};
            }),
            "devices.ids names 3 devices"));
  CHECK(has(refused([](RunSpec& s) { s.data.mean = {0.5}; }), "data.mean and data.std"));
  CHECK(has(refused([](RunSpec& s) { s.data.mean = s.data.std = {0.0}; }),
            "data.std must be above 0"));
  CHECK(has(refused([](RunSpec& s) {
              s.optimizer.nesterov = true;
              s.optimizer.momentum = 0;
            }),
            "nesterov"));
  CHECK(has(refused([](RunSpec& s) { s.data.crop_padding = 4; }), "needs data.crop"));
  CHECK(has(refused([](RunSpec& s) { s.data.name = "image_folder"; }), "needs data.root"));
  CHECK(has(refused([](RunSpec& s) {
              s.data.name = "image_folder";
              s.data.root = "/pictures";
            }),
            "needs data.resize"));
  CHECK(has(refused([](RunSpec& s) { s.data.name = "integers"; }), "model.name = \"none\""));
  CHECK(has(refused([](RunSpec& s) { s.train.epochs = 0; }), "only evaluates and needs weights"));
  CHECK(has(refused([](RunSpec& s) {
              s.checkpoint.best = true;
              s.evaluate.mode = "none";
            }),
            "checkpoint.best"));
  CHECK(has(refused([](RunSpec& s) {
              s.optimizer.name = "adam";
              s.optimizer.nesterov = true;
            }),
            "nesterov"));
  CHECK(has(refused([](RunSpec& s) { s.schedule.name = "multistep"; }), "schedule.milestones"));
  CHECK(has(refused([](RunSpec& s) {
              s.schedule.milestones = {5, 5};
            }),
            "each above the one before"));
  CHECK(has(refused([](RunSpec& s) {
              s.devices.parallel = "dp";
              s.model.sync_batchnorm = true;
            }),
            "sync_batchnorm"));
  CHECK(has(refused([](RunSpec& s) {
              s.devices.parallel = "dp";
              s.train.cuda_graph = true;
            }),
            "the step of one device"));
  CHECK(has(refused([](RunSpec& s) {
              s.train.cuda_graph = true;
              s.batch.accumulate = 2;
            }),
            "batch.accumulate"));
  for (const std::int64_t steps : {0, 5})
    CHECK(has(refused([steps](RunSpec& s) {
                s.devices.world_size = 2;
                s.inject = {"delay_data", 1, 2.5, 3, steps, 5};
              }),
              "inject.every = 5 needs inject.steps"));
}

TEST_CASE("a non-ASCII letter outside a text is reported with its line") {
  for (const char* letter : {"\u00a1", "\u00fc", "\u0353", "\u0499", "\u049a", "\u4e2d"}) {
    const auto read = parse_run_spec(std::string("name = \"a\"\nad") + letter + "r = 1\n", "test");
    REQUIRE_FALSE(read);
    CHECK(read.error().message.starts_with("test:2: "));
  }
}

}  // namespace
TEST_CASE(
    "a variable of the program needs a name and a value, and must not be one of the agent's") {
  RunSpec spec;
  spec.program.argv = {"train"};
  spec.program.environment = {"LR=0.1", "EMPTY=", "PYTHONPATH=/mine", "RANKED=1"};
  CHECK(validate(spec));
  const std::pair<std::string, std::string> wrong[] = {
      {"LR", "\"LR\" is not of the form NAME=value"},
      {"=1", "is not of the form NAME=value"},
      {"RANK=1", "RANK is set for each rank by its agent"},
      {"RINGSIDE_RUN_DIR=/x", "RINGSIDE_RUN_DIR is set"},
      {"OMP_NUM_THREADS=4", "set devices.threads"},
      {"CUDA_VISIBLE_DEVICES=0", "set devices.ids"},
      {"WORLD_SIZE=2", "set devices.world_size"},
      {"RINGSIDE_INSTRUMENT=0", "set program.instrument"}};
  for (const auto& [entry, message] : wrong) {
    spec.program.environment = {"LR=0.1", entry};
    const auto valid = validate(spec);
    REQUIRE_FALSE(valid);
    CHECK(valid.error().kind == ErrorKind::kRequest);
    CHECK(valid.error().message.find("program.environment: ") == 0);
    CHECK(valid.error().message.find(message) != std::string::npos);
  }
}

}  // namespace ringside::messages
