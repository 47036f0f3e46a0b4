// The form and the settings say the same of every field.
#include "gui/view/launch_view.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

std::vector<std::string> all_keys() {
  std::vector<std::string> keys{"name"};
  const messages::RunSpec spec;
  messages::RunSpec::sections(spec, [&](std::string_view section, const auto& fields) {
    std::decay_t<decltype(fields)>::fields(
        fields, [&](std::string_view key, const auto&, const messages::Choices&) {
          keys.push_back(std::string(section) + "." + std::string(key));
        });
  });
  return keys;
}

messages::RunSpec unusual() {
  messages::RunSpec spec;
  spec.name = "a, b \"c\"";
  spec.devices.kind = "cpu";
  spec.devices.world_size = 3;
  spec.model.name = "resnet18";
  spec.data.mean = {0.1, 0.25, 1e-3};
  spec.data.std = {1, 2, 3};
  spec.optimizer.lr = 0.0123456789;
  spec.optimizer.nesterov = true;
  spec.schedule.name = "step";
  spec.sampler.shuffle = false;
  spec.train.seed = 9'007'199'254'740'992;
  return spec;
}

}  // namespace

TEST_CASE("Every field typed as it is shown gives the same settings back") {
  LaunchForm form(unusual());
  for (const std::string& key : all_keys()) {
    const std::string shown = form.text(key);
    form.edit(key, shown);
    INFO(key << " = " << shown);
    CHECK(form.error(key).empty());
  }
  CHECK(messages::differences(form.spec(), unusual()).empty());
}

TEST_CASE("A form carries the settings of one run into another, field by field") {
  const LaunchForm from(unusual());
  LaunchForm to;
  for (const std::string& key : all_keys()) to.edit(key, from.text(key));
  CHECK(messages::differences(to.spec(), unusual()).empty());
  CHECK(to.errors() == 0);
}

TEST_CASE("No field takes nonsense silently") {
  for (const std::string& key : all_keys()) {
    const auto facts = field_facts({}, key);
    REQUIRE(facts.has_value());
    if (facts->kind == FieldKind::kText || facts->kind == FieldKind::kList) continue;
    LaunchForm form;
    const auto before = form.spec();
    form.edit(key, "~nonsense~");
    INFO(key);
    CHECK_FALSE(form.error(key).empty());
    CHECK(form.text(key) == "~nonsense~");
    CHECK(messages::differences(form.spec(), before).empty());
    CHECK_FALSE(build_launch_view(form, {}, {}, {}, false).can_launch);
  }
}

TEST_CASE("Choices offered are choices taken") {
  for (const std::string& key : all_keys()) {
    const auto facts = field_facts({}, key);
    for (const std::string& word : facts->choices) {
      LaunchForm form;
      form.edit(key, word);
      INFO(key << " = " << word);
      CHECK(form.text(key) == word);
      CHECK(form.errors() == 0);
    }
  }
}

TEST_CASE("Each change of the form has a revision of its own") {
  LaunchForm form;
  std::uint64_t before = form.revision();
  const auto changed = [&] {
    const bool newer = form.revision() > before;
    before = form.revision();
    return newer;
  };
  form.edit("train.epochs", "4");
  CHECK(changed());
  form.edit("train.epochs", "x");
  CHECK(changed());
  form.set_cpu_ranks(2);
  CHECK(changed());
  form.pick_device("GPU-1", true);
  CHECK(changed());
  CHECK_FALSE(changed());
}
