#include "gui/session/alerts/alert_caller.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/analysis/alerts/blame.h"
#include "gui/launch/child.h"
#include "gui/launch/paths.h"
#include "gui/model/run_model.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"
#include "protocol/messages/rank_records.h"

namespace ringside::session {
namespace {

AlertFacts facts_about(const model::RunModel& model, const view::RunContext& context,
                       const std::string& run_folder) {
  AlertFacts facts;
  facts.run = context.id;
  facts.run_name = model.spec().name;
  facts.run_folder = run_folder;
  return facts;
}

/// Removes markup: notification servers interpret a little of it.
std::string without_markup(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

/// Turns "gpu_0_xid_48" into "gpu_xid_48": the same fault of several GPUs is reported once.
std::string without_device(std::string code) {
  const std::size_t begin = std::min(code.find_first_of("0123456789"), code.size());
  const std::size_t end = std::min(code.find_first_not_of("0123456789", begin), code.size());
  return code.erase(begin, end - begin);
}

std::string heading_of(const AlertFacts& facts) {
  const std::string name = printable_line(facts.run_name);
  return "Ringside: " + (name.empty() ? facts.run : name);
}

}  // namespace

std::vector<AlertFacts> facts_of(std::span<const analysis::Alert> fresh,
                                 const model::RunModel& model, const view::RunContext& context,
                                 const std::string& run_folder) {
  std::vector<AlertFacts> all;
  std::map<std::pair<analysis::AlertKind, std::string>, std::size_t> known;
  // The end of the run names its cause, so the ranks that failed as a consequence are left out.
  const bool end_tells = analysis::failures(model).run_says_it;
  for (const analysis::Alert& alert : fresh) {
    if (alert.kind == analysis::AlertKind::kRunFailed) continue;
    if (end_tells && alert.kind == analysis::AlertKind::kRankFailed) continue;
    const bool notice = alert.kind == analysis::AlertKind::kNotice;
    const std::pair kind(alert.kind, notice ? without_device(alert.code) : std::string());
    if (const auto same = known.find(kind); same != known.end()) {
      ++all[same->second].also;
      continue;
    }
    known[kind] = all.size();
    AlertFacts facts = facts_about(model, context, run_folder);
    const view::EventView event = view::event_view(alert, model, nullptr);
    facts.alert = std::string(analysis::info_of(alert.kind).name);
    facts.severity = std::string(messages::name_of(alert.severity));
    facts.text = view::plain(event.main);
    if (!event.aside.empty()) facts.text += " " + view::plain(event.aside);
    if (alert.rank != kNoRank) facts.rank = std::to_string(alert.rank);
    if (alert.step >= 0) facts.step = std::to_string(alert.step);
    all.push_back(std::move(facts));
  }
  return all;
}

AlertFacts end_facts(const model::RunModel& model, const view::RunContext& context,
                     const std::string& run_folder) {
  AlertFacts facts = facts_about(model, context, run_folder);
  const auto& state = model.run_state();
  const bool said = state && messages::is_final(state->state);
  const std::string word = said ? std::string(messages::name_of(state->state)) : "interrupted";
  facts.alert = "run_" + word;
  std::replace(facts.alert.begin(), facts.alert.end(), ' ', '_');
  const bool nan = word == "finished" && analysis::ended_in_nan(model);
  const bool failed = word == "failed" || !said || (nan && analysis::nan_is_failure(model.spec()));
  facts.severity = failed ? "error" : "info";
  const Step steps = model.newest_common_step() + 1;
  facts.text = "The run " + (said ? (word == "failed" || word == "finished" ? word : "was " + word)
                                  : std::string("was interrupted: its agent is gone"));
  facts.text += " after " + view::plural(steps, "step", "steps");
  if (nan) facts.text += ", with a loss of NaN or Inf";
  facts.text += said && !state->text.empty() ? ": " + state->text : ".";
  if (steps > 0) facts.step = std::to_string(steps - 1);
  return facts;
}

std::string sentence_of(const AlertFacts& facts) {
  std::string text = printable_line(facts.text);
  if (facts.also > 0) text += " (and " + std::to_string(facts.also) + " more)";
  return text;
}

AlertFacts trial_facts() {
  AlertFacts facts;
  facts.alert = "test";
  facts.severity = "info";
  facts.text = "This is a test alert.";
  facts.run_name = "a test";
  return facts;
}

std::vector<std::string> environment_of(const AlertFacts& facts) {
  // A zero byte would end the text for the program; no other character needs escaping.
  const auto entry = [](const char* name, const std::string& value) {
    return std::string(name) + "=" + value.substr(0, value.find('\0'));
  };
  return {entry("RINGSIDE_ALERT", facts.alert),
          entry("RINGSIDE_ALERT_SEVERITY", facts.severity),
          entry("RINGSIDE_ALERT_TEXT", facts.text),
          entry("RINGSIDE_ALERT_MORE", std::to_string(facts.also)),
          entry("RINGSIDE_RUN", facts.run),
          entry("RINGSIDE_RUN_NAME", facts.run_name),
          entry("RINGSIDE_RUN_DIR", facts.run_folder),
          entry("RINGSIDE_RANK", facts.rank),
          entry("RINGSIDE_STEP", facts.step)};
}

std::vector<std::string> notification(const AlertFacts& facts) {
  return {"notify-send",
          "--app-name=Ringside",
          "--icon=io.ringside.Ringside",
          std::string("--urgency=") + (facts.severity == "error" ? "critical" : "normal"),
          "--",
          heading_of(facts),
          without_markup(sentence_of(facts))};
}

AlertCaller::AlertCaller(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { work(); }) {}

AlertCaller::~AlertCaller() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AlertCaller::post(const AlertSettings& settings, std::vector<AlertFacts> facts) {
  if (facts.empty() || (!settings.notify && settings.command.empty())) return;
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    for (AlertFacts& one : facts) {
      full = waiting_.size() >= kMostWaiting;
      if (!full) waiting_.push_back({settings, std::move(one)});
    }
  }
  changed_.notify_all();
  if (full) note("Alerts come faster than they can be sent; some were not sent");
}

void AlertCaller::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
}

std::vector<std::string> AlertCaller::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

void AlertCaller::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    const Call call = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    notify(call);
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void AlertCaller::notify(const Call& call) {
  if (call.settings.notify)
    run(notification(call.facts), call, "An alert could not be shown on the desktop: ");
  if (!call.settings.command.empty())
    run(call.settings.command, call, "The alert command failed: ");
}

void AlertCaller::run(const std::vector<std::string>& argv, const Call& call, const char* what) {
  std::vector<std::string> words = argv;
  const auto program = launch::find_on_path(argv.front());
  if (!program) {
    note(what + program.error().message);
    return;
  }
  words.front() = *program;
  const auto limit_ns = static_cast<std::int64_t>(call.settings.limit_s * 1e9);
  const auto ran = launch::capture(
      words, limit_ns, [this] { return closing_.load(); }, environment_of(call.facts));
  if (closing_) return;
  if (!ran) {
    note(what + ran.error().message);
  } else if (ran->exit_code != 0) {
    std::string last = ran->errors.substr(0, ran->errors.find_last_not_of('\n') + 1);
    last = printable_line(last.substr(last.rfind('\n') + 1));
    note(what + *program + " ended with " + std::to_string(ran->exit_code) +
         (last.empty() ? "" : ": " + last.substr(0, 200)));
  }
}

void AlertCaller::note(const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    if (!told_problems_.insert(problem).second) return;
    problems_.push_back(problem);
  }
  if (wake_) wake_();
}

}  // namespace ringside::session
