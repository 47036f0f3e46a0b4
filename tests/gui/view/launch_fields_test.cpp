// The form and the settings agree about every field.
#include <set>

#include "gui/view/launch/launch_view.h"
#include "protocol/messages/spec/settings.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const auto& setting : messages::settings()) keys.push_back(setting.key);
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

TEST_CASE("Every field typed as it is shown gives the same settings") {
  LaunchForm form(unusual());
  for (const std::string& key : all_keys()) {
    const std::string shown = form.text(key);
    form.edit(key, shown);
    INFO(key << " = " << shown);
    CHECK(form.error(key).empty());
  }
  CHECK(messages::differences(form.spec(), unusual()).empty());
}

TEST_CASE("A form copies the settings of one run into another, field by field") {
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

TEST_CASE("Every offered choice is accepted") {
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

TEST_CASE("Each change of the form has its own revision") {
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

TEST_CASE("Every setting except those drawn elsewhere is in the form") {
  // Everything that hides a field is turned on in one of the forms.
  std::set<std::string> placed;
  for (const char* optimizer : {"sgd", "adam"}) {
    for (const char* schedule : {"step", "multistep", "cosine", "onecycle"}) {
      for (const char* data : {"digits", "image_folder"}) {
        messages::RunSpec spec;
        spec.devices.world_size = 2;
        spec.devices.nodes = 2;
        spec.model.name = "resnet50";
        spec.optimizer.name = optimizer;
        spec.optimizer.lr_rule = "linear";
        spec.schedule.name = schedule;
        spec.schedule.warmup_steps = 5;
        spec.data.name = data;
        spec.data.crop = 32;
        spec.checkpoint.every_epochs = 2;
        for (const FormSection& section :
             build_launch_view(LaunchForm(spec), {}, {}, {}, false).sections) {
          for (const FieldView& field : section.fields) placed.insert(field.key);
          for (const FieldView& field : section.advanced) placed.insert(field.key);
        }
      }
    }
  }
  for (const std::string& key : all_keys()) {
    const bool elsewhere = key.starts_with("program.") || key.starts_with("inject.") ||
                           key.starts_with("baseline.") || key == "devices.kind" ||
                           key == "devices.world_size" || key == "devices.ids" ||
                           key == "batch.size" || key == "batch.meaning";
    INFO(key);
    CHECK(placed.contains(key) != elsewhere);
  }
}

TEST_CASE("Fields that few people change are folded, counted if changed, and shown if wrong") {
  LaunchForm form;
  const auto section = [&form] {
    for (const FormSection& found : build_launch_view(form, {}, {}, {}, false).sections) {
      if (found.title == "Training") return found;
    }
    return FormSection{};
  };
  CHECK(section().changed == 0);
  CHECK(section().advanced.size() == 6);
  form.edit("train.cuda_graph", "true");
  CHECK(section().changed == 1);
  CHECK_FALSE(section().wrong);
  form.edit("batch.accumulate", "4");  // refused in combination
  CHECK(section().wrong);
  CHECK(form.error("train.cuda_graph").find("accumulate") != std::string::npos);
}

TEST_CASE("Milestones are comma-separated whole numbers") {
  LaunchForm form;
  form.edit("schedule.milestones", "20, 40");
  CHECK(form.spec().schedule.milestones == std::vector<std::int64_t>{20, 40});
  form.edit("schedule.milestones", "20, x");
  CHECK(form.error("schedule.milestones").find("whole numbers") != std::string::npos);
  CHECK(form.text("schedule.milestones") == "20, x");
  CHECK(form.spec().schedule.milestones == std::vector<std::int64_t>{20, 40});
}
