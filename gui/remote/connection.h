// The local end of a connection: the system's ssh as a child process, and questions to the helper
// that it starts. The destructor closes it; nothing is left running on either machine. Used by one
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "gui/remote/address.h"
#include "gui/remote/frame.h"
#include "gui/remote/questions.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Polled while waiting; true: nobody wants the answer any more.
using Abandoned = std::function<bool()>;

class Connection {
 public:
  /// After this silence a machine that was asked counts as lost. The time is longer than ssh itself
  /// waits for a dead network (ssh_argv), because ssh has the better error message, and than a cold
  /// file system may take to list many runs.
  static constexpr int kMostSilentMs = 60'000;

  /// Starts ssh (RINGSIDE_SSH, or else the one in PATH) and waits for the greeting. The error is
  /// one sentence that says what is wrong and what to do. `abandoned` ends every later wait, too.
  static Result<std::unique_ptr<Connection>> open(const Address& address, Abandoned abandoned = {},
                                                  int most_silent_ms = kMostSilentMs);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends one question and returns its answer; `take` gets the bytes that come before it. A
  /// refusal is returned as the error.
  Result<nlohmann::json> ask(const FileQuestion& question,
                             const std::function<void(std::string_view)>& take = {});

  struct Command {
    Question what;                                 ///< must not be a question about files
    std::function<void(std::string_view)> output;  ///< called with its standard output
    std::function<void(std::string_view)> errors;  ///< called with its standard error
    std::function<int()> signal;  ///< signal to pass on now; 0: none. Polled ten times a second
  };
  /// Runs a command with `ringside` on the other machine and returns its exit code. While the
  /// command is silent, the helper is asked whether it is alive.
  Result<int> run(const Command& command);

  /// Ends every wait for the machine soon, with an error. Any thread.
  void abandon();
  /// After an error: whether the machine can no longer be reached. False: the machine answered with
  /// a refusal.
  bool lost() const { return lost_; }

 private:
  Connection(Address address, Abandoned abandoned, int most_silent_ms);
  Result<void> start();
  Result<void> read_greeting();
  /// Fails if the wait was abandoned or its time is over.
  Result<void> still_waits(bool late = false);
  /// Fails, while an answer is due, also if nothing at all has come for too long.
  Result<void> still_hears();
  Result<void> take_hello(const Frame& hello);
  Result<void> send(FrameKind kind, std::uint32_t ticket, const std::string& payload);
  /// The next frame; nothing if none came within a tenth of a second.
  Result<std::optional<Frame>> receive();
  /// Reads what arrives within that time; false if nothing more will come.
  bool pull(std::string& into);
  void drain_errors();
  Error lost_contact(const char* why = "");
  int end_ssh();

  Address address_;
  Abandoned abandoned_;
  pid_t ssh_ = -1;
  int socket_ = -1;     ///< its standard input and output
  int errors_fd_ = -1;  ///< its standard error
  std::string errors_;  ///< the last part of its standard error
  FrameReader reader_;
  std::uint32_t ticket_ = 0;
  // Counted in waits, not by the clock, so that time in which this program itself was stopped does
  // not count as silence.
  int most_silent_waits_;
  int silent_waits_ = 0;
  bool lost_ = false;
};

}  // namespace ringside::remote
