#include "protocol/wire/follow_server.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <vector>

#include "protocol/wire/authenticator_impl.h"

namespace ringside::wire {
namespace {

constexpr std::int64_t kMaxRequestBytes = 4096;
constexpr int kWaitingRequests = 64;
constexpr int kWaitingAnswers = 4096;

struct Log {
  std::uint64_t run_token = 0;
  RunId run_id;
  Node node = 0;
  FollowServer::OpenLog open;
  std::uint64_t end_bytes = 0;
  bool finished = false;
  std::unique_ptr<ByteFile> file;  // while somebody reads it
};

struct Follower {
  Log* log = nullptr;
  std::uint64_t number = 0;  // of its request
  std::uint64_t offset = 0;
  std::uint32_t credit_bytes = 0;
  bool end_sent = false;
};

enum class Sent { kYes, kLater, kGone };

// The identity and request number of a viewer as one text, and back.
std::string make_ticket(const std::string& identity, std::uint64_t number) {
  std::string ticket(reinterpret_cast<const char*>(&number), sizeof number);
  return ticket + identity;
}

}  // namespace

struct FollowServer::Impl {
  explicit Impl(Authenticator& owner) : authenticator(owner) {}

  Authenticator& authenticator;
  Socket socket;
  std::vector<std::unique_ptr<Log>> logs;
  std::map<std::string, Follower> followers;  // by identity
  Message identity;
  Message message;
  FollowCounts counts;

  Log* find(std::uint64_t run_token, Node node);
  const Log* any_of(std::uint64_t run_token);
  std::optional<ControlRequest> handle(const std::string& from, const Frame& frame);
  void begin(const std::string& from, const Frame& frame);
  void refuse(const std::string& to, const Frame& request, std::string_view why);
  void drop_vanished();
  Sent send_to(const std::string& to, const Frame& frame, std::string_view text = {});
  Sent send_chunk(const std::string& to, Follower& follower);
  Sent advance(const std::string& to, Follower& follower);
  void advance_all();
};

FollowServer::FollowServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FollowServer::~FollowServer() = default;

Result<std::unique_ptr<FollowServer>> FollowServer::open(Authenticator& authenticator) {
  auto impl = std::make_unique<Impl>(authenticator);
  auto socket =
      authenticator.impl().open_router(kMaxRequestBytes, kWaitingRequests, kWaitingAnswers);
  if (!socket) return pass(socket);
  impl->socket = std::move(*socket);
  return std::unique_ptr<FollowServer>(new FollowServer(std::move(impl)));
}

std::string FollowServer::endpoint() const { return endpoint_of(impl_->socket); }
PollHandle FollowServer::poll_handle() const { return {impl_->socket.get()}; }

const FollowCounts& FollowServer::counts() const {
  impl_->counts.followers = impl_->followers.size();
  return impl_->counts;
}

void FollowServer::add_log(std::uint64_t run_token, const RunId& run_id, Node node, OpenLog open,
                           std::uint64_t end_bytes) {
  impl_->logs.push_back(std::make_unique<Log>(
      Log{run_token, run_id, node, std::move(open), end_bytes, false, nullptr}));
}

void FollowServer::notify_appended(std::uint64_t run_token, Node node, std::uint64_t end_bytes) {
  if (Log* log = impl_->find(run_token, node)) log->end_bytes = end_bytes;
}

void FollowServer::finish_log(std::uint64_t run_token, Node node) {
  if (Log* log = impl_->find(run_token, node)) log->finished = true;
}

std::optional<ControlRequest> FollowServer::serve() {
  while (impl_->socket.receive(impl_->identity)) {
    if (!impl_->identity.more() || !impl_->socket.receive(impl_->message)) continue;
    ++impl_->counts.requests;
    Frame frame;
    if (impl_->socket.skip_rest(impl_->message) ||
        decode_frame(impl_->message.bytes(), frame) != FrameVerdict::kGood) {
      ++impl_->counts.refused;
      continue;
    }
    auto control = impl_->handle(std::string(impl_->identity.text()), frame);
    if (control) return control;
  }
  impl_->advance_all();
  impl_->authenticator.serve();
  return std::nullopt;
}

std::optional<ControlRequest> FollowServer::Impl::handle(const std::string& from,
                                                         const Frame& frame) {
  const Log* log = any_of(frame.run_token);
  if (log == nullptr) {
    refuse(from, frame, "this agent does not know that run");
    return std::nullopt;
  }
  using Kind = ControlRequest::Kind;
  if (frame.kind == FrameKind::kFollow) {
    begin(from, frame);
  } else if (frame.kind == FrameKind::kCredit) {
    const auto found = followers.find(from);
    if (found != followers.end() && found->second.number == frame.number) {
      std::uint32_t& credit = found->second.credit_bytes;
      credit += std::min(frame.count, kMaxCreditBytes - credit);
    }
  } else if (frame.kind == FrameKind::kAskStatus || frame.kind == FrameKind::kAskStop) {
    const Kind stop = frame.count == 0 ? Kind::kStop : Kind::kStopNow;
    return ControlRequest{frame.kind == FrameKind::kAskStatus ? Kind::kStatus : stop,
                          frame.run_token, log->run_id, make_ticket(from, frame.number)};
  } else {
    ++counts.refused;
  }
  return std::nullopt;
}

void FollowServer::Impl::begin(const std::string& from, const Frame& frame) {
  Log* log = find(frame.run_token, frame.node);
  if (log == nullptr) return refuse(from, frame, "this agent has no log of that node");
  if (frame.offset > log->end_bytes)
    return refuse(from, frame, "the log is shorter than that offset");
  if (followers.size() >= kMaxFollowers && !followers.contains(from)) drop_vanished();
  if (followers.size() >= kMaxFollowers && !followers.contains(from)) {
    return refuse(from, frame, "too many viewers follow this agent; close one");
  }
  followers[from] =
      Follower{log, frame.number, frame.offset, std::min(frame.count, kMaxCreditBytes), false};
  Frame answer = frame;
  answer.kind = FrameKind::kFollowing;
  answer.offset = log->end_bytes;
  if (send_to(from, answer) == Sent::kGone) followers.erase(from);
}

void FollowServer::Impl::refuse(const std::string& to, const Frame& request, std::string_view why) {
  ++counts.refused;
  Frame answer = request;
  answer.kind = FrameKind::kRefused;
  send_to(to, answer, why);
}

// A viewer that has gone is noticed only when something is sent to it.
void FollowServer::Impl::drop_vanished() {
  std::erase_if(followers, [&](const auto& entry) {
    Frame hint;
    hint.kind = FrameKind::kFollowing;
    hint.run_token = entry.second.log->run_token;
    hint.node = entry.second.log->node;
    hint.number = entry.second.number;
    hint.offset = entry.second.log->end_bytes;
    return send_to(entry.first, hint) == Sent::kGone;
  });
}

Sent FollowServer::Impl::send_to(const std::string& to, const Frame& frame, std::string_view text) {
  if (!socket.send_address(to)) return errno == EAGAIN ? Sent::kLater : Sent::kGone;
  return socket.send_frame(frame, std::as_bytes(std::span(text))) ? Sent::kYes : Sent::kGone;
}

// Straight from the file into the message.
Sent FollowServer::Impl::send_chunk(const std::string& to, Follower& follower) {
  const std::uint64_t there = follower.log->end_bytes - follower.offset;
  const auto wanted = static_cast<std::size_t>(
      std::min({there, std::uint64_t{kChunkBytes}, std::uint64_t{follower.credit_bytes}}));
  if (follower.log->file == nullptr) {
    auto file = follower.log->open();
    if (!file) return Sent::kLater;
    follower.log->file = std::move(*file);
  }
  Message chunk;
  if (!chunk.resize(kFrameBytes + wanted)) return Sent::kLater;
  const auto got =
      follower.log->file->read_at(follower.offset, std::span(chunk.data() + kFrameBytes, wanted));
  if (!got || *got != wanted) return Sent::kLater;
  Frame frame;
  frame.kind = FrameKind::kChunk;
  frame.run_token = follower.log->run_token;
  frame.node = follower.log->node;
  frame.number = follower.number;
  frame.offset = follower.offset;
  frame.payload_bytes = static_cast<std::uint32_t>(wanted);
  encode_frame(chunk.data(), frame);
  if (!socket.send_address(to)) return errno == EAGAIN ? Sent::kLater : Sent::kGone;
  if (!socket.send(chunk.get())) return Sent::kGone;
  follower.offset += wanted;
  follower.credit_bytes -= static_cast<std::uint32_t>(wanted);
  counts.sent_bytes += wanted;
  return Sent::kYes;
}

Sent FollowServer::Impl::advance(const std::string& to, Follower& follower) {
  while (follower.offset < follower.log->end_bytes && follower.credit_bytes > 0) {
    const Sent sent = send_chunk(to, follower);
    if (sent != Sent::kYes) return sent;
  }
  if (!follower.log->finished || follower.end_sent || follower.offset < follower.log->end_bytes)
    return Sent::kYes;
  Frame frame;
  frame.kind = FrameKind::kEnd;
  frame.run_token = follower.log->run_token;
  frame.node = follower.log->node;
  frame.number = follower.number;
  frame.offset = follower.offset;
  const Sent sent = send_to(to, frame);
  follower.end_sent = sent == Sent::kYes;
  return sent;
}

void FollowServer::Impl::advance_all() {
  for (auto entry = followers.begin(); entry != followers.end();) {
    const bool gone = advance(entry->first, entry->second) == Sent::kGone;
    entry = gone ? followers.erase(entry) : std::next(entry);
  }
  for (const auto& log : logs) {
    if (log->file == nullptr) continue;
    const bool wanted = std::any_of(followers.begin(), followers.end(), [&](const auto& entry) {
      return entry.second.log == log.get() && !entry.second.end_sent;
    });
    if (!wanted) log->file.reset();
  }
}

void FollowServer::reply(const ControlRequest& request, bool ok, std::string_view text) {
  Frame frame;
  frame.kind = FrameKind::kReply;
  frame.run_token = request.run_token;
  frame.count = ok ? 1 : 0;
  if (request.ticket.size() <= sizeof frame.number) return;
  std::copy_n(request.ticket.data(), sizeof frame.number, reinterpret_cast<char*>(&frame.number));
  impl_->send_to(request.ticket.substr(sizeof frame.number), frame, text);
}

bool FollowServer::drained() const {
  return std::all_of(impl_->followers.begin(), impl_->followers.end(), [](const auto& entry) {
    const Follower& follower = entry.second;
    return follower.log->finished ? follower.end_sent : follower.offset == follower.log->end_bytes;
  });
}

Log* FollowServer::Impl::find(std::uint64_t run_token, Node node) {
  const auto found = std::find_if(logs.begin(), logs.end(), [&](const auto& log) {
    return log->run_token == run_token && log->node == node;
  });
  return found == logs.end() ? nullptr : found->get();
}

const Log* FollowServer::Impl::any_of(std::uint64_t run_token) {
  const auto found = std::find_if(logs.begin(), logs.end(),
                                  [&](const auto& log) { return log->run_token == run_token; });
  return found == logs.end() ? nullptr : found->get();
}

}  // namespace ringside::wire
