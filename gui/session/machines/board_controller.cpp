#include "gui/session/machines/board_controller.h"

#include <algorithm>
#include <utility>

#include "gui/view/carry_out.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
// A login and a query cost the machine some tenths of a second, and Slurm should be queried rarely.
constexpr int kAskEveryS = 30;
constexpr int kLookHereEveryS = 3;  // reads /proc and the driver of this machine, without Slurm
constexpr int kFirstRetryS = 5;
constexpr int kLastRetryS = 120;

}  // namespace

BoardController::BoardController(Jobs& jobs, LookHere here) : jobs_(jobs), here_(std::move(here)) {
  entries_.emplace_back();
  told_.emplace_back().watched = true;
}

BoardController::~BoardController() {
  for (const Entry& entry : entries_)
    if (entry.machine) entry.machine->deadline->end();
}

void BoardController::add(const std::vector<std::string>& addresses) {
  for (const std::string& address : addresses)
    if (auto machine = other_machine(address)) add(std::move(*machine));
}

void BoardController::add(OtherMachine machine) {
  const std::string address = remote::text_of(machine.address);
  if (std::ranges::find(told_, address, &view::BoardMachine::address) != told_.end()) return;
  // The window may leave the machine while the board continues to query it.
  machine.deadline = std::make_shared<RequestDeadline>();
  entries_.push_back({std::move(machine), 0});
  told_.emplace_back().address = address;
  ++revision_;
}

void BoardController::apply(const view::BoardCommand& command) {
  view::carry_out(
      command, [this](const view::PickMachine& pick) { selected_ = pick.row; },
      [this](const view::WatchMachine& wanted) { watch(wanted.address, wanted.on); },
      [this](const view::AskMachines&) {
        for (const view::BoardMachine& machine : told_) watch(machine.address, true);
      });
  ++revision_;
}

void BoardController::watch(const std::string& address, bool on) {
  const auto found = std::ranges::find(told_, address, &view::BoardMachine::address);
  if (found == told_.end()) return;
  found->watched = on || address.empty();  // querying this machine is cheap
  if (on) entries_[static_cast<std::size_t>(found - told_.begin())].due_ns = 0;
}

bool BoardController::update(bool looked_at) {
  const std::int64_t now_ns = mono_now_ns();
  for (std::size_t i = 0; looked_at && i < entries_.size(); ++i) {
    if (told_[i].watched && !told_[i].asking && entries_[i].due_ns <= now_ns) ask(i);
  }
  for (view::BoardMachine& machine : told_) {
    const bool stale = view::is_stale(machine, SystemClock().wall_ns());
    if (std::exchange(machine.stale, stale) != stale) ++revision_;
  }
  return std::exchange(shown_, revision_) != revision_;
}

double BoardController::next_update_s() const {
  double next = kLastRetryS;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (told_[i].watched && !told_[i].asking)
      next = std::min(next, static_cast<double>(entries_[i].due_ns - mono_now_ns()) * 1e-9);
  }
  return std::max(0.0, next);
}

void BoardController::ask(std::size_t place) {
  const auto& machine = entries_[place].machine;
  told_[place].asking = jobs_.start(
      "look at " + told_[place].address,
      [this, place, machine, here = here_]() -> Jobs::Completion {
        const auto use = machine ? look_there(*machine) : here();
        return [this, place, use] { take(place, use); };
      },
      machine ? JobKind::kFar : JobKind::kReads);
  ++revision_;
}

void BoardController::take(std::size_t place, const Result<view::MachineUse>& use) {
  view::BoardMachine& told = told_[place];
  const std::int64_t wall_ns = SystemClock().wall_ns();
  told.asking = false;
  if (use) {
    told.use = *use;
    told.answered_wall_ns = wall_ns;
    told.stale = false;
    told.problem.clear();
    told.retry_s = 0;
  } else {
    told.problem = use.error().message;
    told.failed_wall_ns = wall_ns;
    told.retry_s = std::clamp(2 * told.retry_s, kFirstRetryS, kLastRetryS);
  }
  const bool asks_slurm = use && !(use->partitions.empty() && use->slurm_problem.empty());
  const int usual_s = entries_[place].machine || asks_slurm ? kAskEveryS : kLookHereEveryS;
  entries_[place].due_ns = mono_now_ns() + kSecondNs * (use ? usual_s : told.retry_s);
  ++revision_;
}

void BoardController::fill(view::BoardInput& input) const {
  input.machines = told_;
  input.selected = selected_;
  input.revision = revision_;
}

std::vector<std::string> BoardController::watched() const {
  std::vector<std::string> addresses;
  for (const view::BoardMachine& machine : told_)
    if (machine.watched && !machine.address.empty()) addresses.push_back(machine.address);
  return addresses;
}

bool BoardController::settled() const {
  return std::ranges::none_of(told_, [](const view::BoardMachine& machine) {
    return machine.asking || (machine.watched && !machine.use && machine.problem.empty());
  });
}

}  // namespace ringside::session
