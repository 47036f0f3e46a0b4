// The tables of a preset file besides its settings: what is read, and what is refused with which
// message.
#include "gui/launch/preset_file.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using launch::parse_preset;

namespace {

constexpr const char* kWhole = R"(# A title
name = "x"
[train]
epochs = 10
[optimizer]
lr = 0.5
[about]
experiment = "E9"
world_sizes = [1, 2]
unstated = ["seed"]
[quick]
train.epochs = 1
data.name = "shapes"
[quick.batch]
size = 8
[published]
source = "somewhere"
notes = ["one", "two"]
figures = [
  { what = "speedup", ranks = 2, printed = "1.82x", value = 1.82, derived = true },
  { what = "parameters", printed = "10", value = 10 },
  { what = "text", printed = "faster" },
]
[[published.tables]]
title = "t"
columns = ["a", "b"]
rows = [["1", "2"], ["3", "4"]]
[published.gate]
ranks = 2
least_time_cut = 0.4
val_accuracy_above = 0.7
)";

void refused(const std::string& toml, const std::string& line, const std::string& hint) {
  const auto read = parse_preset(toml, "p.toml");
  INFO(toml);
  REQUIRE(!read);
  CHECK(read.error().kind == ErrorKind::kRequest);
  INFO(read.error().message);
  CHECK(read.error().message.find("p.toml:" + line) != std::string::npos);
  CHECK(read.error().message.find(hint) != std::string::npos);
}

}  // namespace

TEST_CASE("a preset holds two scales, and the quick one changes some settings of the other") {
  const auto preset = parse_preset(kWhole, "p.toml").value();
  CHECK(preset.spec.full.train.epochs == 10);
  CHECK(preset.spec.full.data.name == "digits");
  REQUIRE(preset.spec.quick);
  CHECK(preset.spec.quick->train.epochs == 1);
  CHECK(preset.spec.quick->data.name == "shapes");
  CHECK(preset.spec.quick->batch.size == 8);
  CHECK(preset.spec.quick->optimizer.lr == 0.5);
  CHECK(preset.spec.quick->name == "x");
}

TEST_CASE("the description of a preset's source is read as printed") {
  const auto preset = parse_preset(kWhole, "p.toml").value();
  CHECK(preset.about.experiment == "E9");
  CHECK(preset.about.world_sizes == std::vector<std::int64_t>{1, 2});
  const auto& published = preset.published;
  CHECK(published.notes.size() == 2);
  REQUIRE(published.figures.size() == 3);
  CHECK(published.figures[0].printed == "1.82x");
  CHECK(published.figures[0].value == 1.82);
  CHECK(published.figures[0].ranks == 2);
  CHECK(published.figures[0].derived);
  CHECK(published.figures[1].value == 10);
  CHECK(!published.figures[1].ranks);
  CHECK(!published.figures[2].value);
  REQUIRE(published.tables.size() == 1);
  CHECK(published.tables[0].rows[1][1] == "4");
  REQUIRE(published.gate);
  CHECK(published.gate->least_time_cut == 0.4);
}

TEST_CASE("by default a figure has an unstated clock and is compared with one device") {
  const auto preset = parse_preset(R"([published]
source = "s"
figures = [
  { what = "speedup", printed = "1", value = 1 },
  { what = "speedup", printed = "1", value = 1, clock = "train_pass", against = "same_devices" },
]
)",
                                   "p.toml")
                          .value();
  CHECK(preset.published.figures[0].clock == "unstated");
  CHECK(preset.published.figures[0].against == "one_device");
  CHECK(preset.published.figures[1].clock == "train_pass");
  CHECK(preset.published.figures[1].against == "same_devices");
}

TEST_CASE("a file with settings only is a preset without a quick scale") {
  const auto preset = parse_preset("[train]\nepochs = 2\n", "p.toml").value();
  CHECK(!preset.spec.quick);
  CHECK(preset.published.source.empty());
}

TEST_CASE("unknown names are refused with the line and the nearest name, in every table") {
  refused("[train]\nepoch = 1\n", "2", "epochs");
  refused("[quick]\ntrain.epoch = 1\n", "2", "epochs");
  refused("[quick.trian]\nepochs = 1\n", "1", "train");
  refused("[qiuck]\n", "1", "quick");
  refused("quick = 3\n", "1", "quick must be a table");
  refused("[quick]\ndata.name = \"shape\"\n", "2", "shapes");
  refused("[about]\nexperimant = \"E0\"\n", "2", "experiment");
  refused("[published]\nsuorce = \"x\"\n", "2", "source");
  refused("[published]\nfigures = [{ what = \"spedup\", printed = \"1\", value = 1 }]\n", "2",
          "speedup");
  refused("[published]\nfigures = [{ what = \"speedup\", prnted = \"1\" }]\n", "2", "printed");
  refused("[published]\nfigures = 3\n", "2", "list of tables");
  refused(
      "[published]\nfigures = [{ what = \"speedup\", printed = \"1\", value = 1, clock = "
      "\"train_pas\" }]\n",
      "2", "train_pass");
  refused(
      "[published]\nfigures = [{ what = \"parameters\", printed = \"1\", value = 1, clock = "
      "\"train_pass\" }]\n",
      "2", "for figures that are timed");
  refused(
      "[published]\nfigures = [{ what = \"speedup\", printed = \"1\", value = 1, against = "
      "\"same_device\" }]\n",
      "2", "same_devices");
  refused("[published.gate]\nrank = 2\n", "2", "ranks");
}

TEST_CASE("malformed figures and tables are refused") {
  refused("[published]\nfigures = [{ what = \"speedup\", printed = \"1x\" }]\n", "2", "value");
  refused("[published]\nfigures = [{ what = \"text\", printed = \"1x\", value = 1 }]\n", "2",
          "value");
  refused("[published]\nfigures = [{ what = \"speedup\", printed = \"1\", value = \"1\" }]\n", "2",
          "must be a number");
  refused("[[published.tables]]\ncolumns = [\"a\"]\nrows = [[\"1\", \"2\"]]\n", "1", "cells");
}

TEST_CASE("the copy in a run folder is found by its suffix and carries the preset's name") {
  const TempFolder folder;
  CHECK(!launch::preset_of_run(folder.path()));
  folder.write("e9_x.preset.toml", kWhole);
  folder.write("spec.toml", "name = \"x\"\n");
  const auto found = launch::preset_of_run(folder.path());
  REQUIRE(found);
  CHECK(found->name == "e9_x");
  CHECK(found->file.about.experiment == "E9");
  CHECK(launch::preset_copy_path(folder.path(), "e9_x") == folder.path() / "e9_x.preset.toml");
  folder.write("e9_x.preset.toml", "[[[");
  CHECK(!launch::preset_of_run(folder.path()));
}
