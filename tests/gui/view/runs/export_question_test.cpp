// The question before an export as data: the choices of each format, and when it can begin.
#include "gui/view/runs/export_question.h"

#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

constexpr std::string_view kTables[] = {"steps", "epochs", "hosts"};

ExportFacts some_facts() { return {{"/runs/a"}, "#12", "/runs/a/export", kTables, false}; }

}  // namespace

TEST_CASE("Each format has its own default path, with every table") {
  const auto facts = some_facts();
  ExportChoice choice = first_export_choice(facts);
  CHECK(choice.paths[0] == "/runs/a/export");
  CHECK(choice.paths[1] == "/runs/a/export/tensorboard");
  CHECK(choice.paths[2] == "/runs/a/export/report.html");
  CHECK(choice.paths[3] == "/runs/a/export/trace.json");
  const auto question = build_export_question(facts, choice);
  CHECK(question.title == "Export #12");
  CHECK(question.where == "Folder");
  REQUIRE(question.tables.size() == 3);
  CHECK(question.tables[2].name == "hosts");
  CHECK(question.tables[2].on);
  CHECK(question.can_export);
  choice.kind = ExportKind::kHtml;
  CHECK(build_export_question(facts, choice).where == "File");
  CHECK(build_export_question(facts, choice).tables.empty());
}

TEST_CASE("Several runs get a folder each, and one report") {
  ExportFacts facts{{"/runs/a", "/runs/b"}, "2 runs", "/runs/exports", kTables, false};
  ExportChoice choice = first_export_choice(facts);
  CHECK(choice.paths[0] == "/runs/exports");
  CHECK(choice.paths[1] == "/runs/exports");
  CHECK(choice.paths[2] == "/runs/exports/report.html");
  CHECK(choice.paths[3] == "/runs/exports");
  CHECK(build_export_question(facts, choice).title == "Export 2 runs");
  CHECK(build_export_question(facts, choice).what.ends_with("folder of its own in this one."));
  choice.kind = ExportKind::kTrace;
  CHECK(build_export_question(facts, choice).where == "Folder");
  CHECK(export_command(facts, choice).ids == facts.ids);
  choice.kind = ExportKind::kHtml;
  CHECK(build_export_question(facts, choice).where == "File");
  CHECK(build_export_question(facts, choice).what.find("folder") == std::string::npos);
}

TEST_CASE("An export from the list is about the marked runs, else about the selected one") {
  RunsChoice choice;
  CHECK(exported_runs(choice).empty());
  choice.selected = "c";
  CHECK(exported_runs(choice) == std::vector<std::string>{"c"});
  choice.marked = {"b", "a"};
  CHECK(exported_runs(choice) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("The request has the choices of the person") {
  const auto facts = some_facts();
  ExportChoice choice = first_export_choice(facts);
  choice.left_out = {"epochs"};
  choice.paths[0] = "/tmp/x";
  ExportRun command = export_command(facts, choice);
  CHECK(command.ids == std::vector<std::string>{"/runs/a"});
  CHECK(command.kind == ExportKind::kCsv);
  CHECK(command.tables == std::vector<std::string>{"steps", "hosts"});
  CHECK(command.path == "/tmp/x");
  CHECK_FALSE(command.replace);
  choice.kind = ExportKind::kTensorBoard;
  command = export_command(facts, choice);
  CHECK(command.tables.empty());
  CHECK(command.path == "/runs/a/export/tensorboard");
}

TEST_CASE("An export that cannot begin says why") {
  auto facts = some_facts();
  ExportChoice choice = first_export_choice(facts);
  choice.left_out = {"steps", "epochs", "hosts"};
  CHECK_FALSE(build_export_question(facts, choice).can_export);
  CHECK(build_export_question(facts, choice).problem == label::kChooseTable);
  choice.kind = ExportKind::kTensorBoard;  // has no tables
  CHECK(build_export_question(facts, choice).can_export);
  choice.paths[1] = "";
  CHECK(build_export_question(facts, choice).problem == label::kNoPath);
  choice.paths[1] = "here";
  CHECK_FALSE(build_export_question(facts, choice).can_export);
  choice.paths[1] = "~/here";
  CHECK(build_export_question(facts, choice).can_export);
  facts.busy = true;
  CHECK_FALSE(build_export_question(facts, choice).can_export);
}
