#include "trainer/agent/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "protocol/base/secrets.h"
#include "protocol/host/files.h"
#include "protocol/host/text_tail.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/records.h"
#include "trainer/agent/unsent_records.h"
#include "trainer/agent/words/error_message.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;
using messages::Notice;
using messages::RecordType;
using messages::Severity;

constexpr std::int64_t kRoundNs = 1'000'000'000;
// Read from each stream of a failed rank.
constexpr std::size_t kMostSaidBytes = std::size_t{4} << 20;

LifecycleLimits limits_of(const messages::RunSpec& spec) {
  LifecycleLimits limits;
  limits.grace_ns = static_cast<std::int64_t>(spec.limits.grace_s * 1e9);
  limits.ask_ns = std::min(limits.ask_ns, limits.grace_ns);
  return limits;
}

// The few records that the agent itself reads; others pass through undecoded.
bool matters(RecordType type) {
  return type == RecordType::kRankHello || type == RecordType::kStepReport ||
         type == RecordType::kRankState || type == RecordType::kRankGoodbye;
}

class Listener final : public messages::RecordSink {
 public:
  using OnHello = std::function<void(Rank rank, const messages::RankHello& hello)>;
  Listener(Lifecycle& life, StallWatch& stall, std::int64_t now_ns, OnHello on_hello)
      : life_(life), stall_(stall), now_ns_(now_ns), on_hello_(std::move(on_hello)) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    if (const auto* hello = std::get_if<messages::RankHello>(&record))
      on_hello_(stamp.rank, *hello);
    life_.on_record(stamp, record);
    if (const auto* step = std::get_if<messages::StepReport>(&record)) {
      stall_.on_step(stamp.rank, step->step, step->step_ns, now_ns_);
    } else if (const auto* state = std::get_if<messages::RankState>(&record)) {
      // A final state does not mean that the rank makes progress.
      messages::is_final(state->state)
          ? stall_.on_end(stamp.rank)
          : stall_.on_state(stamp.rank, state->state, now_ns_, state->last_collective);
    } else if (std::holds_alternative<messages::RankHello>(record)) {
      stall_.on_state(stamp.rank, messages::State::kStarting, now_ns_);
    }
  }

 private:
  Lifecycle& life_;
  StallWatch& stall_;
  std::int64_t now_ns_;
  OnHello on_hello_;
};

// The error file of torch.distributed.elastic: {"message": {"message": "...", "extraInfo":
// {"py_callstack": "..."}}} or {"message": "..."}. The traceback includes causes and members of
// exception groups. For a long message only the beginning is used, since some print a tensor.
std::string message_of_error_file(const fs::path& path) {
  const auto text = read_text(path, std::size_t{64} << 20);
  if (!text) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("message")) return {};
  const auto& outer = json.at("message");
  const nlohmann::json::json_pointer traceback("/extraInfo/py_callstack");
  if (outer.contains(traceback) && outer.at(traceback).is_string()) {
    auto text_of_it = outer.at(traceback).get<std::string>();
    if (text_of_it.size() <= kMostSaidBytes && text_of_it.find("Traceback") != text_of_it.npos)
      return text_of_it;
  }
  const auto& message =
      outer.is_object() && outer.contains("message") ? outer.at("message") : outer;
  if (!message.is_string()) return {};
  return message.get<std::string>().substr(0, kMostSaidBytes);
}

}  // namespace

Supervisor::Supervisor(const Parts& parts, RunItem& item, SpawnPlan plan, RestartPolicy& restarts)
    : parts_(parts),
      item_(item),
      plan_(std::move(plan)),
      restarts_(restarts),
      life_(static_cast<std::int32_t>(plan_.ranks.size()), item.attempt, limits_of(item.spec),
            item.ranks.first),
      stall_(static_cast<std::int32_t>(plan_.ranks.size()),
             static_cast<std::int64_t>(item.spec.limits.stall_s * 1e9), item.ranks.first),
      senders_(plan_.ranks.size()),
      output_(parts.clock),
      oom_(probe::oom_counts(parts.proc_root)),
      counts_before_(parts.telemetry.counts()) {
  if (output_.fd() >= 0) parts_.poller.add_fd(output_.fd(), kOutputTag);
}

Supervisor::~Supervisor() {
  if (output_.fd() >= 0) parts_.poller.remove_fd(output_.fd());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!ended_[i]) parts_.poller.remove_fd(ranks_[i].exit_fd);
    parts_.spawner.reap(ranks_[i]);
  }
}

Result<void> Supervisor::make_folders() const {
  for (const RankPlan& rank : plan_.ranks) {
    std::error_code error;
    fs::create_directories(rank.folder, error);
    if (error) return failure("cannot make " + rank.folder.string() + ": " + error.message());
    for (const fs::path& folder : {rank.folder, rank.folder.parent_path()}) {
      fs::permissions(folder, fs::perms::owner_all, error);
    }
  }
  return {};
}

void Supervisor::start(int listener) {
  const auto sender =
      parts_.telemetry.expect({item_.endpoint.run_token, item_.node, item_.ranks.first,
                               static_cast<std::int32_t>(plan_.ranks.size()), item_.attempt,
                               wire::local_socket_path(item_.folder.agent_path(item_.node)),
                               may_adopt() ? kMostAdopted : 0});
  perform_actions();  // logs "starting" with the time at which the start began
  if (!sender && !item_.spec.program.argv.empty())
    item_.log->post(Notice{Severity::kWarning, "ranks_not_heard", sender.error().message});
  for (const std::string& warning : plan_.warnings)
    item_.log->post(Notice{Severity::kWarning, "plan", warning});
  if (const std::string& image = plan_.ranks.front().container; !image.empty())
    item_.log->post(Notice{Severity::kInfo, "container", image});
  if (const auto made = make_folders(); !made) {
    life_.on_spawn_failed(item_.ranks.first, made.error().message, parts_.clock.mono_ns());
    return perform_actions();
  }
  for (const RankPlan& rank : plan_.ranks) {
    const auto spawned = parts_.spawner.spawn({rank.argv, rank.environment, rank.folder, plan_.cwd,
                                               rank.rank == 0 ? listener : -1,
                                               rank.rank - item_.ranks.first, rank.cpus});
    if (!spawned) {
      life_.on_spawn_failed(rank.rank, spawned.error().message, parts_.clock.mono_ns());
      return perform_actions();
    }
    ranks_.push_back(*spawned);
    ended_.push_back(false);
    output_.add(rank.folder);
    parts_.poller.add_fd(spawned->exit_fd, kFirstRankTag + rank.rank);
  }
  // A custom program may or may not send telemetry.
  const bool sends_telemetry = item_.spec.program.argv.empty();
  life_.on_started(sends_telemetry, parts_.clock.mono_ns());
  if (sends_telemetry) stall_.begin(parts_.clock.mono_ns());
  perform_actions();
}

void Supervisor::on_batch(const wire::Batch& batch) {
  adopt(batch.rank + 1);
  const SenderState& sender = senders_[place(batch.rank)];
  std::span<const std::byte> payload = batch.payload;
  std::uint64_t records = batch.record_count;
  messages::RecordHead head{};
  while (sender.kept && messages::peek_record(payload, head) && head.stamp.seq < sender.next_seq) {
    payload = payload.subspan(head.total_bytes);
    --records;
  }
  item_.log->append_batch(payload, records);
  hear(payload);
  if (batch.kind == wire::Batch::Kind::kGoodbye) stall_.on_end(batch.rank);
  perform_actions();
}

// `payload` is whole records of this run's ranks.
void Supervisor::hear(std::span<const std::byte> payload) {
  Listener listener(life_, stall_, parts_.clock.mono_ns(),
                    [this](Rank rank, const auto& hello) { on_hello(rank, hello); });
  messages::DecodeCounts counts;
  messages::RecordHead head{};
  while (messages::peek_record(payload, head)) {
    SenderState& sender = senders_[place(head.stamp.rank)];
    sender.next_seq = std::max(sender.next_seq, head.stamp.seq + 1);
    sender.goodbye = sender.goodbye || head.type == RecordType::kRankGoodbye;
    if (matters(head.type))
      messages::decode_records(payload.first(head.total_bytes), listener, counts);
    payload = payload.subspan(head.total_bytes);
  }
}

void Supervisor::on_rank_ended(Rank rank) {
  const auto at = place(rank);
  if (at >= ranks_.size() || ended_[at]) return;
  const auto status = parts_.spawner.exited(ranks_[at].pid);
  if (!status) return;
  ended_[at] = true;
  parts_.poller.remove_fd(ranks_[at].exit_fd);
  take_unsent_records(rank);
  if (adopted_.empty()) miss_goodbye(rank, *status);
  look_at_adopted(true);
  stall_.on_end(rank);
  output_.stamp(at);
  note_nested_ranks(rank);
  // The driver's report about the GPU is logged before the failure that it caused.
  if (!status->ok() && !life_.failure() && parts_.read_now) {
    if (const auto reading = parts_.read_now()) on_reading(*reading);
  }
  life_.on_exit(rank, *status, collect_evidence(rank, *status), parts_.clock.mono_ns());
  perform_actions();
}

void Supervisor::take_unsent_records(Rank rank) {
  const std::uint64_t next = senders_[place(rank)].next_seq;
  const auto notice = take_unsent(item_.folder.unsent_path(item_.attempt, rank),
                                  {item_.folder.id(), item_.node, rank, next}, *item_.log,
                                  [this](std::span<const std::byte> part) { hear(part); });
  // Unsent records may include a hello that raised the number of ranks.
  senders_[place(rank)].kept = notice.has_value();
  if (notice) item_.log->post(*notice);
}

// A rank that exits by itself sends a goodbye: our trainer always, a custom program if it sent
// telemetry and ended without an error.
void Supervisor::miss_goodbye(Rank rank, const ExitStatus& status) {
  const SenderState& sender = senders_[place(rank)];
  const bool own = item_.spec.program.argv.empty();
  const bool spoke = sender.next_seq > 0;
  const bool due = status.ok() ? own || spoke : own && spoke && status.signal == 0;
  if (sender.goodbye || !due) return;
  const Step last = life_.last_step(rank);
  const std::string what =
      last < 0 ? "its telemetry" : fmt::format("what it reported after step {}", last + 1);
  item_.log->post(
      Notice{Severity::kWarning, messages::kNoGoodbye,
             fmt::format("rank {} ended without its goodbye: {} is missing", rank, what)});
}

// The rank's own error message, with its secrets removed.
FailureEvidence Supervisor::read_evidence(Rank rank, const ExitStatus& status) const {
  const RankPlan& plan = plan_.ranks[place(rank)];
  const auto secrets = secrets_of(plan.argv, plan.environment);
  const std::string message =
      hide_secrets(message_of_error_file(plan.folder / "error.json"), secrets);
  if (!message.empty()) {
    auto words = words_of_message(message);
    return {error_text(words), std::move(words.collective)};
  }
  // KILL and TERM come from outside, so the rank's last output does not explain them.
  if (status.signal == SIGKILL || status.signal == SIGTERM) return {};
  const auto end_of = [&](const char* stream) {
    return hide_secrets(end_of_file(plan.folder / stream, kMostSaidBytes), secrets);
  };
  const fs::path shown = plan.folder.parent_path().filename() / plan.folder.filename();
  auto quoted = quoted_error(end_of("stderr"), end_of("stdout"), shown.string());
  return {std::move(quoted.text), std::move(quoted.collective)};
}

// Evidence only: the rank's error message, and kernel counters that rose.
FailureEvidence Supervisor::collect_evidence(Rank rank, const ExitStatus& status) {
  if (status.ok()) return {};
  FailureEvidence left = read_evidence(rank, status);
  left.text += how_to_start(rank, left.text);
  if (status.signal == SIGKILL) {
    const auto now = probe::oom_counts(parts_.proc_root);
    const std::string evidence = probe::oom_evidence(oom_, now);
    oom_ = now;
    if (!evidence.empty()) left.text += (left.text.empty() ? "" : "; ") + evidence;
  }
  return left;
}

void Supervisor::on_reading(const Sampler::Reading& reading) {
  for (const auto& link : reading.links) item_.log->post_at(link, reading.mono_ns);
  item_.log->post_at(reading.host, reading.mono_ns);
  for (const auto& device : reading.devices) item_.log->post_at(device.sample, device.mono_ns);
  for (const auto& trouble : reading.troubles) {
    Notice notice = trouble.notice;
    const auto gpu = std::find(plan_.gpus.begin(), plan_.gpus.end(), trouble.uuid);
    if (gpu != plan_.gpus.end() && plan_.gpus.size() == plan_.ranks.size())
      notice.text =
          fmt::format("rank {}: {}", item_.ranks.first + (gpu - plan_.gpus.begin()), notice.text);
    item_.log->post(notice);
  }
  report_refusals();
}

// Reported when the count has doubled, so that a flood of bad frames is not a flood of notices.
void Supervisor::report_refusals() {
  auto refused = parts_.telemetry.counts().refused;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < refused.size(); ++i) total += refused[i] -= counts_before_.refused[i];
  if (total == 0 || total < 2 * refusals_reported_ || total == refusals_reported_) return;
  refusals_reported_ = total;
  std::string text = fmt::format("{} telemetry frame{} refused:", total, total == 1 ? "" : "s");
  for (std::size_t i = 0; i < refused.size(); ++i) {
    if (refused[i] > 0)
      text += fmt::format(" {} {}", refused[i], wire::name_of(static_cast<wire::Refusal>(i)));
  }
  item_.log->post(Notice{Severity::kWarning, "frames_refused", text});
}

void Supervisor::on_stop(const std::string& who, bool now) {
  restarts_.forbid();
  if (restart_ns_) return stop_waiting(who);
  life_.on_stop(who, now, parts_.clock.mono_ns());
  perform_actions();
}

void Supervisor::on_failed_elsewhere(const std::string& text) {
  life_.on_failed_elsewhere(text, parts_.clock.mono_ns());
  perform_actions();
}

NodeOutcome Supervisor::outcome() const {
  NodeOutcome outcome{life_.run_state(), held_ ? held_->text : std::string()};
  if (const auto failure = life_.failure()) {
    outcome.started = failure->started;
    outcome.status = failure->status;
    outcome.blames_a_peer = life_.failure_blames_a_peer();
  }
  return outcome;
}

void Supervisor::conclude(const NodeOutcome& outcome) {
  if (!held_) return;
  messages::RankState state = *std::exchange(held_, {});
  state.state = outcome.state;
  state.text = outcome.text;
  if (state.state == messages::State::kFailed && item_.node == 0)
    restart_after(Failure{outcome.started, outcome.status, outcome.text}, state);
  report_state(state);
}

void Supervisor::conclude_with_restart(const std::string& text) {
  if (!held_) return;
  messages::RankState state = *std::exchange(held_, {});
  state.state = messages::State::kStarting;
  state.text = text;
  report_state(state);
}

void Supervisor::stop_waiting(const std::string& who) {
  restart_ns_.reset();
  messages::RankState state;
  state.state = messages::State::kStopped;
  state.attempt = item_.attempt;
  state.text = "asked by " + who + " before the next attempt began";
  report_refusals();
  report_state(state);
}

bool Supervisor::over() const {
  return life_.over() && !held_ && (!restart_ns_ || parts_.clock.mono_ns() >= *restart_ns_);
}

void Supervisor::on_tick() {
  const std::int64_t now_ns = parts_.clock.mono_ns();
  life_.on_tick(now_ns);
  output_.look();
  perform_actions();
  const bool round = now_ns >= next_round_ns_;
  if (round) {
    next_round_ns_ = now_ns + kRoundNs;
    if (const std::string problem = parts_.spawner.check_processes(); !problem.empty())
      item_.log->post(Notice{Severity::kWarning, "reaper_restarted", problem});
    cap_output();
    look_at_adopted(false);
  }
  if (life_.stage() != Stage::kRunning || (!round && now_ns < stall_.next_check_ns())) return;
  const auto state_of = [this](Rank rank) { return parts_.spawner.process_state(pid_of(rank)); };
  const auto notice = stall_.check(now_ns, state_of);
  if (!notice) return;
  item_.log->post(*notice);
  const bool silent = notice->severity == Severity::kWarning;
  if (silent || !stall_.anyone_silent()) life_.on_stall(silent ? notice->text : std::string());
}

// A file that cannot be cut is left; a write will fail soon enough.
void Supervisor::cap_output() {
  output_.stamp_all();
  for (const RankPlan& rank : plan_.ranks) {
    note_nested_ranks(rank.rank);
    for (const char* stream : {"stdout", "stderr"}) {
      const auto cut = hold_to_cap(rank.folder / stream, parts_.output_cap);
      if (!cut || !*cut) continue;
      item_.log->post(
          Notice{Severity::kWarning, "output_cut",
                 fmt::format("{} of rank {} grew above {} MB: only its newest part "
                             "was kept",
                             stream, rank.rank, parts_.output_cap.most_bytes / 1'000'000)});
    }
  }
}

std::int64_t Supervisor::next_deadline_ns() const {
  if (restart_ns_) return *restart_ns_;
  const std::int64_t life_ns = std::min(life_.next_deadline_ns(), output_.next_look_ns());
  return life_.stage() == Stage::kRunning ? std::min(life_ns, stall_.next_check_ns()) : life_ns;
}

void Supervisor::perform_actions() {
  for (auto actions = life_.take_actions(); !actions.empty(); actions = life_.take_actions()) {
    for (const Action& action : actions)
      std::visit([this](const auto& one) { carry_out(one); }, action);
  }
}

void Supervisor::carry_out(const AskRank& ask) {
  parts_.telemetry.send_stop(ask.rank, wire::StopMode::kGraceful);
}

void Supervisor::carry_out(const SignalGroup& signal) {
  const auto at = place(signal.rank);
  if (at < ranks_.size()) parts_.spawner.signal_group(ranks_[at].pid, signal.signal);
}

void Supervisor::carry_out(const FindSurvivors& /*find*/) {
  std::vector<pid_t> leaders;
  for (const Spawned& rank : ranks_) leaders.push_back(rank.pid);
  survivors_ = parts_.spawner.survivors(leaders);
  parts_.spawner.reap_orphans(leaders);
  life_.on_survivors(survivors_, parts_.clock.mono_ns());
}

void Supervisor::carry_out(const KillSurvivors& /*kill*/) {
  for (std::int64_t pid : survivors_) parts_.spawner.kill(pid);
}

void Supervisor::carry_out(const PostNotice& post) { item_.log->post(post.notice); }

void Supervisor::carry_out(const RecordState& record) {
  messages::RankState state = record.state;
  if (state.about != kNoRank || !messages::is_final(state.state)) return report_state(state);
  report_refusals();
  // The outcome of a run on several nodes is decided when all nodes have ended.
  if (item_.spec.devices.nodes > 1) {
    held_ = std::move(state);
    return;
  }
  if (const auto failure = life_.failure(); failure && state.state == messages::State::kFailed)
    restart_after(*failure, state);
  report_state(state);
}

void Supervisor::report_state(messages::RankState state) {
  state.wall_ns = parts_.clock.wall_ns();
  if (state.about == kNoRank) {
    item_.state = state.state;
    item_.state_text = state.text;
  }
  item_.log->post(state);
}

// A run that restarts has not failed; readers would take a final state for its end.
void Supervisor::restart_after(const Failure& failure, messages::RankState& state) {
  const auto verdict = restarts_.after_failure(failure, item_.attempt);
  if (verdict.notice) item_.log->post(*verdict.notice);
  if (!verdict.wait_ns) return;
  restart_ns_ = parts_.clock.mono_ns() + *verdict.wait_ns;
  state.state = messages::State::kStarting;
  state.text = verdict.notice->text;
}

std::vector<std::int64_t> Supervisor::living() const {
  std::vector<std::int64_t> pids(senders_.size(), 0);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const bool ended = i < adopted_.size() ? adopted_[i] == 0 : i >= ranks_.size() || ended_[i];
    if (!ended) pids[i] = pid_of(item_.ranks.first + static_cast<Rank>(i));
  }
  return pids;
}

std::string Supervisor::status_json() const {
  nlohmann::json ranks = nlohmann::json::array();
  Rank rank = item_.ranks.first;
  for (const std::int64_t pid : living()) {
    ranks.push_back({{"rank", rank},
                     {"pid", pid > 0 ? nlohmann::json(pid) : nlohmann::json(nullptr)},
                     {"last_step", life_.last_step(rank)}});
    ++rank;
  }
  const nlohmann::json object = {{"run", item_.folder.id()},
                                 {"state", std::string(messages::name_of(item_.state))},
                                 {"attempt", item_.attempt},
                                 {"ranks", ranks},
                                 {"log_problem", item_.log->problem()}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringside::agent
