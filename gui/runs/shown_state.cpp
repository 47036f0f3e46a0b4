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

// What is seen of the agent, each a bit, so that a rule names several.
constexpr std::uint32_t kHere = 1;
constexpr std::uint32_t kHeldUp = 2;  // here, and stopped by a signal or without an answer
constexpr std::uint32_t kAway = 4;
constexpr std::uint32_t kSilent = 8;  // away, and nothing has come for long
constexpr std::uint32_t kDead = 16;
constexpr std::uint32_t kOff = 32;  // nothing is left of it
constexpr std::uint32_t kUnseen = kAway | kSilent;
constexpr std::uint32_t kNobody = kDead | kOff;

// What the log says last.
constexpr std::uint32_t kNoState = 1;
constexpr std::uint32_t kNotHere = 2;  // the log was not copied
constexpr std::uint32_t kPutOff = 4;   // queued: what an agent leaves that goes on later
constexpr std::uint32_t kGoing = 8;
constexpr std::uint32_t kEndedBefore = 16;  // before its place said what it says
constexpr std::uint32_t kEndedSince = 32;
constexpr std::uint32_t kDone = 64;  // finished
constexpr std::uint32_t kUntold = kNoState | kNotHere;
constexpr std::uint32_t kOpen = kUntold | kPutOff | kGoing;
constexpr std::uint32_t kEnded = kEndedBefore | kEndedSince;

// What its place says: place::Says, and what one says for which no other agent comes.
constexpr std::uint32_t bit_of(place::Says says) { return 1U << static_cast<unsigned>(says); }
constexpr std::uint32_t kInQueue = bit_of(place::Says::kQueued);
constexpr std::uint32_t kHasIt =
    bit_of(place::Says::kUnknown) | kInQueue | bit_of(place::Says::kRunning);
constexpr std::uint32_t kCompleted = bit_of(place::Says::kFinished);
constexpr std::uint32_t kFailedThere = bit_of(place::Says::kFailed);
constexpr std::uint32_t kCancelled = bit_of(place::Says::kCancelled);
constexpr std::uint32_t kPassedOn = bit_of(place::Says::kPassedOn);
constexpr std::uint32_t kCutThere = bit_of(place::Says::kCut);
constexpr std::uint32_t kHasItOnce = kPassedOn << 1U;
constexpr std::uint32_t kFailedOnce = kPassedOn << 2U;
constexpr std::uint32_t kOver =
    kCompleted | kFailedThere | kCancelled | kCutThere | kPassedOn | kFailedOnce;

constexpr std::uint32_t kAny = ~0U;

enum class Verdict : std::uint8_t {
  // As the log has it, or the agent.
  kRecorded,  // an end
  kRemarked,  // the same, with what its place says of it
  kLive,      // as recorded, or starting
  kHeldUp,    // lost contact: its agent is stopped
  kUnheard,   // lost contact
  kNotCopied,
  kNeverStarted,  // interrupted, without a state
  kDied,          // interrupted: its agent was killed
  kEndMissing,    // interrupted: the log has no end
  // As its place has it.
  kComes,     // queued or starting
  kNotBegun,  // failed: its agent left without a word
  kNotBack,   // stopped: it was to go on, and did not
  kFailed,
  kStopped,
  kCut,  // interrupted
};

struct Rule {
  std::uint32_t agent;
  std::uint32_t place;
  std::uint32_t log;
  Verdict verdict;
};

// STATES.md; the first that fits.
constexpr Rule kRules[] = {
    // An agent that is seen here knows best.
    {kHere | kHeldUp, kAny, kEnded | kDone, Verdict::kRecorded},
    {kHere, kAny, kAny, Verdict::kLive},
    {kHeldUp, kAny, kAny, Verdict::kHeldUp},
    // No agent has it, and its place does.
    {kNobody, kHasIt, kOpen, Verdict::kComes},
    {kNobody, kInQueue, kEndedBefore, Verdict::kComes},
    {kOff, kHasItOnce, kUntold, Verdict::kComes},
    // How it ended by its log.
    {kUnseen, kPassedOn, kEnded, Verdict::kRecorded},
    {kAny, kOver, kEnded, Verdict::kRemarked},
    {kAny, kAny, kEnded | kDone, Verdict::kRecorded},
    // How its place ended it.
    {kAny, kFailedOnce, kUntold, Verdict::kNotBegun},
    {kAny, kCompleted, kPutOff, Verdict::kNotBack},
    {kAny, kFailedThere, kAny, Verdict::kFailed},
    {kAny, kCancelled, kAny, Verdict::kStopped},
    {kAny, kCompleted | kCutThere, kAny, Verdict::kCut},
    {kNobody, kPassedOn, kAny, Verdict::kCut},
    // The agent alone tells.
    {kSilent, kAny, kAny, Verdict::kUnheard},
    {kAway, kAny, kAny, Verdict::kLive},
    {kNobody, kAny, kNotHere, Verdict::kNotCopied},
    {kNobody, kAny, kNoState, Verdict::kNeverStarted},
    {kDead, kAny, kAny, Verdict::kDied},
    {kAny, kAny, kAny, Verdict::kEndMissing},
};

std::uint32_t agent_of(const Seen& seen) {
  switch (presence_beside(seen.presence, seen.news)) {
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

std::uint32_t place_of(const std::optional<place::News>& news) {
  if (!news) return bit_of(place::Says::kNothing);
  if (news->once && !is_over(news->says)) return kHasItOnce;
  if (news->once && news->says == place::Says::kFailed) return kFailedOnce;
  return bit_of(news->says);
}

std::uint32_t log_of(const Seen& seen) {
  if (!seen.recorded) return seen.not_copied ? kNotHere : kNoState;
  const auto& recorded = *seen.recorded;
  if (recorded.state == messages::State::kFinished) return kDone;
  if (messages::is_final(recorded.state))
    return seen.news && seen.news->told_wall_ns >= recorded.wall_ns ? kEndedBefore : kEndedSince;
  return recorded.state == messages::State::kQueued ? kPutOff : kGoing;
}

/// "; Slurm has not answered since 10:02: squeue: timed out"
std::string silence(const place::News& news) {
  if (news.problem.empty()) return {};
  std::string since = " yet";
  if (news.silent_wall_ns != 0) {
    const std::tm at = calendar_of(news.silent_wall_ns, TimeZone::kLocal);
    since = fmt::format(" since {:02}:{:02}", at.tm_hour, at.tm_min);
  }
  return "; " + news.system + " has not answered" + since + ": " + news.problem;
}

/// "Slurm job 12: its time limit was reached"
std::string end_words(const Seen& seen, Verdict verdict) {
  const place::News& news = *seen.news;
  if (news.item.empty()) return "it was not submitted to " + news.system;
  const bool see_output = !seen.recorded && verdict != Verdict::kStopped;
  return news.system + " " + news.item + ": " + news.words +
         (see_output ? "; what it printed is in " + news.output + " of the run folder" : "");
}

constexpr const char* kInterrupted = "interrupted";
constexpr const char* kLostContact = "lost contact";

std::string word_of(messages::State state) { return std::string(messages::name_of(state)); }

ShownState ended_as(std::string word, std::string detail) {
  return {std::move(word), std::move(detail), false, true};
}

ShownState shown_by_place(Verdict verdict, const Seen& seen) {
  using messages::State;
  const place::News& news = *seen.news;
  switch (verdict) {
    case Verdict::kComes:
      return {word_of(news.says == place::Says::kRunning ? State::kStarting : State::kQueued),
              words_of(news), true, false};
    case Verdict::kNotBegun:
      return ended_as(word_of(State::kFailed), "it did not begin in its step of " + news.system +
                                                   " " + news.item +
                                                   "; why is in agent.log of the run folder");
    case Verdict::kNotBack:
      return ended_as(word_of(State::kStopped), "its time was up, and " + news.item +
                                                    " did not go back into " + news.system +
                                                    "'s queue");
    case Verdict::kFailed:
      return ended_as(word_of(State::kFailed), end_words(seen, verdict));
    case Verdict::kStopped:
      return ended_as(word_of(State::kStopped), end_words(seen, verdict));
    default:
      return ended_as(kInterrupted, end_words(seen, verdict));
  }
}

ShownState shown_by_log(Verdict verdict, const Seen& seen) {
  const std::string state =
      word_of(seen.recorded ? seen.recorded->state : messages::State::kStarting);
  const std::string told = seen.recorded ? seen.recorded->text : "";
  switch (verdict) {
    case Verdict::kRecorded:
      return ended_as(state, told);
    case Verdict::kRemarked:
      return ended_as(state, seen.news->tells ? told + "; " + seen.news->system + " says of " +
                                                    seen.news->item + ": " + seen.news->words
                                              : told);
    case Verdict::kLive:
      return {state, told, true, false};
    case Verdict::kHeldUp:
      return {kLostContact, why_unheard(seen.stopped_pid), true, false};
    case Verdict::kUnheard:
      return {kLostContact,
              "its agent is on another machine, and nothing has come from it for a while: only "
              "there can be seen whether it lives"};
    case Verdict::kNotCopied:
      return {"not copied", "only its settings are here: open it to bring the rest"};
    case Verdict::kNeverStarted:
      return ended_as(kInterrupted, seen.no_record.empty()
                                        ? "its agent never started; see agent.log in the run folder"
                                        : seen.no_record);
    // An agent that ends in order writes a final state first.
    case Verdict::kDied:
      return ended_as(kInterrupted, "its agent died while the run was " + state +
                                        ": the last reports of its ranks may be missing");
    default:
      return ended_as(kInterrupted,
                      "its log ends while the run was " + state + ": the end is missing in it");
  }
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

AgentPresence presence_beside(AgentPresence presence, const std::optional<place::News>& news) {
  const bool replaced = presence == AgentPresence::kElsewhere && news && news->waits();
  return replaced && !news->once ? AgentPresence::kGone : presence;
}

ShownState shown_state(const Seen& seen) {
  const std::uint32_t agent = agent_of(seen);
  const std::uint32_t place = place_of(seen.news);
  const std::uint32_t log = log_of(seen);
  const auto* const rule = std::ranges::find_if(kRules, [&](const Rule& one) {
    return (one.agent & agent) != 0 && (one.place & place) != 0 && (one.log & log) != 0;
  });
  return rule->verdict >= Verdict::kComes ? shown_by_place(rule->verdict, seen)
                                          : shown_by_log(rule->verdict, seen);
}

std::string words_of(const place::News& news) {
  if (news.item.empty()) return "in " + news.system + ": it is being submitted";
  const std::string on = news.nodes.empty() ? "" : " on " + news.nodes;
  return "in " + news.system + ", " + news.item + on + ": " + news.words + silence(news);
}

}  // namespace ringside::runs
