#include "trainer/agent/device_turn.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ringside::agent {
namespace {

std::string gpu_name(const NodeResources& resources, const std::string& uuid) {
  for (const probe::GpuInfo& gpu : resources.gpus) {
    if (gpu.uuid == uuid) return "GPU " + std::to_string(gpu.index);
  }
  return uuid;
}

}  // namespace

void WantedDevices::add(const SpawnPlan& plan) {
  if (!plan.cuda) {
    wants_.cpu_slots = std::max(wants_.cpu_slots, plan.host_ranks);
    return;
  }
  auto& known = wants_.gpus;
  for (const std::string& uuid : plan.host_gpus) {
    if (std::find(known.begin(), known.end(), uuid) == known.end()) known.push_back(uuid);
  }
}

Result<DeviceTurn> DeviceTurn::take(const RunId& run, const std::string& when_busy,
                                    const DeviceWants& wants, const NodeResources& resources,
                                    const Clock& clock) {
  DeviceTurn turn = later(run, wants, resources, clock);
  turn.join();
  if (when_busy == "share" && turn.queue_) {
    turn.queue_->share(clock.wall_ns());
    return turn;
  }
  turn.poll();
  // No run is named while another agent holds the lock of the queue; the next poll then gets the
  // devices.
  if (when_busy == "refuse" && !turn.waiting_for_.empty()) {
    return bad_request(
        "the devices are busy, and devices.when_busy = \"refuse\": this run would "
        "wait " +
        turn.waiting_for_ + "; leave that out, and it waits its turn");
  }
  return turn;
}

DeviceTurn DeviceTurn::later(const RunId& run, const DeviceWants& wants,
                             const NodeResources& resources, const Clock& clock) {
  DeviceTurn turn(resources, clock);
  turn.pending_.emplace();
  turn.pending_->run = run;
  turn.pending_->agent_pid = ::getpid();
  turn.pending_->wants = wants;
  return turn;
}

void DeviceTurn::join() {
  if (!pending_) return;
  DeviceTicket ticket = *std::exchange(pending_, {});
  ticket.since_wall_ns = clock_->wall_ns();
  const auto folder = device_queue_folder();
  auto joined = folder ? DeviceQueue::join(*folder, std::move(ticket), resources_->cores)
                       : Result<DeviceQueue>(pass(folder));
  if (joined) {
    queue_.emplace(std::move(*joined));
  } else {
    problem_ = joined.error().message;
  }
}

void DeviceTurn::give_back() {
  if (!queue_) return;
  pending_ = queue_->ticket();
  pending_->running = false;
  queue_.reset();
  waiting_for_.clear();
}

bool DeviceTurn::poll() {
  if (come() || !queue_) return false;
  const auto ahead = queue_->ask(clock_->wall_ns());
  std::string now =
      come() ? std::string()
             : describe_wait(queue_->ticket().wants, ahead, [this](const std::string& uuid) {
                 return gpu_name(*resources_, uuid);
               });
  // Another agent holds the lock of the queue: keep the last answer.
  if (!come() && ahead.empty()) return false;
  const bool changed = come() || now != waiting_for_;
  waiting_for_ = std::move(now);
  return changed;
}

void DeviceTurn::report(const RunId& run, const std::vector<std::int64_t>& rank_pids) {
  if (queue_) queue_->report(run, rank_pids);
}

}  // namespace ringside::agent
