#include "gui/remote/serve.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gui/place/run_place.h"
#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "gui/remote/json_text.h"
#include "gui/remote/questions.h"
#include "gui/remote/remote_process.h"
#include "gui/remote/served_files.h"
#include "protocol/host/host.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::remote {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kRequestBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kMostCommands = 16;

/// Asks Slurm for the state of its jobs on a thread of its own, since squeue may hang while other
/// questions are to be answered.
class QueueWatch {
 public:
  QueueWatch() = default;
  ~QueueWatch() {
    leaving_ = true;
    if (thread_.joinable()) thread_.join();
  }
  QueueWatch(const QueueWatch&) = delete;
  QueueWatch& operator=(const QueueWatch&) = delete;

  void look(const std::filesystem::path& runs_dir) {
    if (busy_.exchange(true)) return;
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this, runs_dir] {
      place::refresh(runs_dir, [this] { return leaving_.load(); });
      busy_ = false;
    });
  }

 private:
  std::atomic<bool> busy_{false};
  std::atomic<bool> leaving_{false};
  std::thread thread_;
};

class Server {
 public:
  Server(int in, int out, std::string program) : in_(in), out_(out), program_(std::move(program)) {}

  int run() {
    put(std::string(kGreeting));
    send(
        FrameKind::kHello, 0,
        json_text({{"protocol", kProtocol}, {"version", RINGSIDE_VERSION}, {"host", host_name()}}));
    while (open_ && wait()) {
    }
    return good_ ? 0 : 1;
  }

 private:
  void put(std::string_view bytes) {
    while (!bytes.empty() && open_) {
      const ssize_t done = ::write(out_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return end_badly();
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  void send(FrameKind kind, std::uint32_t ticket, std::string_view payload) {
    put(encode(kind, ticket, payload));
  }

  void refuse(std::uint32_t ticket, const Error& error) {
    send(FrameKind::kRefused, ticket,
         json_text({{"message", error.message}, {"request", error.kind == ErrorKind::kRequest}}));
  }

  void end_badly() {
    open_ = false;
    good_ = false;
  }

  /// Waits for input or output and passes it on; false if it cannot wait.
  bool wait() {
    std::vector<pollfd> polled{{in_, POLLIN, 0}};
    for (const auto& [ticket, command] : commands_) {
      polled.push_back({command.output(), POLLIN, 0});
      polled.push_back({command.errors(), POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) return errno == EINTR;
    std::size_t at = 1;
    for (auto command = commands_.begin(); command != commands_.end(); at += 2) {
      const bool over = pass_on(command->first, command->second, polled[at].revents != 0,
                                polled[at + 1].revents != 0);
      command = over ? commands_.erase(command) : std::next(command);
    }
    if (polled[0].revents != 0) listen();
    return true;
  }

  bool pass_on(std::uint32_t ticket, RemoteProcess& command, bool output, bool errors) {
    if (output) {
      if (const std::string text = command.take_output(); !text.empty())
        send(FrameKind::kBytes, ticket, text);
    }
    if (errors) {
      if (const std::string text = command.take_errors(); !text.empty())
        send(FrameKind::kErrors, ticket, text);
    }
    const auto code = command.ended();
    if (code) send(FrameKind::kDone, ticket, json_text({{"exit", *code}}));
    return code.has_value();
  }

  void listen() {
    std::array<char, kRequestBlockBytes> block{};
    const ssize_t got = ::read(in_, block.data(), block.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      open_ = false;
      return;
    }
    reader_.push({block.data(), static_cast<std::size_t>(got)});
    while (open_) {
      auto frame = reader_.next();
      if (!frame) return end_badly();
      if (!*frame) return;
      take(**frame);
    }
  }

  void take(const Frame& frame) {
    const Json asked = Json::parse(frame.payload, nullptr, false);
    if (!asked.is_object()) return end_badly();
    if (frame.kind == FrameKind::kSignal) return pass_signal(frame.ticket, asked);
    if (frame.kind != FrameKind::kAsk) return end_badly();
    const auto question = parse_question(asked);
    // Each group of questions must have an overload here, or this does not compile.
    if (question)
      return std::visit([&](const auto& group) { answer(frame.ticket, group); }, *question);
    if (asked.contains("do") && asked["do"] == kTyped) return end_badly();
    refuse(frame.ticket, question.error());
  }

  void answer(std::uint32_t ticket, const FileQuestion& asked) {
    // The reply has the last known state of the queue and does not wait for squeue.
    if (const auto* queue = std::get_if<AskQueue>(&asked)) {
      const auto runs_dir = runlog::choose_runs_dir(queue->runs_dir);
      if (runs_dir) queue_.look(*runs_dir);
    }
    const auto found = answer_about_files(
        asked, [&](std::string_view bytes) { send(FrameKind::kBytes, ticket, bytes); });
    if (!found) return refuse(ticket, found.error());
    const std::string text = json_text(*found);
    if (text.size() <= kMostPayloadBytes) return send(FrameKind::kDone, ticket, text);
    refuse(ticket, {ErrorKind::kFailure, "there is too much to list"});
  }

  void answer(std::uint32_t ticket, const RemoteAction& act) { answer(ticket, command_of(act)); }

  void answer(std::uint32_t ticket, const RemoteCommandLine& asked) {
    if (asked.words.empty() || commands_.count(ticket) > 0 || commands_.size() >= kMostCommands ||
        asked.input.size() > kMostInputBytes)
      return refuse(ticket, {ErrorKind::kRequest, "this command cannot be taken"});
    auto command = RemoteProcess::start(program_, asked.words, asked.input);
    if (!command) return refuse(ticket, command.error());
    commands_.emplace(ticket, std::move(*command));
  }

  void pass_signal(std::uint32_t ticket, const Json& asked) {
    const auto command = commands_.find(ticket);
    const auto number = asked.find("signal");
    if (command == commands_.end() || number == asked.end() || !number->is_number_integer()) return;
    for (const int allowed : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
      if (*number == allowed) command->second.signal(allowed);
  }

  int in_;
  int out_;
  std::string program_;
  FrameReader reader_;
  std::map<std::uint32_t, RemoteProcess> commands_;
  QueueWatch queue_;
  bool open_ = true;
  bool good_ = true;
};

}  // namespace

int serve(int in, int out, const std::string& program) {
  // SIGPIPE is ignored: a closed connection shows as an error of writing the answer.
  ::signal(SIGPIPE, SIG_IGN);
  return Server(in, out, program).run();
}

}  // namespace ringside::remote
