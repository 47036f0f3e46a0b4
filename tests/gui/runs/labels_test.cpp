// Labels of runs, and the trash, which keeps numbers and restores everything.
#include <thread>

#include "gui/runs/catalogue.h"
#include "gui/runs/run_labels.h"
#include "gui/runs/trash.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::RunLabels;

namespace {

runlog::RunFolder small_run(const TempFolder& folder, const std::string& id) {
  return support::make_run(folder.path(), id, support::demo_small(1));
}

/// Labels as a Ringside knew them that had no notes at steps.
struct OlderLabels {
  std::string name, note;
  RINGSIDE_FIELDS(name, note)
};

}  // namespace

TEST_CASE("labels are stored in the run folder, whatever text they contain") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  CHECK(runs::read_labels(run) == RunLabels{});
  const RunLabels labels{
      "größer \"als\" \\ sonst", {"slow", "wd 1e-4", "日本"}, "first line\nsecond\tline"};
  REQUIRE(runs::write_labels(run, labels));
  CHECK(runs::read_labels(run) == labels);
  REQUIRE(runs::write_labels(run, {}));
  CHECK_FALSE(std::filesystem::exists(run.path() / "labels.toml"));
}

TEST_CASE("a broken labels file does not hide the run") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  REQUIRE(write_text_atomically(run.path() / "labels.toml", "name = [unclosed"));
  CHECK(runs::read_labels(run) == RunLabels{});
  REQUIRE(write_text_atomically(run.path() / "labels.toml", "name = 3\ntags = \"x\"\nnote = [1]"));
  CHECK(runs::read_labels(run) == RunLabels{});
}

TEST_CASE("an edit does not replace a labels file that cannot be read") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  const auto file = run.path() / "labels.toml";
  REQUIRE(write_text_atomically(file, "name = [unclosed"));
  const auto starred = [](RunLabels labels) {
    labels.starred = true;
    return labels;
  };
  const auto refused = runs::edit_labels(run, starred);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find(file.string()) != std::string::npos);
  CHECK(read_text(file).value() == "name = [unclosed");
}

TEST_CASE("labels that could not be read again are not written") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  const RunLabels before{"mine", {"t"}, ""};
  REQUIRE(runs::write_labels(run, before));
  CHECK_FALSE(runs::write_labels(run, {"mine", {}, std::string(300'000, 'x')}));
  CHECK_FALSE(runs::write_labels(run, {"mine", {"\xff"}, ""}));
  CHECK(runs::read_labels(run) == before);
}

TEST_CASE("edits of labels at the same time do not lose each other") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  const auto add_tags = [&run](const std::string& start) {
    for (int i = 0; i < 20; ++i) {
      (void)runs::edit_labels(run, [&](RunLabels labels) {
        labels.tags.push_back(start + std::to_string(i));
        return labels;
      });
    }
  };
  std::thread other(add_tags, "a");
  add_tags("b");
  other.join();
  CHECK(runs::read_labels(run).tags.size() == 40);
}

TEST_CASE("an edit of the labels of a run that was moved away makes nothing in its place") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  REQUIRE(runs::move_to_trash(folder.path(), run));
  CHECK_FALSE(runs::edit_labels(run, [](RunLabels labels) {
    labels.starred = true;
    return labels;
  }));
  CHECK_FALSE(std::filesystem::exists(run.path()));
}

TEST_CASE("tags are comma-separated") {
  using Tags = std::vector<std::string>;
  CHECK(runs::tags_of(" slow,  wd 1e-4 ,, slow") == Tags{"slow", "wd 1e-4"});
  CHECK(runs::tags_of("").empty());
  CHECK(runs::tags_text({"a", "b c"}) == "a, b c");
}

TEST_CASE("the catalogue shows the name a person gave") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  REQUIRE(runs::write_labels(run, {"mine", {"t"}, ""}));
  const auto found = runs::read_summaries(folder.path()).value();
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "mine");
  CHECK(found[0].labels.tags == std::vector<std::string>{"t"});
}

TEST_CASE("a deleted run leaves the list, keeps its number, and can be restored") {
  const TempFolder folder;
  small_run(folder, "20261121T134005Z-000001");
  const auto second = small_run(folder, "20261121T134006Z-000002");
  small_run(folder, "20261121T134007Z-000003");
  const auto where = runs::move_to_trash(folder.path(), second);
  REQUIRE(where);
  CHECK(std::filesystem::exists(*where / "node_0.log"));
  const auto left = runs::list_runs(folder.path()).value();
  REQUIRE(left.size() == 2);
  CHECK(left[0].number == 1);
  CHECK(left[1].number == 3);
  CHECK(runs::find_run(folder.path(), "#3")->folder.id() == "20261121T134007Z-000003");
  CHECK_FALSE(runs::find_run(folder.path(), "#2"));
  CHECK(runs::trashed(folder.path()) == std::vector<RunId>{"20261121T134006Z-000002"});
  REQUIRE(runs::take_from_trash(folder.path(), "20261121T134006Z-000002"));
  CHECK(runs::list_runs(folder.path())->size() == 3);
  CHECK_FALSE(runs::take_from_trash(folder.path(), "20261121T134006Z-000002"));
}

TEST_CASE("a run that is active or lies elsewhere is not deleted") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  REQUIRE(wire::write_agent_endpoint(run.agent_path(), support::agent_endpoint_of(run.id(), true)));
  const auto refused = runs::move_to_trash(folder.path(), run);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("stop it") != std::string::npos);
  const TempFolder other;
  const auto foreign = small_run(other, "20261121T134005Z-000009");
  CHECK_FALSE(runs::move_to_trash(folder.path(), foreign));
  CHECK(std::filesystem::exists(foreign.spec_path()));
}

TEST_CASE("a run of another machine can be deleted only once its log records its end") {
  const TempFolder folder;
  const auto on_other_host = [&](const std::string& id, bool finish) {
    auto options = support::demo_small(1);
    options.finish = finish;
    const auto run = support::make_run(folder.path(), id, options);
    auto endpoint = support::agent_endpoint_of(id, true);
    endpoint.boot_id = "00000000-0000-0000-0000-000000000000";
    endpoint.host += "-other";
    REQUIRE(wire::write_agent_endpoint(run.agent_path(), endpoint));
    return run;
  };
  const auto goes_on = on_other_host("20261121T134005Z-000001", false);
  const auto refused = runs::move_to_trash(folder.path(), goes_on);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("delete " + goes_on.agent_path().string()) !=
        std::string::npos);
  CHECK(std::filesystem::exists(goes_on.spec_path()));
  CHECK(runs::move_to_trash(folder.path(), on_other_host("20261121T134006Z-000002", true)));
}

TEST_CASE("a star is stored with the other labels, and tags are added and removed only once") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  RunLabels labels;
  labels.starred = true;
  REQUIRE(runs::write_labels(run, labels));
  CHECK(runs::read_labels(run) == labels);
  using Tags = std::vector<std::string>;
  CHECK(runs::changed_tags({"a", "b"}, {"b", "c"}, true) == Tags{"a", "b", "c"});
  CHECK(runs::changed_tags({"a", "b"}, {"b", "c"}, false) == Tags{"a"});
}

TEST_CASE("notes at steps are stored by step, replaced and removed") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  RunLabels labels;
  runs::put_chart_note(labels, {90, "rate = 0.1, \"lower\""});
  runs::put_chart_note(labels, {7, "first"});
  REQUIRE(runs::write_labels(run, labels));
  labels = runs::read_labels(run);
  using Notes = std::vector<runs::ChartNote>;
  CHECK(runs::chart_notes_of(labels) == Notes{{7, "first"}, {90, "rate = 0.1, \"lower\""}});
  runs::put_chart_note(labels, {7, "again"});
  runs::put_chart_note(labels, {90, ""});
  runs::put_chart_note(labels, {91, ""});
  CHECK(runs::chart_notes_of(labels) == Notes{{7, "again"}});
  CHECK_FALSE(labels == RunLabels{});
}

TEST_CASE("lines that are no notes are kept in the labels and shown nowhere") {
  RunLabels labels;
  labels.chart_notes = {"", "7", "-1 before", "x y", "12 one"};
  CHECK(runs::chart_notes_of(labels) == std::vector<runs::ChartNote>{{12, "one"}});
  runs::put_chart_note(labels, {12, "two"});
  runs::put_chart_note(labels, {3, "zero"});
  CHECK(labels.chart_notes ==
        std::vector<std::string>{"", "7", "-1 before", "x y", "3 zero", "12 two"});
}

TEST_CASE("labels with notes at steps are read by a Ringside that knows none") {
  const TempFolder folder;
  const auto run = small_run(folder, "20261121T134005Z-000001");
  RunLabels labels;
  labels.name = "best";
  runs::put_chart_note(labels, {1, "x"});
  REQUIRE(runs::write_labels(run, labels));
  OlderLabels older;
  const auto text = read_text(run.path() / "labels.toml", 1000);
  REQUIRE(text);
  REQUIRE(messages::read_toml(*text, "labels.toml", older, messages::TomlMode::kLenient));
  CHECK(older.name == "best");
}
