#include "gui/runs/log_source.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/host/folder_watch.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

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
  if (watch_ && take_told(watch_->get())) next_look_ns_ = 0;
  look_for_agent();
  if (client_) ask_how_it_goes();
  // The watch is set before the file is read, so that later writes end the waiting.
  if (!may_grow()) watch_.reset();
  if (may_grow() && wait_ns > 0 && !watch_) watch_ = watch_folder(folder_.path());
  auto taken = take(sink, max_bytes);
  if (taken && *taken == 0) {
    if (!may_grow()) {
      // Reported only after another check, since an agent may have just started.
      next_look_ns_ = 0;
      look_for_agent();
    }
    ended_ = !may_grow();
    if (watch_ && wait_ns > 0) {
      // Writes of other machines cause no inotify events.
      const bool told = client_ && watch_->get() >= 0;
      wait_for_told(watch_->get(), told ? wait_ns : std::min(wait_ns, kLookSoonNs));
      taken = take(sink, max_bytes);
    }
  }
  if (!taken) return pass(taken);
  if (*taken > 0) grew_ns_ = mono_now_ns();
  return progress();
}

SourceProgress LogSource::progress() const {
  SourceProgress progress;
  progress.log = decoder_.progress();
  progress.log.tail_bytes = std::max(progress.log.tail_bytes, tail_bytes_);
  progress.on_socket = client_.has_value();
  progress.own_clock = progress.on_socket && !identity().boot_id.empty();
  progress.ended = ended_;
  if (may_grow()) progress.silent_ns = mono_now_ns() - grew_ns_;
  if (client_) {
    progress.connected = client_->silent_ns() < kUnheardNs;
    progress.silent_ns = std::min(progress.silent_ns, client_->silent_ns());
  }
  progress.lost_contact = contact_lost(presence_, static_cast<double>(progress.silent_ns) * 1e-9);
  if (progress.connected) progress.log_problem = log_problem_;
  return progress;
}

bool LogSource::may_grow() const {
  return presence_ == AgentPresence::kAlive || presence_ == AgentPresence::kElsewhere;
}

void LogSource::look_for_agent() {
  const std::int64_t now = mono_now_ns();
  if (now < next_look_ns_) return;
  presence_ = agent_presence(folder_, node_);
  auto endpoint = wire::read_agent_endpoint(folder_.agent_path(node_));
  // The agent is about to start, or to be gone.
  const bool soon = presence_ == AgentPresence::kAlive && !endpoint;
  next_look_ns_ = now + (soon ? kLookSoonNs : kLookNs);
  if (may_grow()) ended_ = false;
  const bool replaced = endpoint && endpoint->run_token != endpoint_.run_token;
  if (client_ && presence_ == AgentPresence::kAlive && !replaced) return;
  client_.reset();
  log_problem_.clear();
  // The addresses are on loopback, so those of another machine would reach an unrelated program
  // here.
  if (presence_ != AgentPresence::kAlive || !endpoint || !wire::is_of_this_boot(*endpoint)) return;
  auto client = wire::ControlClient::connect(*endpoint);
  if (!client) return;
  endpoint_ = std::move(*endpoint);
  client_ = std::move(*client);
  asked_ns_ = 0;
}

// Asks the agent for its status, in which it also reports that it cannot write its log. An answer
// proves that it is alive; an agent that is stopped, or in a container with its own network, does
// not answer.
void LogSource::ask_how_it_goes() {
  while (const auto reply = client_->receive(0)) {
    if (reply->ok) log_problem_ = log_problem_of(reply->text);
  }
  const std::int64_t now = mono_now_ns();
  if (asked_ns_ != 0 && now - asked_ns_ < kAskNs) return;
  asked_ns_ = now;
  client_->send_status();
}

Result<std::uint64_t> LogSource::take(messages::RecordSink& sink, std::uint64_t max_bytes) {
  if (!file_) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder_.log_path(node_), ignored)) return 0;
    file_ = RINGSIDE_TRY(open_file(folder_.log_path(node_), OpenMode::kRead));
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
    const auto got = RINGSIDE_TRY(file_->read_at(offset_, buffer_));
    RINGSIDE_TRY(decoder_.push(std::span(buffer_).first(got), sink));
    offset_ += got;
    taken += got;
    if (got == buffer_.size()) continue;
    // The end of the file. An incomplete tail is read again next time, since after a full disk the
    // agent overwrites it.
    if (!may_grow()) decoder_.finish(sink);
    tail_bytes_ = decoder_.progress().tail_bytes;
    decoder_.drop_tail();
    offset_ = decoder_.progress().consumed_bytes;
    return offset_ - before;
  }
  return taken;
}

}  // namespace ringside::runs
