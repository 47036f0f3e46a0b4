// Tests the decisions of an agent about its runs as data: facts go in, the name of the action comes
// out.
#include "trainer/agent/agenda.h"

#include <random>

#include "tests/support/catch.h"

namespace ringside::agent {
namespace {

using messages::State;

struct NameOfAction {
  std::string operator()(const WaitForDevices&) const { return "wait for devices"; }
  std::string operator()(const Abandon& rest) const { return "abandon: " + rest.why; }
  std::string operator()(const OpenRun&) const { return "open"; }
  std::string operator()(const PrepareAttempt&) const { return "prepare"; }
  std::string operator()(const WaitForAgents&) const { return "wait for agents"; }
  std::string operator()(const StartAttempt&) const { return "start"; }
  std::string operator()(const WaitForRanks&) const { return "wait for ranks"; }
  std::string operator()(const EndAttempt&) const { return "end attempt"; }
  std::string operator()(const EndRun& end) const {
    return std::string(messages::name_of(end.state)) + ": " + end.text;
  }
  std::string operator()(const CloseRun&) const { return "close"; }
  std::string operator()(const LeaveQueue&) const { return "leave queue"; }
};

using Said = std::vector<std::string>;

/// An agent that carries out actions at once; a test changes what it sees.
struct Doer {
  explicit Doer(Node node, std::size_t runs = 1, bool keep_going = false)
      : agenda(node, ids(runs), keep_going) {
    seen.runs.assign(runs, State::kQueued);
    seen.devices = seen.gathered = true;
  }

  static Said ids(std::size_t runs) {
    Said list;
    for (std::size_t i = 0; i < runs; ++i)
      list.push_back(std::string(1, static_cast<char>('a' + i)));
    return list;
  }

  std::string next() {
    const NextAction action = agenda.next(seen);
    if (std::holds_alternative<Abandon>(action)) {
      for (State& state : seen.runs) state = messages::is_final(state) ? state : State::kStopped;
    }
    if (const auto* end = std::get_if<EndRun>(&action)) seen.runs[*agenda.current()] = end->state;
    return std::visit(NameOfAction{}, action);
  }

  /// All actions up to the next wait, or to the end.
  Said until_wait() {
    Said names;
    do {
      names.push_back(next());
    } while (!agenda.over() && names.back().substr(0, 4) != "wait" && names.size() < 100);
    return names;
  }

  /// Ends the ranks of the current run.
  Said ends(State state) {
    seen.runs[*agenda.current()] = state;
    seen.attempt_over = true;
    auto names = std::vector<std::string>{next()};
    seen.attempt_over = seen.restarts = false;
    const auto rest = until_wait();
    names.insert(names.end(), rest.begin(), rest.end());
    return names;
  }

  Agenda agenda;
  Seen seen;
};

const Said kBegins = {"open", "prepare", "start", "wait for ranks"};
const Said kNextBegins = {"end attempt", "close", "open", "prepare", "start", "wait for ranks"};

}  // namespace

TEST_CASE("runs begin, end and are closed one after the other") {
  Doer doer(0, 2);
  CHECK(doer.until_wait() == kBegins);
  CHECK(doer.agenda.current() == 0U);
  CHECK(doer.next() == "wait for ranks");
  CHECK(doer.ends(State::kFinished) == kNextBegins);
  CHECK(doer.agenda.current() == 1U);
  CHECK(doer.ends(State::kFinished) == Said{"end attempt", "close", "leave queue"});
  CHECK(doer.agenda.over());
}

TEST_CASE("a restarted attempt is prepared again in the same run") {
  Doer doer(0);
  doer.until_wait();
  doer.seen.restarts = true;
  CHECK(doer.ends(State::kStarting) == Said{"end attempt", "prepare", "start", "wait for ranks"});
}

TEST_CASE("no run begins without devices, and a stop while waiting gives up all runs") {
  Doer doer(0, 2);
  doer.seen.devices = false;
  CHECK(doer.until_wait() == Said{"wait for devices"});
  const bool stopped = GENERATE(true, false);
  if (!stopped) {
    doer.seen.devices = true;
    CHECK(doer.until_wait() == kBegins);
    return;
  }
  doer.seen.stopped_by = "SIGINT";
  CHECK(doer.until_wait() ==
        Said{"abandon: asked by SIGINT while it waited for its devices", "leave queue"});
}

TEST_CASE("a run that ends while queued ends the others only if they depend on it") {
  struct Case {
    State first, second;
    bool keep_going;
    std::string next;
  };
  const State waits = State::kQueued;
  const auto one = GENERATE_COPY(values<Case>({
      {State::kStopped, waits, false, "abandon: not started: run a before it was stopped"},
      {State::kFailed, waits, true, "abandon: not started: run a before it failed"},
      {waits, State::kStopped, false, "wait for devices"},
      {waits, State::kFailed, true, "wait for devices"},
      {waits, State::kFailed, false, "abandon: not started: run b before it failed"},
      {State::kStopped, State::kStopped, false, "leave queue"},
  }));
  Doer doer(0, 2, one.keep_going);
  doer.seen.devices = false;
  doer.seen.runs = {one.first, one.second};
  CHECK(doer.next() == one.next);
}

TEST_CASE("a failed run ends the list unless the runs are independent") {
  struct Case {
    Node node;
    bool keep_going;
    State state;
    bool stopped;
    bool goes_on;
  };
  const auto one = GENERATE(values<Case>({{0, false, State::kFinished, true, true},
                                          {0, false, State::kFailed, false, false},
                                          {0, true, State::kFailed, false, true},
                                          {0, true, State::kFailed, true, false},
                                          {0, true, State::kStopped, false, false},
                                          {0, true, State::kDidNotDie, false, false},
                                          {1, false, State::kFailed, false, true},
                                          {1, false, State::kStopped, false, true},
                                          {1, false, State::kStopped, true, false}}));
  Doer doer(one.node, 2, one.keep_going);
  doer.seen.phase = MemberPhase::kRunning;
  doer.until_wait();
  if (one.stopped) doer.seen.stopped_by = "a signal";
  const Said names = doer.ends(one.state);
  const std::string how = one.state == State::kStopped ? "was stopped" : "failed";
  CAPTURE(one.node, one.keep_going, one.stopped, names);
  CHECK((names[2] == "open") == one.goes_on);
  CHECK((names[2] == "abandon: not started: run a before it " + how) == !one.goes_on);
}

TEST_CASE("each reason why the nodes of a run cannot begin ends it with its own text") {
  struct Case {
    bool late, stopped, over;
    std::string trouble, next;
  };
  const auto one = GENERATE(values<Case>({
      {false, false, false, "", "wait for agents"},
      {true, true, false, "no way", "failed: waits for node 1 of 2, four minutes after the start"},
      {false, true, false, "no way", "stopped: asked while it waited for other nodes"},
      {false, false, false, "no way", "failed: no way"},
      {true, true, true, "no way", "close"},
  }));
  Doer doer(0);
  doer.seen.gathered = false;
  CHECK(doer.until_wait() == Said{"open", "prepare", "wait for agents"});
  doer.seen.late = one.late;
  doer.seen.waits_for = "waits for node 1 of 2";
  doer.seen.trouble = one.trouble;
  if (one.stopped) doer.seen.stopped_by = "a signal";
  if (one.over) doer.seen.runs[0] = State::kStopped;
  CHECK(doer.next() == one.next);
}

TEST_CASE("a run that was stopped while its last node joined does not begin") {
  Doer doer(0);
  doer.seen.gathered = false;
  doer.until_wait();
  doer.seen.gathered = true;
  doer.seen.runs[0] = State::kStopped;
  CHECK(doer.until_wait() == Said{"close", "leave queue"});
}

TEST_CASE("a node other than 0 follows node 0 in each phase") {
  struct Case {
    MemberPhase phase;
    bool stopped;
    std::string next;
  };
  const auto one = GENERATE(values<Case>({
      {MemberPhase::kSeeking, false, "wait for agents"},
      {MemberPhase::kReady, false, "wait for agents"},
      {MemberPhase::kOver, false, "wait for agents"},
      {MemberPhase::kSeeking, true, "stopped: asked while it waited for node 0"},
      {MemberPhase::kReady, true, "stopped: asked while it waited for node 0"},
      {MemberPhase::kOver, true, "stopped: asked while it waited for node 0"},
      {MemberPhase::kRunning, false, "start"},
      {MemberPhase::kRunning, true, "start"},
      {MemberPhase::kClosed, true, "did_not_die: why"},
      {MemberPhase::kLost, true, "failed: why"},
  }));
  Doer doer(1);
  REQUIRE(doer.until_wait() == Said{"open", "wait for agents"});
  doer.seen.phase = one.phase;
  doer.seen.verdict = {State::kDidNotDie, "why"};
  if (one.stopped) doer.seen.stopped_by = "a signal";
  CHECK(doer.next() == one.next);
}

TEST_CASE("another node follows again after its ranks are gone, or after it could not plan them") {
  Doer doer(1);
  doer.seen.phase = MemberPhase::kRunning;
  CHECK(doer.until_wait() == Said{"open", "start", "wait for ranks"});
  doer.seen.attempt_over = true;
  doer.seen.phase = MemberPhase::kOver;
  CHECK(doer.until_wait() == Said{"end attempt", "wait for agents"});
  doer.seen.phase = MemberPhase::kClosed;
  doer.seen.verdict = {State::kFinished, ""};
  CHECK(doer.until_wait() == Said{"finished: ", "close", "leave queue"});
}

TEST_CASE("a node that has lost node 0 begins no other run") {
  Doer doer(1, 2);
  doer.until_wait();
  doer.seen.phase = MemberPhase::kLost;
  doer.seen.verdict.text = "node 0 is gone";
  CHECK(doer.until_wait() == Said{"failed: node 0 is gone", "close",
                                  "abandon: not started: run a before it failed", "leave queue"});
}

TEST_CASE("a node that loses node 0 while its ranks run begins no other run") {
  Doer doer(1, 2);
  doer.seen.phase = MemberPhase::kRunning;
  CHECK(doer.until_wait() == Said{"open", "start", "wait for ranks"});
  doer.seen.phase = MemberPhase::kLost;
  CHECK(doer.ends(State::kFailed) == Said{"end attempt", "close",
                                          "abandon: not started: run a before it failed",
                                          "leave queue"});
}

TEST_CASE("an agent closes each run that it opened, ends each attempt, and ends once") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&random](unsigned of) { return random() % of == 0; };
    Doer doer(static_cast<Node>(random() % 2), 1 + random() % 3, chance(2));
    doer.seen.devices = doer.seen.gathered = false;
    int opened = 0, started = 0, steps = 0;
    for (; !doer.agenda.over() && steps < 5000; ++steps) {
      const std::string name = doer.next();
      opened += name == "open" ? 1 : name == "close" ? -1 : 0;
      started += name == "start" ? 1 : name == "end attempt" ? -1 : 0;
      REQUIRE((opened == 0 || opened == 1));
      REQUIRE((started == 0 || started == 1));
      if (name == "start") doer.seen.restarts = doer.seen.attempt_over = false;
      if (name == "end attempt") doer.seen.phase = MemberPhase::kOver;  // node 0 was informed
      if (name.substr(0, 4) != "wait") continue;
      doer.seen.devices = doer.seen.devices || chance(4);
      doer.seen.gathered = chance(4);
      doer.seen.trouble = chance(30) ? "trouble" : "";
      doer.seen.phase = static_cast<MemberPhase>(random() % kMemberPhases);
      doer.seen.verdict.state = State::kFailed;
      if (chance(60)) doer.seen.stopped_by = "a signal";
      doer.seen.attempt_over = chance(4);
      doer.seen.restarts = doer.seen.attempt_over && chance(4);
      const auto current = doer.agenda.current();
      if (current && doer.seen.attempt_over && !doer.seen.restarts)
        doer.seen.runs[*current] = chance(2) ? State::kFinished : State::kFailed;
    }
    CAPTURE(seed);
    REQUIRE(doer.agenda.over());
    REQUIRE(opened == 0);
    REQUIRE(started == 0);
    for (const State state : doer.seen.runs) REQUIRE(messages::is_final(state));
  }
}

}  // namespace ringside::agent
