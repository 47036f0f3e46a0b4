// The near end: the system's ssh as a child, and questions to the helper that it starts. Closes
// with the object; nothing is left behind on either machine. Used by one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/remote/address.h"
#include "gui/remote/frame.h"
#include "gui/remote/questions.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Asked now and then by whoever waits; true: nobody wants the answer any more.
using Abandoned = std::function<bool()>;

class Connection {
 public:
  /// Whoever was asked and says nothing for so long is lost. Longer than ssh itself waits for a
  /// network that is dead (ssh_argv), which knows better what is wrong, and than a cold file system
  /// may take to list many runs.
  static constexpr int kMostSilentMs = 60'000;

  /// Starts ssh (RINGSIDE_SSH, else that of the PATH) and waits for the greeting. Fails with one
  /// sentence that says what is wrong and what to do. `abandoned` ends every later wait, too.
  static Result<std::unique_ptr<Connection>> open(const Address& address, Abandoned abandoned = {},
                                                  int most_silent_ms = kMostSilentMs);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// One question and its answer; `take` gets the bytes that come before it. A refusal is passed
  /// on as it came.
  Result<nlohmann::json> ask(const FileQuestion& question,
                             const std::function<void(std::string_view)>& take = {});

  struct Command {
    Question what;                                 ///< no question about files
    std::function<void(std::string_view)> output;  ///< what it prints
    std::function<void(std::string_view)> errors;  ///< and to standard error
    std::function<int()> signal;  ///< to be passed on now; 0: none. Asked ten times a second
  };
  /// Has it done by `ringside` there; its exit code. However long the command itself is silent, the
  /// helper is asked meanwhile whether it lives.
  Result<int> run(const Command& command);

  /// Gives up, from any thread: whatever waits for the machine fails soon.
  void abandon();
  /// Whether, after a failure, the machine cannot be heard any more, as against an answer that was
  /// a refusal.
  bool lost() const { return lost_; }

 private:
  Connection(Address address, Abandoned abandoned, int most_silent_ms);
  Result<void> start();
  Result<void> read_greeting();
  /// Fails when nobody does, or it is late.
  Result<void> still_waits(bool late = false);
  /// While an answer is due: fails, too, when nothing at all has come for too long.
  Result<void> still_hears();
  Result<void> take_hello(const Frame& hello);
  Result<void> send(FrameKind kind, std::uint32_t ticket, const std::string& payload);
  /// The next frame. Nothing: none came within a tenth of a second.
  Result<std::optional<Frame>> receive();
  /// Reads what comes within that time; false when nothing more will come.
  bool pull(std::string& into);
  void drain_errors();
  Error lost_contact(const char* why = "");
  int end_ssh();

  Address address_;
  Abandoned abandoned_;
  pid_t ssh_ = -1;
  int socket_ = -1;     ///< its standard input and output
  int errors_fd_ = -1;  ///< its standard error
  std::string errors_;  ///< the end of what came there
  FrameReader reader_;
  std::uint32_t ticket_ = 0;
  // Counted in waits, not by the clock: time that this program itself was stopped is nobody's
  // silence.
  int most_silent_waits_;
  int silent_waits_ = 0;
  bool lost_ = false;
};

}  // namespace ringside::remote
