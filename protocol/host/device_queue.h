// Queues the runs of one user for the devices of this host. A run that needs devices holds a
// ticket: a small file that its agent keeps locked (flock) from joining until the end of its last
// run, so that the kernel releases it however the agent ends. DEVICES.md in this folder describes
// the files. A DeviceQueue is used by one thread; the free functions by any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside {

struct DeviceWants {
  std::vector<std::string> gpus;  ///< UUIDs; each GPU runs one run at a time
  std::int64_t cpu_slots = 0;     ///< one per rank on the CPU
};

struct DeviceTicket {
  std::uint64_t number = 0;  ///< position in the queue
  RunId run;                 ///< the current run, or the one that was requested while waiting
  std::int32_t agent_pid = 0;
  std::vector<std::int64_t> rank_pids;  ///< of `run`; empty while the ticket waits
  DeviceWants wants;
  bool running = false;            ///< it has its devices
  std::int64_t since_wall_ns = 0;  ///< when it joined, or when it got its devices
};

/// The tickets of `all` that `mine` must wait for: those that hold devices it needs, and earlier
/// ones that wait for some of them. Empty when it is first. `cpu_slots` is the number of slots of
/// the host; a run that wants more gets all of them.
std::vector<DeviceTicket> ahead_of(const DeviceTicket& mine, std::span<const DeviceTicket> all,
                                   std::int64_t cpu_slots);

/// "behind run ID (rank pids 4713, 4714) on GPU 0, since 2026-11-21 13:40:05", and for a stopped
/// agent how to continue it. `gpu_name` turns a UUID into "GPU 0". Times are local.
using GpuName = std::function<std::string(const std::string& uuid)>;
std::string describe_wait(const DeviceWants& wants, std::span<const DeviceTicket> ahead,
                          const GpuName& gpu_name);

std::string ticket_text(const DeviceTicket& ticket);
/// Empty when `text` is not a ticket. Keys of later versions are ignored.
std::optional<DeviceTicket> parse_ticket(std::string_view text);

/// $XDG_STATE_HOME/ringside/devices/HOST, else under ~/.local/state.
Result<std::filesystem::path> device_queue_folder();

/// The tickets whose agents are alive, in queue order; empty when the folder does not exist. Never
/// blocks.
std::vector<DeviceTicket> living_tickets(const std::filesystem::path& folder);

class DeviceQueue {
 public:
  /// Adds a ticket at the end of the queue and fills in `ticket.number`. Tickets whose agents have
  /// ended are removed. Fails when the folder cannot be written.
  static Result<DeviceQueue> join(const std::filesystem::path& folder, DeviceTicket ticket,
                                  std::int64_t cpu_slots);
  DeviceQueue(DeviceQueue&& other) noexcept;
  DeviceQueue& operator=(DeviceQueue&&) = delete;
  DeviceQueue(const DeviceQueue&) = delete;
  /// Releases the devices and the ticket.
  ~DeviceQueue();

  /// Takes the devices if this ticket is first; otherwise returns the tickets ahead. Never blocks
  /// for long: while another agent holds the lock, it returns the result of the last call or of
  /// join().
  std::vector<DeviceTicket> ask(std::int64_t wall_ns);
  /// Takes the devices even when other tickets are ahead.
  void share(std::int64_t wall_ns);
  /// Publishes the current run and its ranks, for those that wait.
  void report(const RunId& run, std::vector<std::int64_t> rank_pids);

  const DeviceTicket& ticket() const { return ticket_; }

 private:
  DeviceQueue(std::filesystem::path folder, DeviceTicket ticket, std::int64_t cpu_slots)
      : folder_(std::move(folder)), ticket_(std::move(ticket)), cpu_slots_(cpu_slots) {}
  Result<void> write();

  std::filesystem::path folder_;
  DeviceTicket ticket_;
  std::int64_t cpu_slots_;
  std::vector<DeviceTicket> ahead_;  // result of the last poll
  int fd_ = -1;                      // the ticket's file, locked
};

}  // namespace ringside
