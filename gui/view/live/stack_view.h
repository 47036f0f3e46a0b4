// The sheet with the call stacks of ranks: the question before anything is attached, what goes on,
// and what was found, line by line. Pure.
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

/// "Stack of rank 2…": the entry of the palette.
std::string stack_entry(Rank rank);

struct StackFacts {
  bool open = false;
  Rank rank = kNoRank;   ///< kNoRank: all of them
  bool allowed = false;  ///< the person has said yes
  bool reading = false;
  std::vector<launch::RankStack> stacks;
  std::string problem;  ///< why there are none
};

struct StackLine {
  std::string text;
  Tone tone = Tone::kText;
};

struct StackView {
  bool open = false;
  std::string title;
  std::string question;  ///< before it is read; empty: it was said yes to
  std::string progress;  ///< while it is read
  std::string problem;
  std::vector<StackLine> lines;
  std::string text;  ///< all of it, for the clipboard
};

StackView build_stack_view(const StackFacts& facts);

}  // namespace ringside::view
