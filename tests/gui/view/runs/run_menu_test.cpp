// Tests the menu of a row in the list of runs.
#include "gui/view/runs/run_menu.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

RunSummary menu_run(RunOutcome outcome) {
  RunSummary run;
  run.id = "20261121T134005Z-000001";
  run.number = 12;
  run.folder = "/runs/x";
  run.outcome = outcome;
  return run;
}

const MenuEntry& entry_of(const Menu& menu, const std::string& word) {
  const auto found = std::ranges::find(menu, word, &MenuEntry::word);
  REQUIRE(found != menu.end());
  return *found;
}

}  // namespace

TEST_CASE("An active run cannot be deleted from its menu, and one that ended can") {
  const auto can = [](RunOutcome outcome) {
    return entry_of(run_menu(menu_run(outcome), {}, false), label::kDelete).enabled;
  };
  CHECK_FALSE(can(RunOutcome::kTraining));
  CHECK_FALSE(can(RunOutcome::kLostContact));
  CHECK(can(RunOutcome::kFailed));
}

TEST_CASE("A run's menu stars it, copies its path, and edits no copy from another machine") {
  RunSummary run = menu_run(RunOutcome::kFinished);
  const Menu menu = run_menu(run, {}, false);
  const auto star = as<EditLabels>(*entry_of(menu, label::kStar).command);
  REQUIRE(star != nullptr);
  CHECK(star->starred == true);
  const auto path =
      as<CopyText>(*entry_of(entry_of(menu, "Copy").more, "Path of its folder").command);
  REQUIRE(path != nullptr);
  CHECK(path->text == "/runs/x");
  run.starred = true;
  const Menu elsewhere = run_menu(run, {}, true);
  for (const char* word : {label::kUnstar, label::kRename, label::kTags})
    CHECK_FALSE(entry_of(elsewhere, word).enabled);
}

TEST_CASE("Tags apply to all marked runs if the run of the menu is one of them") {
  const std::vector<RunSummary> runs{menu_run(RunOutcome::kFinished)};
  RunsChoice choice;
  choice.marked = {"a", "b", runs[0].id};
  CHECK(tagged_ids(runs[0].id, choice).size() == 3);
  CHECK(tagged_ids("c", choice) == std::vector<std::string>{"c"});
  CHECK(tags_title(runs, {"a", "b"}) == "Tags of 2 marked runs");
  CHECK(tags_title(runs, {runs[0].id}) == "Tags of run #12");
  const Menu menu = run_menu(runs[0], choice, false);
  CHECK(std::ranges::any_of(menu,
                            [](const auto& one) { return one.word == "Tags of 3 marked runs…"; }));
  CHECK(as<AskExport>(*entry_of(menu, "Export the marked runs…").command)->ids.size() == 3);
  const Menu alone = run_menu(menu_run(RunOutcome::kFinished), {}, false);
  CHECK(as<AskExport>(*entry_of(alone, "Export…").command)->ids ==
        std::vector<std::string>{runs[0].id});
}
