// The signals that end a command gracefully, for its work to poll. Main thread; the handlers only
// set what is read, so any thread may poll.
#pragma once

#include <string_view>

#include "protocol/base/result.h"

namespace ringside::cli {

/// Counts SIGINT and SIGTERM, and notices SIGHUP and SIGQUIT, from its construction until the
/// process ends; a SIGHUP that was ignored (nohup) stays ignored.
class Interrupts {
 public:
  Interrupts();
  /// From now on, signals within a second count as one: Slurm sends several to end a step.
  void merge_bursts() const;
  /// Number of SIGINT and SIGTERM, with which a command that follows a run stops it.
  int count() const;
  /// Whether SIGHUP or SIGQUIT came: this program exits, but a run goes on, as when a terminal is
  /// closed.
  bool leaving() const;
  /// Whether any of the four came.
  bool any() const { return count() > 0 || leaving(); }
  int last_signal() const;  ///< 0: none
  /// Exit code of a program ended by a signal: 128 + the last one.
  int exit_code() const { return 128 + last_signal(); }
};

inline constexpr std::string_view kNothingStarted = "nothing was started";

/// Prints what did not happen ("nothing was exported"); returns the exit code of a cancelled
/// command.
int gave_up(const Interrupts& interrupts, std::string_view what);
/// Reports work that failed: that it was cancelled if a signal came, or else its error. Returns the
/// exit code.
int not_done(const Interrupts& interrupts, const Error& error, std::string_view what);

}  // namespace ringside::cli
