// The devices of an agent's experiment: queues with a ticket for all that its runs want, waits for
// its turn, and publishes which processes use them. Releases them when destroyed. Used by the
// agent's loop only; nothing here blocks for longer than a few milliseconds once it is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/host/device_queue.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

/// What all of these runs want at one time or another. They compute one after the other.
class WantedDevices {
 public:
  void add(const SpawnPlan& plan);
  const DeviceWants& wants() const { return wants_; }

 private:
  DeviceWants wants_;
};

class DeviceTurn {
 public:
  /// `run`: the one that was asked for; `when_busy`: devices.when_busy. A bad request when that
  /// is "refuse" and some of the devices are in use. Where no ticket can be written (no state
  /// folder, a full disk) the runs start without one, and problem() says why.
  static Result<DeviceTurn> take(const RunId& run, const std::string& when_busy,
                                 const DeviceWants& wants, const NodeResources& resources,
                                 const Clock& clock);

  /// A turn without a ticket: whoever has one holds these devices for us.
  static DeviceTurn held_by_another(const NodeResources& resources, const Clock& clock) {
    return {resources, clock};
  }

  /// Waits, but joins the queue no sooner than join() says.
  static DeviceTurn later(const RunId& run, const DeviceWants& wants,
                          const NodeResources& resources, const Clock& clock);
  /// Queues up a turn that was made for later. Once; further calls change nothing.
  void join();
  bool waits_to_join() const { return pending_.has_value(); }
  /// Back to what later() made: the devices and the place are given up.
  void give_back();

  /// The devices are ours now.
  bool come() const { return !pending_ && (!queue_ || queue_->ticket().running); }
  /// Checks whether our turn has come. True when come() or waiting_for() has changed.
  bool poll();
  /// "behind run ... on GPU 0, since ..."; empty when the turn has come.
  const std::string& waiting_for() const { return waiting_for_; }
  const std::string& problem() const { return problem_; }
  void report(const RunId& run, const std::vector<std::int64_t>& rank_pids);

 private:
  DeviceTurn(const NodeResources& resources, const Clock& clock)
      : resources_(&resources), clock_(&clock) {}

  const NodeResources* resources_;
  const Clock* clock_;
  std::optional<DeviceTicket> pending_;  // until it is queued
  std::optional<DeviceQueue> queue_;
  std::string waiting_for_;
  std::string problem_;
};

}  // namespace ringside::agent
