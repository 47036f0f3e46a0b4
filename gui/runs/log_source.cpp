#include "gui/runs/log_source.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "protocol/base/clock.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

void sleep_ns(std::int64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  ::nanosleep(&time, nullptr);
}

std::string log_problem_of(const std::string& status) {
  const auto json = nlohmann::json::parse(status, nullptr, false);
  return json.is_object() && json.contains("log_problem") && json["log_problem"].is_string()
             ? json["log_problem"].get<std::string>()
             : std::string();
}

}  // namespace

bool is_unheard(const SourceProgress& progress) {
  const double longest_s = progress.on_socket ? kSocketDelayS : kFileDelayS;
  return static_cast<double>(progress.silent_ns) * 1e-9 > longest_s;
}

LogSource::LogSource(runlog::RunFolder folder, Node node)
    : folder_(std::move(folder)), node_(node), grew_ns_(mono_now_ns()) {}

Result<SourceProgress> LogSource::poll(messages::RecordSink& sink, std::uint64_t max_bytes,
                                       std::int64_t wait_ns) {
  if (!from_agent_) look_for_agent();
  if (client_) listen_again();
  auto taken =
      from_agent_ ? take_from_agent(sink, max_bytes, wait_ns) : take_from_file(sink, max_bytes);
  if (!taken) return pass(taken);
  if (*taken > 0) {
    grew_ns_ = mono_now_ns();
  } else if (from_agent_) {
    look_for_agent();
  } else {
    if (!may_grow()) {
      // Said only after a fresh look: an agent may just have come.
      looked_ns_ = 0;
      look_for_agent();
    }
    ended_ = !may_grow();
    // The agent serves other runs first, or is still starting: look again soon.
    if (!ended_ && wait_ns > 0) sleep_ns(std::min<std::int64_t>(wait_ns, kLookNs / 10));
  }
  SourceProgress progress;
  progress.log = decoder_.progress();
  if (!from_agent_) progress.log.tail_bytes = std::max(progress.log.tail_bytes, tail_bytes_);
  progress.connected = from_agent_;
  progress.on_socket = client_.has_value();
  progress.own_clock = progress.on_socket && !identity().boot_id.empty();
  progress.ended = ended_;
  if (may_grow()) progress.silent_ns = mono_now_ns() - grew_ns_;
  if (client_) progress.silent_ns = std::min(progress.silent_ns, client_->silent_ns());
  progress.lost_contact = contact_lost(presence_, static_cast<double>(progress.silent_ns) * 1e-9);
  progress.log_problem = log_problem_;
  return progress;
}

bool LogSource::may_grow() const {
  return presence_ == AgentPresence::kAlive || presence_ == AgentPresence::kElsewhere;
}

void LogSource::look_for_agent() {
  const std::int64_t now = mono_now_ns();
  if (looked_ns_ != 0 && now - looked_ns_ < kLookNs) return;
  looked_ns_ = now;
  presence_ = agent_presence(folder_, node_);
  auto endpoint = wire::read_agent_endpoint(folder_.agent_path(node_));
  const bool replaced = endpoint && endpoint->run_token != endpoint_.run_token;
  if (client_ && presence_ == AgentPresence::kAlive && !replaced) return;
  leave_agent();
  // The addresses are of loopback: those of another machine would be somebody else's here.
  if (presence_ != AgentPresence::kAlive || !endpoint || !wire::is_of_this_boot(*endpoint)) return;
  if (refused_ && !replaced) return;
  auto client = wire::FollowClient::connect(*endpoint);
  if (!client) return;
  endpoint_ = std::move(*endpoint);
  refused_ = false;
  client_ = std::move(*client);
  from_agent_ = true;
  ended_ = false;
  client_->follow(node_, offset_);
}

void LogSource::leave_agent() {
  if (!client_) return;
  client_.reset();
  switch_to_file();
}

void LogSource::switch_to_file() {
  from_agent_ = false;
  log_problem_.clear();
  decoder_.drop_tail();
  offset_ = decoder_.progress().consumed_bytes;
}

// An agent may live and say nothing: it is stopped, or the network of its container is not ours.
void LogSource::listen_again() {
  if (!from_agent_) (void)client_->receive(0);
  const bool heard = client_->silent_ns() < kUnheardNs;
  if (heard == from_agent_) return;
  if (!heard) return switch_to_file();
  from_agent_ = true;
  client_->follow(node_, offset_);
}

// What cannot be written cannot be told in the log either: the agent says it when asked.
void LogSource::ask_how_it_goes() {
  const std::int64_t now = mono_now_ns();
  if (asked_ns_ != 0 && now - asked_ns_ < kAskNs) return;
  asked_ns_ = now;
  client_->send_status();
}

Result<std::uint64_t> LogSource::take_from_agent(messages::RecordSink& sink,
                                                 std::uint64_t max_bytes, std::int64_t wait_ns) {
  ask_how_it_goes();
  std::uint64_t taken = 0;
  while (taken < max_bytes) {
    const auto event = client_->receive(taken == 0 ? wait_ns : 0);
    switch (event.kind) {
      case wire::FollowEvent::Kind::kNothing:
        return taken;
      case wire::FollowEvent::Kind::kBytes: {
        const auto pushed = decoder_.push(event.bytes, sink);
        if (!pushed) return pass(pushed);
        offset_ = event.offset + event.bytes.size();
        taken += event.bytes.size();
        break;
      }
      case wire::FollowEvent::Kind::kEnd:
        ended_ = true;
        return taken;
      case wire::FollowEvent::Kind::kRefused:
        refused_ = true;
        leave_agent();
        return taken;
      case wire::FollowEvent::Kind::kReply:
        if (event.ok) log_problem_ = log_problem_of(event.text);
        break;
    }
  }
  return taken;
}

Result<std::uint64_t> LogSource::take_from_file(messages::RecordSink& sink,
                                                std::uint64_t max_bytes) {
  if (!file_) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder_.log_path(node_), ignored)) return 0;
    auto file = open_file(folder_.log_path(node_), OpenMode::kRead);
    if (!file) return pass(file);
    file_ = std::move(*file);
  }
  buffer_.resize(kReadBytes);
  const std::uint64_t before = decoder_.progress().consumed_bytes;
  std::uint64_t taken = 0;
  while (taken < max_bytes) {
    if (const auto hole = file_->hole_at(offset_); hole >= runlog::kLeastHoleBytes) {
      offset_ += hole;
      decoder_.skip_to(offset_, sink);
      continue;
    }
    const auto got = file_->read_at(offset_, buffer_);
    if (!got) return pass(got);
    const auto pushed = decoder_.push(std::span(buffer_).first(*got), sink);
    if (!pushed) return pass(pushed);
    offset_ += *got;
    taken += *got;
    if (*got == buffer_.size()) continue;
    // The end. A tail is read again next time: after a full disk the agent cuts it away and writes
    // something else.
    if (!may_grow()) decoder_.finish(sink);
    tail_bytes_ = decoder_.progress().tail_bytes;
    decoder_.drop_tail();
    offset_ = decoder_.progress().consumed_bytes;
    return offset_ - before;
  }
  return taken;
}

}  // namespace ringside::runs
