// The sheet with the call stacks of ranks: the question before a debugger is attached, the
// progress, and the stacks, line by line. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/launch/rank_stack.h"
#include "gui/view/words.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kStack = "Stack";
inline constexpr const char* kAllStacks = "Stacks of all ranks…";
inline constexpr const char* kReadStack = "Read the stack##stack";
inline constexpr const char* kReadStackAgain = "Read again##stack";
inline constexpr const char* kCopyStack = "Copy##stack";
inline constexpr const char* kCloseStack = "Close##stack";
}  // namespace label

/// "Stack of rank 2…": the command's entry in the palette.
std::string stack_entry(Rank rank);

struct StackFacts {
  bool open = false;
  Rank rank = kNoRank;   ///< kNoRank: all ranks
  bool allowed = false;  ///< the person has agreed
  bool reading = false;
  std::vector<launch::RankStack> stacks;
  std::string problem;  ///< why there are no stacks
};

struct StackLine {
  std::string text;
  Tone tone = Tone::kText;
};

struct StackView {
  bool open = false;
  std::string title;
  std::string question;  ///< asked before stacks are read; empty: answered with yes
  std::string progress;  ///< shown while stacks are read
  std::string problem;
  std::vector<StackLine> lines;
  std::string text;  ///< the full text, for the clipboard
};

StackView build_stack_view(const StackFacts& facts);

}  // namespace ringside::view
