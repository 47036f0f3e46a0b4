#include "gui/view/live/stack_view.h"

#include "gui/view/live/rank_table.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

StackFacts asked(Rank rank) {
  StackFacts facts;
  facts.open = true;
  facts.rank = rank;
  return facts;
}

}  // namespace

TEST_CASE("A person is asked before a debugger is attached") {
  StackFacts facts = asked(2);
  const StackView before = build_stack_view(facts);
  CHECK(before.title == "Stack of rank 2");
  CHECK(before.question.find("process of rank 2") != std::string::npos);
  CHECK(before.question.find("20 s at most") != std::string::npos);
  CHECK(before.lines.empty());
  facts.allowed = facts.reading = true;
  const StackView reading = build_stack_view(facts);
  CHECK(reading.question.empty());
  CHECK(reading.progress.starts_with("Reading the stack of rank 2…"));
  CHECK(build_stack_view(asked(kNoRank)).title == "Stacks of all ranks");
}

TEST_CASE("Stacks are shown line by line and copied as a whole") {
  StackFacts facts = asked(kNoRank);
  facts.allowed = true;
  facts.stacks = {{0, 4711, "gdb", "Thread 1\n#0  poll () from libc\x1b[31m\n", ""},
                  {1, 4712, "", "", "gdb ended with exit code 1"}};
  const StackView view = build_stack_view(facts);
  REQUIRE(view.lines.size() == 7);
  CHECK(view.lines[0].text == "Rank 0, pid 4711, by gdb:");
  CHECK(view.lines[0].tone == Tone::kHigh);
  CHECK(view.lines[2].text.find('\x1b') == std::string::npos);
  CHECK(view.lines[4].text == "Rank 1, pid 4712:");
  CHECK(view.lines[5].text == "gdb ended with exit code 1");
  CHECK(view.lines[5].tone == Tone::kWarning);
  CHECK(view.text.find("#0  poll () from libc") != std::string::npos);
  CHECK(view.text.find("gdb ended with exit code 1") != std::string::npos);
  facts.stacks.clear();
  facts.problem = "no tool that reads call stacks is installed";
  CHECK(build_stack_view(facts).problem == facts.problem);
}

TEST_CASE("Only living ranks of a live run have the button") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = support::model_of(options);
  const RankTableView live = build_rank_table(model, support::live_context(model));
  const auto button = [&](std::size_t row) {
    return cell_of(live.table, live.table.rows[row], "stack").text;
  };
  CHECK(button(0) == label::kStack);
  CHECK(button(3).empty());
  CHECK(table_tsv(live.table).find(label::kStack) == std::string::npos);
  const RankTableView over = build_rank_table(model, support::ended_context(model));
  CHECK(column_index(over.table, "stack") == over.table.columns.size());
}
