// The signals that end a command in order, as facts that its work asks for. Main thread; the
// handlers only set what is asked for, so any thread may ask.
#pragma once

#include <string_view>

#include "protocol/base/result.h"

namespace ringside::cli {

/// Counts SIGINT and SIGTERM, and notices SIGHUP and SIGQUIT. From its making on, for the rest of
/// the process; a SIGHUP that was ignored (nohup) stays ignored.
class Interrupts {
 public:
  Interrupts();
  /// Counts signals that come within a second as one from now on: Slurm ends a step with several.
  void merge_bursts() const;
  /// SIGINT and SIGTERM: a command that stays with a run stops it.
  int count() const;
  /// SIGHUP or SIGQUIT came: this program leaves, a run goes on. A terminal that closes ends none.
  bool leaving() const;
  /// Any of the four.
  bool any() const { return count() > 0 || leaving(); }
  int last_signal() const;  ///< 0: none came
  /// What a program that a signal has ended returns: 128 + the last one.
  int exit_code() const { return 128 + last_signal(); }
};

inline constexpr std::string_view kNothingStarted = "nothing was started";

/// Says what did not happen ("nothing was exported"); the exit code of a command that gave up.
int gave_up(const Interrupts& interrupts, std::string_view what);
/// Work that asks for signals on its way has not been done: that it was given up, where one came,
/// else its error. The exit code of that.
int not_done(const Interrupts& interrupts, const Error& error, std::string_view what);

}  // namespace ringside::cli
