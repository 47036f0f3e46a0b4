// Values of `--set KEY=A,B`, their combinations and the resulting settings of a study.
#include "gui/launch/studies/combinations.h"

#include <set>

#include "protocol/messages/spec/settings.h"
#include "tests/support/catch.h"

using namespace ringside;
using launch::Combination;
using launch::Swept;
using messages::RunSpec;

namespace {

using Words = std::vector<std::string>;

const std::vector<Swept> kTwoSwept{{"optimizer.lr", {"0.01", "0.03", "0.1"}},
                                   {"batch.size", {"32", "64"}}};

launch::Machine machine_of_combinations() {
  launch::Machine machine;
  machine.cores = 8;
  return machine;
}

template <class Answer>
std::string why_not(const Answer& answer) {
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::kRequest);
  return answer.error().message;
}

bool tells(const std::string& message, const char* part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("commas separate values, except within lists, quotes or brackets") {
  CHECK(launch::values_of("optimizer.lr", "0.01, 0.03,0.1") == Words{"0.01", "0.03", "0.1"});
  CHECK(launch::values_of("optimizer.lr", "0.01") == Words{"0.01"});
  CHECK(launch::values_of("name", "\"a,b\",c") == Words{"\"a,b\"", "c"});
  REQUIRE(messages::find_setting("devices.ids")->type.starts_with("list"));
  CHECK(launch::values_of("devices.ids", "GPU-1,GPU-2") == Words{"GPU-1,GPU-2"});
  CHECK(launch::values_of("devices.ids", "[\"a\",\"b\"],[\"c\"]") ==
        Words{"[\"a\",\"b\"]", "[\"c\"]"});
}

TEST_CASE("settings with one value go to the recipe, and those with several are swept") {
  const auto asked =
      launch::parse_settings({"train.epochs=1", "optimizer.lr=0.01,0.03", "batch.size=32,64"});
  REQUIRE(asked);
  CHECK(asked->fixed == Words{"train.epochs=1"});
  REQUIRE(asked->swept.size() == 2);
  CHECK(asked->swept[0].name == "optimizer.lr");
  CHECK(asked->swept[1].values == Words{"32", "64"});
  CHECK(tells(why_not(launch::parse_settings({"batch.size=32,"})), "a value is empty"));
  CHECK(tells(why_not(launch::parse_settings({"batch.size=32,32"})), "32 is given twice"));
  CHECK(tells(why_not(launch::parse_settings({"lr=1,2", "lr=3,4"})), "--set lr is given twice"));
}

TEST_CASE(
    "together with numbers of devices a setting has one value, but free text keeps its commas") {
  CHECK(launch::refuse_several({"name=a,b", "optimizer.lr=0.1"}, "--world"));
  const auto refused = launch::refuse_several({"optimizer.lr=0.1,0.2"}, "--world");
  CHECK(tells(why_not(refused), "leave out --world"));
}

TEST_CASE("all combinations are made, the last name varying fastest") {
  const auto all = launch::combinations_of(kTwoSwept, {}, {});
  REQUIRE(all);
  REQUIRE(all->size() == 6);
  CHECK(all->front() == Combination{"optimizer.lr=0.01", "batch.size=32"});
  CHECK((*all)[1] == Combination{"optimizer.lr=0.01", "batch.size=64"});
  CHECK(all->back() == Combination{"optimizer.lr=0.1", "batch.size=64"});
}

TEST_CASE("a random draw repeats no combination and is the same for the same seed") {
  const auto drawn = [](std::uint64_t seed) {
    return launch::combinations_of(kTwoSwept, {}, launch::Draw{4, seed}).value();
  };
  std::set<std::vector<Combination>> draws;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto draw = drawn(seed);
    CHECK(draw.size() == 4);
    CHECK(std::set<Combination>(draw.begin(), draw.end()).size() == 4);
    CHECK(draw == drawn(seed));
    draws.insert(draw);
  }
  CHECK(draws.size() > 1);
}

TEST_CASE("too many combinations and unknown names are refused") {
  std::vector<Swept> many{{"a", {}}, {"b", {}}};
  for (int i = 0; i < 15; ++i) {
    for (Swept& one : many) one.values.push_back(std::to_string(i));
  }
  CHECK(tells(why_not(launch::combinations_of(many, {}, {})), "225 combinations, more than 200"));
  CHECK(launch::combinations_of(many, {}, launch::Draw{20, 1})->size() == 20);
  CHECK(tells(why_not(launch::combinations_of(kTwoSwept, {}, launch::Draw{9, 1})),
              "only 6 combinations"));
  const std::vector<Swept> lr{{"lr", {"1", "2"}}};
  CHECK(tells(why_not(launch::combinations_of(lr, {"train.py"}, {})),
              "no argument of the command has {lr}"));
  CHECK(tells(why_not(launch::combinations_of(lr, {"train.py", "{lr}", "{wd}"}, {})),
              "{wd} in the command"));
  CHECK(tells(why_not(launch::combinations_of({{"devices.world_size", {"1", "2"}}}, {}, {})),
              "--world 1,2,4"));
}

TEST_CASE("each combination becomes a setting on the recipe's own number of devices") {
  RunSpec recipe;
  recipe.data.train_samples = 1000;
  recipe.devices.kind = "cpu";
  recipe.devices.world_size = 2;
  launch::StudyRequest request;
  request.combinations = launch::combinations_of(kTwoSwept, {}, {}).value();
  const auto sweep = launch::plan_settings(recipe, request, machine_of_combinations());
  REQUIRE(sweep);
  REQUIRE(sweep->settings.size() == 6);
  CHECK(sweep->settings[1].key == "optimizer.lr=0.01 batch.size=64-2");
  for (const auto& setting : sweep->settings) {
    CHECK(setting.spec.devices.world_size == 2);
    CHECK(setting.spec.devices.threads == 4);
    CHECK(setting.spec.baseline.mode == "none");
  }
  CHECK(sweep->settings[1].spec.batch.size == 64);
  CHECK(launch::run_name("demo", "batch.size=64", {2}, 1, 3) == "demo · batch.size=64 · 1/3");
  CHECK(sweep->settings[5].spec.optimizer.lr == Approx(0.1));
  request.combinations = {{"optimizer.lrr=1"}, {"optimizer.lrr=2"}};
  CHECK(tells(why_not(launch::plan_settings(recipe, request, machine_of_combinations())), "lrr"));
}

TEST_CASE("values replace their names in a command") {
  RunSpec recipe;
  recipe.program.argv = {"python", "train.py",   "--lr={lr}", "{{lr}}",
                         "${lr}",  "{\"a\": 1}", "{opt}"};
  recipe.devices.kind = "cpu";
  launch::StudyRequest request;
  const std::vector<Swept> swept{{"lr", {"0.1", "\"1,2\""}}, {"opt", {"sgd", "adam w"}}};
  request.combinations = launch::combinations_of(swept, recipe.program.argv, {}).value();
  const auto sweep = launch::plan_settings(recipe, request, machine_of_combinations());
  REQUIRE(sweep);
  REQUIRE(sweep->settings.size() == 4);
  CHECK(sweep->settings[0].key == "lr=0.1 opt=sgd-1");
  CHECK(sweep->settings[3].spec.program.argv ==
        Words{"python", "train.py", "--lr=1,2", "{lr}", "${lr}", "{\"a\": 1}", "adam w"});
}
