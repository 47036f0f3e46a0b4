// The stack button on a rank's row, and the sheet that asks before a debugger is attached.
#include "gui/view/live/stack_view.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("the button in a rank's row asks for its stack") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  const OpenDemo demo(options);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.contact = view::Contact::kLive;
  screen.input.live.context.now_ns = demo.model.last_ns();
  screen.frame();
  REQUIRE(screen.click(std::string(view::label::kStack) + "##r2"));
  const auto asked = screen.asked<view::AskStack>();
  REQUIRE(asked);
  CHECK(asked->open);
  CHECK(asked->rank == 2);
  screen.input.live.context.contact = view::Contact::kEnded;
  ++screen.input.live.number_revision;
  screen.frame();
  CHECK_FALSE(screen.find(std::string(view::label::kStack) + "##r2"));
}

TEST_CASE("the row of a rank in focus asks for its stack by a key, which a menu shows") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  const OpenDemo demo(options);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.now_ns = demo.model.last_ns();
  REQUIRE(screen.click("Rank row r1"));
  CHECK_FALSE(screen.asked<view::AskStack>());
  screen.press(ImGuiKey_K);
  REQUIRE(screen.asked<view::AskStack>());
  CHECK(screen.asked<view::AskStack>()->rank == 1);
  screen.press(ImGuiKey_Menu);
  REQUIRE(screen.click(view::stack_entry(1)));
  REQUIRE(screen.asked<view::AskStack>());
  CHECK(screen.asked<view::AskStack>()->rank == 1);
  // An ended run has no stack to read, but the row stays.
  screen.input.live.context.contact = view::Contact::kEnded;
  ++screen.input.live.number_revision;
  REQUIRE(screen.click("Rank row r1"));
  screen.press(ImGuiKey_K);
  CHECK_FALSE(screen.asked<view::AskStack>());
}

TEST_CASE("the sheet asks, reads, shows, copies, and says why there is no stack") {
  NullScreen screen;
  view::StackFacts facts;
  facts.open = true;
  facts.rank = 1;
  const auto show = [&] {
    screen.input.stack = view::build_stack_view(facts);
    screen.frame();
    screen.frame();
  };
  show();
  CHECK_FALSE(screen.find(view::label::kCopyStack));
  REQUIRE(screen.click(view::label::kReadStack));
  CHECK(screen.asked<view::ReadStack>());
  facts.allowed = facts.reading = true;
  show();
  CHECK_FALSE(screen.find(view::label::kReadStack));
  (void)screen.click(view::label::kReadStackAgain);
  CHECK_FALSE(screen.asked<view::ReadStack>());
  facts.reading = false;
  facts.stacks = {{1, 4711, "gdb", std::string(200, '#') + "\n#1  main ()\n", ""}};
  show();
  REQUIRE(screen.click(view::label::kCopyStack));
  CHECK(screen.asked<view::CopyText>()->text.find("#1  main ()") != std::string::npos);
  facts.stacks.clear();
  facts.problem = "no tool that reads call stacks is installed";
  show();
  REQUIRE(screen.click(view::label::kReadStackAgain));
  CHECK(screen.asked<view::ReadStack>());
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::AskStack>()->open);
}
