// The devices of an agent's runs: queues with one ticket for all that the runs need, waits for its
// turn, and publishes which processes use them. Releases them when destroyed. Used by the agent's
// loop only; after take() no function blocks for longer than a few milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/host/device_queue.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

/// All devices that some run needs. The runs are executed one after the other.
class WantedDevices {
 public:
  void add(const SpawnPlan& plan);
  const DeviceWants& wants() const { return wants_; }

 private:
  DeviceWants wants_;
};

class DeviceTurn {
 public:
  /// `run` is the one that was requested; `when_busy` is devices.when_busy. A bad request when that
  /// is "refuse" and some of the devices are in use. If no ticket can be written (no state folder,
  /// a full disk), the runs start without one, and problem() says why.
  static Result<DeviceTurn> take(const RunId& run, const std::string& when_busy,
                                 const DeviceWants& wants, const NodeResources& resources,
                                 const Clock& clock);

  /// A turn without a ticket: another agent holds a ticket for these devices.
  static DeviceTurn held_by_another(const NodeResources& resources, const Clock& clock) {
    return {resources, clock};
  }

  /// A turn that waits and joins the queue only when join() is called.
  static DeviceTurn later(const RunId& run, const DeviceWants& wants,
                          const NodeResources& resources, const Clock& clock);
  /// Queues a turn that was created by later(). Further calls have no effect.
  void join();
  bool waits_to_join() const { return pending_.has_value(); }
  /// Returns to the state after later(): the devices and the place in the queue are released.
  void give_back();

  /// This agent has the devices.
  bool come() const { return !pending_ && (!queue_ || queue_->ticket().running); }
  /// Checks the queue. True when come() or waiting_for() has changed.
  bool poll();
  /// "behind run ... on GPU 0, since ..."; empty when this agent has the devices.
  const std::string& waiting_for() const { return waiting_for_; }
  const std::string& problem() const { return problem_; }
  void report(const RunId& run, const std::vector<std::int64_t>& rank_pids);

 private:
  DeviceTurn(const NodeResources& resources, const Clock& clock)
      : resources_(&resources), clock_(&clock) {}

  const NodeResources* resources_;
  const Clock* clock_;
  std::optional<DeviceTicket> pending_;  // set until it is queued
  std::optional<DeviceQueue> queue_;
  std::string waiting_for_;
  std::string problem_;
};

}  // namespace ringside::agent
