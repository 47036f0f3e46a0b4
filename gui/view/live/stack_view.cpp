#include "gui/view/live/stack_view.h"

#include <algorithm>
#include <string_view>

#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

std::string whose(Rank rank) {
  return rank == kNoRank ? "all ranks" : "rank " + std::to_string(rank);
}

void add_lines(const launch::RankStack& stack, StackView& view) {
  const std::string text = launch::stack_text(stack);
  std::string_view left = text;
  bool heading = true;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    view.lines.push_back({printable_line(std::string(line)), heading ? Tone::kHigh : Tone::kText});
    heading = false;
  }
  if (!stack.problem.empty()) view.lines.push_back({stack.problem, Tone::kWarning});
  view.lines.push_back({});
  view.text += text + (stack.problem.empty() ? "" : stack.problem + "\n") + "\n";
}

}  // namespace

std::string stack_entry(Rank rank) { return "Stack of " + whose(rank) + "…"; }

StackView build_stack_view(const StackFacts& facts) {
  StackView view;
  view.open = facts.open;
  view.title = (facts.rank == kNoRank ? "Stacks of " : "Stack of ") + whose(facts.rank);
  if (!facts.allowed) {
    view.question =
        "A debugger (eu-stack or gdb) is attached to the process of " + whose(facts.rank) +
        ", and stops it while it reads: a second as a rule, " +
        std::to_string(launch::kStackSeconds) +
        " s at most. Ranks that exchange gradients with it wait meanwhile. The Python frames of an "
        "instrumented script are written by the script itself.";
  }
  if (facts.reading)
    view.progress = "Reading the stack of " + whose(facts.rank) +
                    "… A debugger reads the symbols of its libraries first: that takes seconds.";
  view.problem = facts.problem;
  for (const launch::RankStack& stack : facts.stacks) add_lines(stack, view);
  return view;
}

}  // namespace ringside::view
