#include "gui/runs/shown_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include "gui/runs/stopped_agent.h"
#include "protocol/base/calendar.h"
#include "protocol/messages/rank_records.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::runs {
namespace {

double age_s(const std::filesystem::path& file) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(file, error);
  if (error) return 0;
  const auto age = std::filesystem::file_time_type::clock::now() - changed;
  return std::chrono::duration<double>(age).count();
}

using Bits = std::uint32_t;
constexpr Bits kAny = ~0U;

// What is seen of the agent, as bits, so that a rule can name several: kHeldUp runs here but is
// stopped by a signal or does not answer, kSilent is elsewhere and has been silent for long, kOff
// has left nothing behind.
enum : Bits { kHere = 1, kHeldUp = 2, kAway = 4, kSilent = 8, kDead = 16, kOff = 32 };
constexpr Bits kUnseen = kAway | kSilent;
constexpr Bits kNobody = kDead | kOff;

// The last state in the log: kNotHere was not copied, kPutOff is queued, which an agent leaves if
// it continues later, kEndedBefore ended before the place last reported.
enum : Bits { kNoState = 1, kNotHere = 2, kPutOff = 4, kGoing = 8 };
enum : Bits { kEndedBefore = 16, kEndedSince = 32, kDone = 64 };
constexpr Bits kNotReported = kNoState | kNotHere;
constexpr Bits kOpen = kNotReported | kPutOff | kGoing;
constexpr Bits kEnded = kEndedBefore | kEndedSince;

// The place's report, and one that means that no other agent will come.
constexpr Bits bit_of(launch::Phase phase) { return 1U << static_cast<unsigned>(phase); }
constexpr Bits kInQueue = bit_of(launch::Phase::kWaiting);
constexpr Bits kToCome = kInQueue | bit_of(launch::Phase::kUnknown);
constexpr Bits kRuns = bit_of(launch::Phase::kRunning);
constexpr Bits kCompleted = bit_of(launch::Phase::kFinished);
constexpr Bits kFailed = bit_of(launch::Phase::kFailed);
constexpr Bits kCancelled = bit_of(launch::Phase::kCancelled);
constexpr Bits kCut = bit_of(launch::Phase::kCut);
constexpr Bits kPassedOn = bit_of(launch::Phase::kPassedOn);
constexpr Bits kToComeOnce = kPassedOn << 1U;
constexpr Bits kRunsOnce = kPassedOn << 2U;
constexpr Bits kFailedOnce = kPassedOn << 3U;
constexpr Bits kOver = kCompleted | kFailed | kCancelled | kCut | kPassedOn | kFailedOnce;

enum class Liveness : std::uint8_t { kLive, kEnded, kUnknown };
enum class Why : std::uint8_t {
  kTold,    // by the log
  kRemark,  // by the log, with a remark from the place
  kHeldUp,
  kUnheard,
  kNotCopied,
  kNoRecord,
  kDied,
  kNoEnd,
  kInPlace,
  kNotBegun,
  kNotBack,
  kEndThere,
  kCancelledThere
};

struct Rule {
  Bits agent, place, log;
  Liveness stand;
  const char* word;  // null: as recorded, "starting" without a record
  Why why;
};

constexpr const char* kLost = "lost contact";
constexpr const char* kInterrupted = "interrupted";

// Rules of STATES.md; the first match counts.
constexpr Rule kRules[] = {
    // A local agent that can be seen decides.
    {kHere | kHeldUp, kAny, kEnded | kDone, Liveness::kEnded, nullptr, Why::kTold},
    {kHere, kAny, kAny, Liveness::kLive, nullptr, Why::kTold},
    {kHeldUp, kAny, kAny, Liveness::kLive, kLost, Why::kHeldUp},
    // No agent has the run, but its place does.
    {kNobody, kToCome, kOpen, Liveness::kLive, "queued", Why::kInPlace},
    {kNobody, kInQueue, kEndedBefore, Liveness::kLive, "queued", Why::kInPlace},
    {kNobody, kRuns, kOpen, Liveness::kLive, "starting", Why::kInPlace},
    {kOff, kToComeOnce, kNotReported, Liveness::kLive, "queued", Why::kInPlace},
    {kOff, kRunsOnce, kNotReported, Liveness::kLive, "starting", Why::kInPlace},
    // The log says how the run ended.
    {kUnseen, kPassedOn, kEnded, Liveness::kEnded, nullptr, Why::kTold},
    {kAny, kOver, kEnded, Liveness::kEnded, nullptr, Why::kRemark},
    {kAny, kAny, kEnded | kDone, Liveness::kEnded, nullptr, Why::kTold},
    // The place says how the run ended.
    {kAny, kFailedOnce, kNotReported, Liveness::kEnded, "failed", Why::kNotBegun},
    {kAny, kCompleted, kPutOff, Liveness::kEnded, "stopped", Why::kNotBack},
    {kAny, kFailed, kAny, Liveness::kEnded, "failed", Why::kEndThere},
    {kAny, kCancelled, kAny, Liveness::kEnded, "stopped", Why::kCancelledThere},
    {kAny, kCompleted | kCut, kAny, Liveness::kEnded, kInterrupted, Why::kEndThere},
    {kNobody, kPassedOn, kAny, Liveness::kEnded, kInterrupted, Why::kEndThere},
    // Only the agent knows the state.
    {kSilent, kAny, kAny, Liveness::kUnknown, kLost, Why::kUnheard},
    {kAway, kAny, kAny, Liveness::kLive, nullptr, Why::kTold},
    {kNobody, kAny, kNotHere, Liveness::kUnknown, "not copied", Why::kNotCopied},
    {kNobody, kAny, kNoState, Liveness::kEnded, kInterrupted, Why::kNoRecord},
    {kDead, kAny, kAny, Liveness::kEnded, kInterrupted, Why::kDied},
    {kAny, kAny, kAny, Liveness::kEnded, kInterrupted, Why::kNoEnd},
};

Bits agent_of(const Seen& seen) {
  switch (presence_beside(seen.presence, seen.report)) {
    case AgentPresence::kAlive:
      return seen.unheard || seen.stopped_pid > 0 ? kHeldUp : kHere;
    case AgentPresence::kElsewhere:
      return seen.unheard || contact_lost(seen.presence, seen.silent_s) ? kSilent : kAway;
    case AgentPresence::kGone:
      return kDead;
    case AgentPresence::kLeft:
      break;
  }
  return kOff;
}

Bits place_of(const std::optional<launch::PlaceReport>& report) {
  if (!report) return bit_of(launch::Phase::kNothing);
  if (report->once && report->phase == launch::Phase::kRunning) return kRunsOnce;
  if (report->once && !is_over(report->phase)) return kToComeOnce;
  if (report->once && report->phase == launch::Phase::kFailed) return kFailedOnce;
  return bit_of(report->phase);
}

Bits log_of(const Seen& seen) {
  if (!seen.recorded) return seen.not_copied ? kNotHere : kNoState;
  const auto& recorded = *seen.recorded;
  if (recorded.state == messages::State::kFinished) return kDone;
  if (messages::is_final(recorded.state))
    return seen.report && seen.report->reported_wall_ns >= recorded.wall_ns ? kEndedBefore
                                                                            : kEndedSince;
  return recorded.state == messages::State::kQueued ? kPutOff : kGoing;
}

/// Text such as "; Slurm has not answered since 10:02: squeue: timed out".
std::string silence(const launch::PlaceReport& report) {
  if (report.problem.empty()) return {};
  std::string since = " yet";
  if (report.silent_wall_ns != 0) {
    const std::tm at = calendar_of(report.silent_wall_ns, TimeZone::kLocal);
    since = fmt::format(" since {:02}:{:02}", at.tm_hour, at.tm_min);
  }
  return "; " + report.system + " has not answered" + since + ": " + report.problem;
}

std::string reason_of(Why why, const Seen& seen, const std::string& state) {
  const std::string told = seen.recorded ? seen.recorded->text : "";
  const launch::PlaceReport report = seen.report.value_or(launch::PlaceReport());
  const bool see_output = !seen.recorded && why == Why::kEndThere;
  switch (why) {
    case Why::kTold:
      return told;
    case Why::kRemark:
      return report.tells
                 ? told + "; " + report.system + " says of " + report.item + ": " + report.words
                 : told;
    case Why::kHeldUp:
      return why_unheard(seen.stopped_pid);
    case Why::kUnheard:
      return "its agent is on another machine, and nothing has come from it for a while: only "
             "there can be seen whether it lives";
    case Why::kNotCopied:
      return "only its settings are here: open it to bring the rest";
    case Why::kNoRecord:
      return seen.no_record.empty() ? "its agent never started; see agent.log in the run folder"
                                    : seen.no_record;
    // An agent that ends normally records a final state first.
    case Why::kDied:
      return "its agent died while the run was " + state +
             ": the last reports of its ranks may be missing";
    case Why::kNoEnd:
      return "its log ends while the run was " + state + ": the end is missing in it";
    case Why::kInPlace:
      return words_of(report);
    case Why::kNotBegun:
      return "it did not begin in its step of " + report.system + " " + report.item +
             "; why is in agent.log of the run folder";
    case Why::kNotBack:
      return "its time was up, and " + report.item + " did not go back into " + report.system +
             "'s queue";
    case Why::kEndThere:
    case Why::kCancelledThere:
      break;
  }
  if (report.item.empty()) return "it was not submitted to " + report.system;
  return report.system + " " + report.item + ": " + report.words +
         (see_output ? "; what it printed is in " + report.output + " of the run folder" : "");
}

}  // namespace

AgentPresence agent_presence(const runlog::RunFolder& folder, Node node) {
  if (runlog::FolderLock::is_held(folder, node)) return AgentPresence::kAlive;
  std::error_code ignored;
  if (!std::filesystem::exists(folder.agent_path(node), ignored)) {
    const auto copy = runlog::copy_mark(folder);
    return copy && copy->live.contains(node) ? AgentPresence::kElsewhere : AgentPresence::kLeft;
  }
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path(node));
  if (!endpoint) return AgentPresence::kGone;
  if (wire::is_alive(*endpoint)) return AgentPresence::kAlive;
  return wire::is_elsewhere(*endpoint) ? AgentPresence::kElsewhere : AgentPresence::kGone;
}

bool contact_lost(AgentPresence presence, double silent_s) {
  return presence == AgentPresence::kElsewhere && silent_s > kFileDelayS;
}

bool may_grow(const runlog::RunFolder& folder) {
  const AgentPresence decides = agent_presence(folder);
  if (decides == AgentPresence::kAlive || decides == AgentPresence::kElsewhere) return true;
  const std::vector<Node> nodes = folder.logged_nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](Node node) {
    const AgentPresence presence = node == 0 ? decides : agent_presence(folder, node);
    if (presence == AgentPresence::kAlive) return true;
    return presence == AgentPresence::kElsewhere &&
           !contact_lost(presence, age_s(folder.log_path(node)));
  });
}

std::string if_it_is_gone(const runlog::RunFolder& folder) {
  if (const auto copy = runlog::copy_mark(folder))
    return "See on " + copy->machine + " that it is gone";
  return "If you know that it is gone, delete " + folder.agent_path().string();
}

AgentPresence presence_beside(AgentPresence presence,
                              const std::optional<launch::PlaceReport>& report) {
  const bool replaced = presence == AgentPresence::kElsewhere && report && report->waits();
  return replaced && !report->once ? AgentPresence::kGone : presence;
}

ShownState shown_state(const Seen& seen) {
  const Bits agent = agent_of(seen);
  const Bits place = place_of(seen.report);
  const Bits log = log_of(seen);
  const auto* const rule = std::ranges::find_if(kRules, [&](const Rule& one) {
    return (one.agent & agent) != 0 && (one.place & place) != 0 && (one.log & log) != 0;
  });
  using messages::State;
  const std::string state(
      messages::name_of(seen.recorded ? seen.recorded->state : State::kStarting));
  return {rule->word == nullptr ? state : rule->word, reason_of(rule->why, seen, state),
          rule->stand == Liveness::kLive, rule->stand == Liveness::kEnded};
}

std::string words_of(const launch::PlaceReport& report) {
  if (report.item.empty()) return "in " + report.system + ": it is being submitted";
  const std::string on = report.nodes.empty() ? "" : " on " + report.nodes;
  return "in " + report.system + ", " + report.item + on + ": " + report.words + silence(report);
}

}  // namespace ringside::runs
