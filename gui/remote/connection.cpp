#include "gui/remote/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "gui/launch/paths.h"
#include "gui/remote/format.h"
#include "gui/remote/json_text.h"
#include "gui/remote/remote_process.h"
#include "gui/remote/ssh.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/host/platform.h"

namespace ringside::remote {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kGreetingNs = 40'000'000'000;  // includes a jump host and a slow login
constexpr std::int64_t kLeaveNs = 2'000'000'000;
constexpr int kAskMs = 100;
constexpr std::size_t kReplyBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kKeptErrorBytes = 4096;
/// Limit for answers to abandoned questions: two reads of the maximum size, and one frame.
constexpr std::size_t kMostAnswerBytes = 2 * kMostReadBytes + kMostPayloadBytes;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Kills what is left of ssh's process group after it ended, such as its connection to a jump host.
void end_group(pid_t group) {
  constexpr int kMoments = 20;
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (::kill(-group, signal) != 0) return;
    for (int i = 0; i < kMoments && ::kill(-group, 0) == 0; ++i) pause_ns(5'000'000);
  }
}

Error refusal(const std::string& payload) {
  const Json json = Json::parse(payload, nullptr, false);
  if (!json.is_object()) return {ErrorKind::kFailure, "a refusal of a wrong form came"};
  const auto message = json.find("message");
  const auto request = json.find("request");
  return {request != json.end() && *request == true ? ErrorKind::kRequest : ErrorKind::kFailure,
          message != json.end() && message->is_string()
              ? printable_line(message->get_ref<const std::string&>().substr(0, kKeptErrorBytes))
              : "it was refused"};
}

}  // namespace

Connection::Connection(Address address, Abandoned abandoned, int most_silent_ms)
    : address_(std::move(address)),
      abandoned_(std::move(abandoned)),
      most_silent_waits_(most_silent_ms / kAskMs) {}

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, Abandoned abandoned,
                                                     int most_silent_ms) {
  std::unique_ptr<Connection> made(new Connection(address, std::move(abandoned), most_silent_ms));
  RINGSIDE_TRY(made->start());
  RINGSIDE_TRY(made->read_greeting());
  return made;
}

void Connection::abandon() { ::shutdown(socket_, SHUT_RDWR); }

Connection::~Connection() { (void)end_ssh(); }

Result<void> Connection::start() {
  std::string ssh = variable("RINGSIDE_SSH");
  if (ssh.empty()) {
    auto found = launch::find_on_path("ssh");
    if (!found)
      return bad_request(
          "there is no program ssh in PATH; install it (openssh-client) to use "
          "other machines");
    ssh = std::move(*found);
  }
  std::array<int, 2> both{-1, -1};
  std::array<int, 2> errors{-1, -1};
  if (!open_socket_pair(both))
    return failure(std::string("cannot make a pair of sockets: ") + std::strerror(errno));
  socket_ = both[0];
  if (!open_pipe(errors)) {
    ::close(both[1]);
    return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  errors_fd_ = errors[0];
  // The other end of the pipe, which ssh gets, is blocking, as ssh expects.
  ::fcntl(errors[0], F_SETFL, O_NONBLOCK);
  auto words = ssh_argv(ssh, address_, variable("RINGSIDE_REMOTE_PROGRAM"));
  ssh_ = spawn_group(words, {both[1], both[1], errors[1]});
  const int error = errno;
  ::close(both[1]);
  ::close(errors[1]);
  if (ssh_ < 0) return bad_request("cannot start " + ssh + ": " + std::strerror(error));
  return {};
}

Result<void> Connection::read_greeting() {
  const std::int64_t deadline_ns = mono_now_ns() + kGreetingNs;
  std::string heard;
  std::size_t at = heard.npos;
  while (at == heard.npos) {
    const bool late = mono_now_ns() > deadline_ns || heard.size() > kMostNoiseBytes;
    if (const auto waits = still_waits(late); !waits) return waits;
    const bool open = pull(heard);
    at = heard.find(kGreeting);
    if (at != heard.npos || open) continue;
    lost_ = true;
    const int code = end_ssh();
    return tl::unexpected<Error>(explain(address_, {code, errors_}));
  }
  reader_.push(std::string_view(heard).substr(at + kGreeting.size()));
  for (;;) {
    const auto hello = RINGSIDE_TRY(receive());
    if (hello) return take_hello(*hello);
    if (const auto waits = still_waits(mono_now_ns() > deadline_ns); !waits) return waits;
  }
}

Result<void> Connection::still_waits(bool late) {
  const bool left = abandoned_ && abandoned_();
  if (!left && !late) return {};
  lost_ = true;
  if (left) return failure("the request to the machine was cancelled");
  return failure(text_of(address_) + " was reached, but did not answer as ringside does; try ssh " +
                 ssh_words(address_) + " in a terminal");
}

Result<void> Connection::still_hears() {
  if (auto waits = still_waits(); !waits) return waits;
  if (silent_waits_ < most_silent_waits_) return {};
  return tl::unexpected<Error>(lost_contact(": it does not answer"));
}

Result<void> Connection::take_hello(const Frame& hello) {
  const Json json = Json::parse(hello.payload, nullptr, false);
  const bool whole = hello.kind == FrameKind::kHello && json.is_object() &&
                     json.contains("protocol") && json["protocol"].is_number_integer() &&
                     json.contains("version") && json["version"].is_string() &&
                     json.contains("host") && json["host"].is_string();
  if (!whole) return failure(text_of(address_) + " greets in a form that is not known here");
  const int protocol = json["protocol"].get<int>();
  if (protocol != kProtocol)
    return tl::unexpected<Error>(
        explain_version(address_, protocol, json["version"].get<std::string>()));
  return {};
}

Result<void> Connection::send(FrameKind kind, std::uint32_t ticket, const std::string& payload) {
  if (payload.size() > kMostPayloadBytes) return bad_request("this is too large to be sent");
  const std::string frame = encode(kind, ticket, payload);
  for (std::size_t done = 0; done < frame.size();) {
    constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
    const ssize_t put = ::send(socket_, frame.data() + done, frame.size() - done, kFlags);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      pollfd full{socket_, POLLOUT, 0};
      silent_waits_ = ::poll(&full, 1, kAskMs) == 0 ? silent_waits_ + 1 : 0;
      if (const auto hears = still_hears(); !hears) return hears;
      continue;
    }
    if (put < 0) return tl::unexpected<Error>(lost_contact());
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<std::optional<Frame>> Connection::receive() {
  for (bool waited = false;; waited = true) {
    auto frame = reader_.next();
    if (!frame) {
      lost_ = true;
      return pass(frame);
    }
    if (*frame || waited) return frame;
    std::string heard;
    if (!pull(heard)) return tl::unexpected<Error>(lost_contact());
    reader_.push(heard);
  }
}

bool Connection::pull(std::string& into) {
  std::array<pollfd, 2> polled{pollfd{socket_, POLLIN, 0}, pollfd{errors_fd_, POLLIN, 0}};
  const int ready = ::poll(polled.data(), polled.size(), kAskMs);
  if (ready < 0) return errno == EINTR;
  if (ready == 0) ++silent_waits_;
  if (polled[1].revents != 0) drain_errors();
  if (polled[0].revents == 0) return true;
  silent_waits_ = 0;
  std::array<char, kReplyBlockBytes> block{};
  const ssize_t got = ::read(socket_, block.data(), block.size());
  if (got < 0) return errno == EINTR;
  into.append(block.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void Connection::drain_errors() {
  std::array<char, kKeptErrorBytes> block{};
  for (;;) {
    const ssize_t got = ::read(errors_fd_, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // nothing more to read now
    if (got == 0) {
      ::close(errors_fd_);
      errors_fd_ = -1;
      return;
    }
    errors_.append(block.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kKeptErrorBytes) errors_.erase(0, errors_.size() - kKeptErrorBytes);
  }
}

Error Connection::lost_contact(const char* why) {
  lost_ = true;
  return {ErrorKind::kFailure, "lost contact with " + text_of(address_) + why};
}

int Connection::end_ssh() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  int status = 0;
  const std::int64_t deadline_ns = mono_now_ns() + kLeaveNs;
  while (ssh_ >= 0) {
    const pid_t got = ::waitpid(ssh_, &status, WNOHANG);
    if (got == ssh_ || (got < 0 && errno != EINTR)) break;
    if (mono_now_ns() > deadline_ns) {
      ::kill(-ssh_, SIGKILL);
      while (::waitpid(ssh_, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    if (errors_fd_ >= 0) drain_errors();
    pause_ns(5'000'000);
  }
  if (ssh_ >= 0) end_group(std::exchange(ssh_, -1));
  if (errors_fd_ >= 0) drain_errors();
  if (errors_fd_ >= 0) ::close(std::exchange(errors_fd_, -1));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<Json> Connection::ask(const FileQuestion& question,
                             const std::function<void(std::string_view)>& take) {
  const std::uint32_t ticket = ++ticket_;
  silent_waits_ = 0;
  RINGSIDE_TRY(send(FrameKind::kAsk, ticket, json_text(to_json(question))));
  std::size_t came_bytes = 0;
  for (;;) {
    const auto frame = RINGSIDE_TRY(receive());
    if (const auto hears = frame ? still_waits() : still_hears(); !hears) return pass(hears);
    if (!frame) continue;
    came_bytes += kFrameHeaderBytes + frame->payload.size();
    if (came_bytes > kMostAnswerBytes)
      return tl::unexpected<Error>(lost_contact(": it sends more than it was asked for"));
    if (frame->ticket != ticket) continue;
    if (frame->kind == FrameKind::kRefused) return tl::unexpected<Error>(refusal(frame->payload));
    if (frame->kind == FrameKind::kBytes && take) take(frame->payload);
    if (frame->kind != FrameKind::kDone) continue;
    Json answer = Json::parse(frame->payload, nullptr, false);
    if (answer.is_object()) return answer;
    lost_ = true;
    return failure(text_of(address_) + " answers in a form that is not known here");
  }
}

Result<int> Connection::run(const Command& command) {
  const std::uint32_t ticket = ++ticket_;
  silent_waits_ = 0;
  RINGSIDE_TRY(send(FrameKind::kAsk, ticket, json_text(to_json(command.what))));
  for (;;) {
    if (const int number = command.signal ? command.signal() : 0; number != 0) {
      const auto sent = send(FrameKind::kSignal, ticket, json_text({{"signal", number}}));
      if (!sent) return pass(sent);
    }
    const auto frame = RINGSIDE_TRY(receive());
    RINGSIDE_TRY(frame ? still_waits() : still_hears());
    if (!frame && silent_waits_ == (most_silent_waits_ + 2) / 3) {
      RINGSIDE_TRY(send(FrameKind::kAsk, ++ticket_, json_text(to_json(FileQuestion(AskAlive{})))));
    }
    if (!frame || frame->ticket != ticket) continue;
    const Frame& came = *frame;
    if (came.kind == FrameKind::kRefused) return tl::unexpected<Error>(refusal(came.payload));
    if (came.kind == FrameKind::kBytes) command.output(came.payload);
    if (came.kind == FrameKind::kErrors) command.errors(came.payload);
    if (came.kind != FrameKind::kDone) continue;
    const Json answer = Json::parse(came.payload, nullptr, false);
    const Json exit = answer.is_object() ? answer.value("exit", Json()) : Json();
    const std::int64_t code = exit.is_number_integer() ? exit.get<std::int64_t>() : -1;
    // Exit codes have eight bits: 256 would become 0.
    if (code >= 0 && code <= 255) return static_cast<int>(code);
    return failure(text_of(address_) + " answers in a form that is not known here");
  }
}

}  // namespace ringside::remote
