// The devices of an agent's experiment: takes a ticket for all that its runs want, waits until its
// turn has come, and tells others who computes on them. Gives them back when destroyed. Used by the
// agent's loop only; nothing here blocks for longer than a few milliseconds once it is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/runlog/device_queue.h"
#include "trainer/agent/plan.h"

namespace ringside::agent {

/// What all of these runs want at one time or another. They compute one after the other.
class WantedDevices {
 public:
  void add(const Plan& plan, const Machine& machine);
  const runlog::DeviceWants& wants() const { return wants_; }

 private:
  runlog::DeviceWants wants_;
};

class DeviceTurn {
 public:
  /// `run`: the one that was asked for; `when_busy`: devices.when_busy. A bad request when that
  /// says refuse and somebody has some of the devices. Where no ticket can be had (no state folder,
  /// a full disk) the runs go on without one, and problem() says why.
  static Result<DeviceTurn> take(const RunId& run, const std::string& when_busy,
                                 const runlog::DeviceWants& wants, const Machine& machine,
                                 const Clock& clock);

  /// The devices are ours.
  bool come() const { return !queue_ || queue_->ticket().running; }
  /// Looks whether our turn has come. True when come() or waiting_for() has changed.
  bool look();
  /// "behind run ... on GPU 0, since ..."; empty when the turn has come.
  const std::string& waiting_for() const { return waiting_for_; }
  const std::string& problem() const { return problem_; }
  void tell(const RunId& run, const std::vector<std::int64_t>& rank_pids);

 private:
  DeviceTurn(const Machine& machine, const Clock& clock) : machine_(&machine), clock_(&clock) {}

  const Machine* machine_;
  const Clock* clock_;
  std::optional<runlog::DeviceQueue> queue_;
  std::string waiting_for_;
  std::string problem_;
};

}  // namespace ringside::agent
