#include "gui/session/run/stack_controller.h"

#include <string>
#include <utility>

#include "gui/view/carry_out.h"

namespace ringside::session {

StackController::StackController(Jobs& jobs, Reader read) : jobs_(jobs), read_(std::move(read)) {}

StackController::~StackController() { close(); }

void StackController::close() {
  if (given_up_) *given_up_ = true;
  given_up_.reset();
  facts_ = {};
}

void StackController::apply(const view::StackCommand& command, const runlog::RunFolder* folder) {
  view::carry_out(
      command,
      [&](const view::AskStack& wanted) {
        close();
        if (folder != nullptr) ask(wanted);
      },
      [&](const view::ReadStack&) {
        if (folder != nullptr && facts_.open) read(*folder);
      });
}

void StackController::ask(const view::AskStack& wanted) {
  facts_.open = wanted.open;
  facts_.rank = wanted.rank;
}

void StackController::read(const runlog::RunFolder& folder) {
  if (facts_.reading) return;
  auto given_up = std::make_shared<std::atomic<bool>>(false);
  const auto job = [this, given_up, folder, rank = facts_.rank,
                    read = read_]() -> Jobs::Completion {
    auto stacks = read(folder, rank, [given_up] { return given_up->load(); });
    return [this, given_up, stacks = std::move(stacks)] {
      if (*given_up) return;
      facts_.reading = false;
      facts_.problem = stacks ? "" : stacks.error().message;
      if (stacks) facts_.stacks = *stacks;
    };
  };
  facts_.allowed = facts_.reading = true;
  facts_.stacks.clear();
  facts_.problem.clear();
  given_up_ = std::move(given_up);
  // Each job has its own name, since a cancelled one may not have ended.
  jobs_.start("stack " + std::to_string(++readings_), job);
}

}  // namespace ringside::session
