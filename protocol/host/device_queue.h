// Orders the runs of one user that want devices of this host. An experiment that wants devices
// holds a ticket: a small file that its agent keeps locked (flock) from its arrival to the end of
// its last run, so that the kernel releases it however the agent ends. DEVICES.md
// in this folder describes the files. A DeviceQueue is used by one thread; the functions by any.
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
  std::vector<std::string> gpus;  ///< UUIDs; one experiment at a time on each
  std::int64_t cpu_slots = 0;     ///< one per rank on the CPU
};

struct DeviceTicket {
  std::uint64_t number = 0;  ///< in order of arrival
  RunId run;                 ///< running now, else the one that was requested
  std::int32_t agent_pid = 0;
  std::vector<std::int64_t> rank_pids;  ///< of `run`; empty while it waits
  DeviceWants wants;
  bool running = false;            ///< it has what it wants
  std::int64_t since_wall_ns = 0;  ///< of its arrival, or since it has its devices
};

/// The tickets of `all` that `mine` has to wait for: those that hold some of the devices it wants,
/// and earlier ones that wait for some of them. Empty if its turn has come. `cpu_slots` are those
/// of the host; a run that wants more gets all of them.
std::vector<DeviceTicket> ahead_of(const DeviceTicket& mine, std::span<const DeviceTicket> all,
                                   std::int64_t cpu_slots);

/// "behind run ID (rank pids 4713, 4714) on GPU 0, since 2026-11-21 13:40:05", and how an agent
/// that is stopped now goes on. `gpu_name` makes "GPU 0" of a UUID. Local time.
using GpuName = std::function<std::string(const std::string& uuid)>;
std::string describe_wait(const DeviceWants& wants, std::span<const DeviceTicket> ahead,
                          const GpuName& gpu_name);

std::string ticket_text(const DeviceTicket& ticket);
/// Nothing for a text that is not a ticket. Keys of later versions are ignored.
std::optional<DeviceTicket> parse_ticket(std::string_view text);

/// $XDG_STATE_HOME/ringside/devices/HOST, else under ~/.local/state.
Result<std::filesystem::path> device_queue_folder();

/// The tickets whose agents live, in order of arrival; none where there is no such folder. Never
/// blocks.
std::vector<DeviceTicket> living_tickets(const std::filesystem::path& folder);

class DeviceQueue {
 public:
  /// Queues a ticket at the end; `ticket.number` is filled in. Tickets of agents that have ended
  /// are removed. Fails when the folder cannot be written.
  static Result<DeviceQueue> join(const std::filesystem::path& folder, DeviceTicket ticket,
                                  std::int64_t cpu_slots);
  DeviceQueue(DeviceQueue&& other) noexcept;
  DeviceQueue& operator=(DeviceQueue&&) = delete;
  DeviceQueue(const DeviceQueue&) = delete;
  /// Releases the devices and the ticket.
  ~DeviceQueue();

  /// Takes the devices when its turn has come, and returns the tickets ahead otherwise. Never
  /// blocks for long: while another agent holds the lock, the answer is that of the last call or
  /// of join().
  std::vector<DeviceTicket> ask(std::int64_t wall_ns);
  /// Takes them even when others are ahead.
  void share(std::int64_t wall_ns);
  /// Publishes which run and ranks are running now, for those that wait.
  void report(const RunId& run, std::vector<std::int64_t> rank_pids);

  const DeviceTicket& ticket() const { return ticket_; }

 private:
  DeviceQueue(std::filesystem::path folder, DeviceTicket ticket, std::int64_t cpu_slots)
      : folder_(std::move(folder)), ticket_(std::move(ticket)), cpu_slots_(cpu_slots) {}
  Result<void> write();

  std::filesystem::path folder_;
  DeviceTicket ticket_;
  std::int64_t cpu_slots_;
  std::vector<DeviceTicket> ahead_;  // of the last look
  int fd_ = -1;                      // of the ticket's file, locked
};

}  // namespace ringside
