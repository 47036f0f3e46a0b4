// The presets of the published experiments match their sources, cell by cell, and every published
// figure that can be computed agrees with batch_facts.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "gui/launch/plan.h"
#include "gui/launch/preflight/readiness.h"
#include "gui/launch/presets.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_value.h"
#include "tests/gui/launch/source_page.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::RunSpec;

namespace {

launch::LoadedPreset preset(const std::string& name) { return launch::load_preset(name).value(); }
RunSpec full(const std::string& name) { return preset(name).file.spec.full; }

std::int64_t train_samples(const RunSpec& spec) {
  static const std::map<std::string, std::int64_t> kSets = {{"cifar10", 50000}, {"mnist", 60000}};
  const auto found = kSets.find(spec.data.name);
  return found == kSets.end() ? spec.data.train_samples : found->second;
}

using testing::Origin;
using testing::SourceCell;
using testing::SourceFigure;
using testing::SourceRecipe;

std::vector<SourceRecipe> all_facts() {
  std::vector<SourceRecipe> all;
  for (const auto& some : testing::facts_by_experiment())
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::map<std::string, std::string> values_of(const RunSpec& spec) {
  std::map<std::string, std::string> values;
  messages::each_setting(spec,
                         [&](const std::string& key, const messages::Field&, const auto& value) {
                           values[key] = messages::toml_text(value);
                         });
  return values;
}

/// The source's value in the form in which the loader would write it.
std::string text_of(const SourceCell& cell) {
  RunSpec spec;
  REQUIRE(messages::set_field(spec, std::string(cell.key) + "=" + cell.value));
  return values_of(spec)[cell.key];
}

/// Whether the setting is one that we add to a recipe and that no source could state.
bool is_ours(const std::string& key) {
  return key == "name" || key == "devices.kind" || key.starts_with("baseline.");
}

/// Whether the entry covers the key: "optimizer" covers every setting of its section.
bool covers(const std::string& entry, const std::string& key) {
  return entry == key || key.starts_with(entry + ".");
}

std::string name_of(const std::string& what, long ranks, double value, bool derived,
                    const std::string& clock, const std::string& against) {
  return what + " on " + std::to_string(ranks) + " = " + std::to_string(value) +
         (derived ? ", derived" : "") + ", by " + clock + ", against " + against;
}

}  // namespace

TEST_CASE("every preset of a published experiment has a table of facts, and vice versa") {
  std::vector<std::string> wanted;
  for (const SourceRecipe& facts : all_facts()) wanted.push_back(facts.preset);
  std::vector<std::string> there;
  const auto all = launch::presets().value();
  for (const auto& listed : all) {
    if (!preset(listed.name).file.about.experiment.empty()) there.push_back(listed.name);
  }
  std::sort(wanted.begin(), wanted.end());
  CHECK(there == wanted);
}

TEST_CASE("every setting of every preset is that of its source, or deviates for a stated reason") {
  const auto standard = values_of({});
  for (const SourceRecipe& facts : all_facts()) {
    const auto loaded = preset(facts.preset);
    auto values = values_of(loaded.file.spec.full);
    const auto& about = loaded.file.about;
    CHECK(about.launch == facts.launch);
    for (const SourceCell& cell : facts.cells) {
      INFO(facts.preset << " " << cell.key << " " << cell.why);
      if (cell.origin == Origin::kDeviates) {
        CHECK(values[cell.key] != text_of(cell));
        CHECK(std::string(cell.why).size() > 20);
      } else {
        CHECK(values[cell.key] == text_of(cell));
      }
      const bool said = std::any_of(about.unstated.begin(), about.unstated.end(),
                                    [&](const auto& entry) { return covers(entry, cell.key); });
      CHECK(said == (cell.origin == Origin::kUnstated));
      values.erase(cell.key);
    }
    for (const auto& [key, value] : values) {
      INFO(facts.preset << " sets " << key << ", of which the table of facts says nothing");
      CHECK((is_ours(key) || value == standard.at(key)));
    }
    for (const std::string& entry : about.unstated) {
      INFO(facts.preset << " " << entry);
      CHECK(std::any_of(facts.cells.begin(), facts.cells.end(),
                        [&](const SourceCell& cell) { return covers(entry, cell.key); }));
    }
  }
}

TEST_CASE("no setting that affects training or its measurement is missing from a table") {
  const std::vector<std::string> of_data = {"data.name",    "batch.size", "batch.meaning",
                                            "train.epochs", "train.seed", "evaluate.mode"};
  const std::vector<std::string> of_a_model = {"model.name",
                                               "model.classes",
                                               "model.sync_batchnorm",
                                               "data.mean",
                                               "data.std",
                                               "data.crop",
                                               "data.flip",
                                               "data.workers",
                                               "train.precision",
                                               "checkpoint.every_epochs"};
  const std::vector<std::string> of_training = {
      "batch.accumulate",  "batch.drop_last",       "optimizer.name",         "optimizer.lr",
      "optimizer.lr_rule", "optimizer.momentum",    "optimizer.weight_decay", "optimizer.nesterov",
      "schedule.name",     "schedule.warmup_steps", "devices.parallel"};
  const std::vector<std::string> of_orders = {"sampler.shuffle", "sampler.set_epoch",
                                              "sampler.seed", "sampler.padding"};
  for (const SourceRecipe& facts : all_facts()) {
    const RunSpec spec = full(facts.preset);
    std::vector<std::string> wanted = of_data;
    const auto add = [&wanted](const auto& keys) {
      wanted.insert(wanted.end(), keys.begin(), keys.end());
    };
    const bool learns = spec.model.name != "none";
    if (learns) add(of_a_model);
    if (learns && spec.train.epochs > 0) add(of_training);
    if (spec.train.epochs > 0) add(of_orders);
    if (learns && spec.evaluate.mode != "none")
      add(std::vector<std::string>{"evaluate.every_epochs", "evaluate.batch"});
    if (spec.model.name.starts_with("resnet")) wanted.emplace_back("model.stem");
    for (const std::string& key : wanted) {
      INFO(facts.preset << " " << key);
      CHECK(std::any_of(facts.cells.begin(), facts.cells.end(),
                        [&](const SourceCell& cell) { return cell.key == key; }));
    }
  }
}

TEST_CASE("the page of sources beside the presets matches the tables of facts") {
  const auto page = launch::presets().value().front().path.parent_path() / "SOURCES.md";
  INFO("RINGSIDE_RENEW_SOURCES=1 writes " << page);
  if (std::getenv("RINGSIDE_RENEW_SOURCES") != nullptr)
    REQUIRE(write_text_atomically(page, testing::source_page(), 0644));
  CHECK(read_text(page).value() == testing::source_page());
}

TEST_CASE("every published figure matches its source and has the clock it is compared by") {
  for (const SourceRecipe& facts : all_facts()) {
    INFO(facts.preset);
    std::vector<std::string> wanted;
    for (const SourceFigure& one : facts.figures)
      wanted.push_back(
          name_of(one.what, one.ranks, one.value, one.derived, one.clock, one.against));
    std::vector<std::string> there;
    for (const auto& one : preset(facts.preset).file.published.figures) {
      if (one.value)
        there.push_back(name_of(one.what, one.ranks.value_or(0), *one.value, one.derived, one.clock,
                                one.against));
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(there.begin(), there.end());
    CHECK(there == wanted);
  }
}

TEST_CASE("deviations that no setting expresses are listed in the preset's notes") {
  for (const SourceRecipe& facts : all_facts()) {
    const auto notes = preset(facts.preset).file.published.notes;
    for (const auto& deviation : facts.deviations) {
      INFO(facts.preset << ": " << deviation.what);
      CHECK(std::any_of(notes.begin(), notes.end(),
                        [&](const std::string& note) { return note == deviation.note; }));
    }
  }
}

TEST_CASE("every figure that depends on a clock names it, and only E0 does not state its own") {
  const auto all = launch::presets().value();
  for (const auto& listed : all) {
    std::istringstream lines(read_text(listed.path).value());
    for (std::string line; std::getline(lines, line);) {
      const auto begin = line.find("{ what = \"");
      if (begin == line.npos) continue;
      const auto word = line.substr(begin + 10, line.find('"', begin + 10) - begin - 10);
      INFO(listed.name << " " << line);
      CHECK(launch::is_timed(word) == (line.find("clock = \"") != line.npos));
      if (line.find("\"unstated\"") != line.npos) CHECK(listed.name.starts_with("e0_"));
    }
  }
}

TEST_CASE("the baselines and numbers of devices of our experiments are as planned") {
  using Texts = std::vector<std::string>;
  const auto baseline = [](const char* name) { return full(name).baseline; };
  CHECK(baseline("e0_baseline").mode == "none");
  for (const char* name : {"e0_ddp2", "e0_ddp4", "e2_ddp2", "e2_ddp4", "e2_dp4", "e2_dp4_256",
                           "e2_ddp4_syncbn", "e1_dp2"}) {
    INFO(name);
    CHECK(baseline(name).mode == "reuse");
    CHECK(baseline(name).set.empty());
  }
  CHECK(baseline("e1_set_epoch").mode == "run");
  CHECK(baseline("e1_set_epoch").set == Texts{"sampler.set_epoch=false"});
  CHECK(baseline("e2_ddp4_amp").mode == "reuse");
  CHECK(baseline("e2_ddp4_amp").set == Texts{"train.precision=torch"});
  CHECK(baseline("e3_mnist").also_on == std::vector<std::int64_t>{2});
  CHECK(baseline("e4_slurm").also_on == std::vector<std::int64_t>{2, 3, 4, 6});
}

TEST_CASE("a run of one preset is the baseline of the others of its experiment") {
  launch::Machine machine;
  machine.gpus.resize(8);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    machine.gpus[i].uuid = "GPU-" + std::to_string(i);
  const auto equal = [&](const char* run, const char* baseline) {
    const RunSpec spec = launch::settled(full(run), machine).value();
    const launch::EarlierRun earlier{"id", launch::settled(full(baseline), machine).value(), true};
    const auto found = launch::equal_baseline(spec, earlier, machine);
    INFO(found.reason);
    CHECK(found.equal);
  };
  equal("e0_ddp2", "e0_baseline");
  equal("e0_ddp4", "e0_baseline");
  equal("e1_dp2", "e1_single");
  equal("e2_ddp2", "e2_single");
  equal("e2_ddp4", "e2_single");
  equal("e2_ddp4_syncbn", "e2_single");
  equal("e2_dp4", "e2_single");
  equal("e2_dp4_256", "e2_single");
  equal("e2_ddp4_amp", "e2_ddp4");
}

TEST_CASE("every published figure that can be computed agrees with batch_facts") {
  int checked = 0;
  for (const SourceRecipe& recipe : all_facts()) {
    const auto loaded = preset(recipe.preset);
    for (const auto& figure : loaded.file.published.figures) {
      if (!figure.ranks || !figure.value) continue;
      RunSpec spec = loaded.file.spec.full;
      spec.devices.world_size = *figure.ranks;
      const auto facts = messages::batch_facts(spec, train_samples(spec)).value();
      const std::map<std::string, std::int64_t> ours = {{"per_rank_batch", facts.per_rank_batch},
                                                        {"global_batch", facts.global_batch},
                                                        {"steps_per_epoch", facts.steps_per_epoch},
                                                        {"last_batch", facts.last_batch},
                                                        {"padded_samples", facts.padded_samples}};
      const auto found = ours.find(figure.what);
      if (found == ours.end()) continue;
      INFO(recipe.preset << " " << figure.what << " on " << *figure.ranks);
      CHECK(static_cast<double>(found->second) == *figure.value);
      ++checked;
    }
  }
  CHECK(checked > 70);
}

TEST_CASE("E4 on 3 and 6 GPUs trains with 126 samples of each batch of 128") {
  RunSpec spec = full("e4_slurm");
  for (const std::int64_t ranks : {3, 6}) {
    spec.devices.world_size = ranks;
    const auto facts = messages::batch_facts(spec, 50000).value();
    CHECK(facts.global_batch_nominal == 128);
    CHECK(facts.global_batch == 126);
  }
}

TEST_CASE("every quick scale runs on at most 3 CPU ranks with little generated data") {
  const auto all = launch::presets().value();
  for (const auto& listed : all) {
    INFO(listed.name);
    const auto loaded = preset(listed.name);
    REQUIRE(loaded.file.spec.quick);
    const RunSpec& spec = *loaded.file.spec.quick;
    CHECK(messages::validate(spec));
    CHECK(spec.devices.kind == "cpu");
    // More ranks are used if the preset is about them: a padded test set, and times by number of
    // ranks.
    const std::int64_t most = listed.name == "e1_padding" ? 3 : listed.name == "e3_mnist" ? 4 : 2;
    CHECK(spec.devices.world_size <= most);
    CHECK(
        (spec.data.name == "digits" || spec.data.name == "shapes" || spec.data.name == "integers"));
    CHECK(spec.data.train_samples <= 3000);
    CHECK(spec.train.precision != "fp16");
    launch::Machine machine;
    machine.cores = 2;
    CHECK(launch::readiness(loaded, spec, true, machine).ready);
    CHECK(launch::plan_setting(
        spec, machine,
        [](const std::string& text) -> Result<launch::EarlierRun> { return bad_request(text); }));
  }
}

TEST_CASE("a preset that cannot run here says what is missing and suggests --quick") {
  launch::Machine machine;
  machine.cores = 2;
  machine.driver_problem = "no NVIDIA driver";
  const auto four = preset("e2_ddp4");
  const auto here = launch::readiness(four, four.file.spec.full, false, machine);
  CHECK(!here.ready);
  CHECK(here.why == "e2_ddp4 needs 4 GPUs, this machine has 0 GPUs (no NVIDIA driver)");
  CHECK(here.then.find("ringside run e2_ddp4 --quick") != std::string::npos);
  machine.gpus.resize(4);
  RunSpec without_data = four.file.spec.full;
  without_data.data.root = "/nowhere";
  const auto no_data = launch::readiness(four, without_data, false, machine);
  CHECK(!no_data.ready);
  CHECK(no_data.why.find("ringside data get cifar10 --root /nowhere") != std::string::npos);
  const auto padding = preset("e1_padding");
  RunSpec weights = padding.file.spec.full;
  const auto no_weights = launch::readiness(padding, weights, false, machine);
  CHECK(no_weights.why.find("model.init_from") != std::string::npos);
  CHECK(no_weights.why.find("e1_links") != std::string::npos);
  const auto grid = preset("e1_shuffle_grid");
  CHECK(launch::readiness(grid, grid.file.spec.full, false, launch::Machine{}).ready);
}
