// Tests the tickets: which run waits for which, their text, and that they are released when an
// agent ends.
#include "protocol/host/device_queue.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

DeviceTicket gpu_ticket(std::uint64_t number, std::vector<std::string> gpus, bool running) {
  DeviceTicket ticket;
  ticket.number = number;
  ticket.run = "run-" + std::to_string(number);
  static int unnumbered = 0;
  if (number == 0) ticket.run += "-" + std::to_string(unnumbered++);
  ticket.wants.gpus = std::move(gpus);
  ticket.running = running;
  return ticket;
}

DeviceTicket cpu_ticket(std::uint64_t number, std::int64_t slots, bool running) {
  DeviceTicket ticket = gpu_ticket(number, {}, running);
  ticket.wants.cpu_slots = slots;
  return ticket;
}

std::vector<std::uint64_t> numbers(const std::vector<DeviceTicket>& tickets) {
  std::vector<std::uint64_t> list;
  for (const auto& ticket : tickets) list.push_back(ticket.number);
  return list;
}

using Numbers = std::vector<std::uint64_t>;

std::string same_name(const std::string& uuid) { return uuid; }

// A child process that joins, reports it, and holds its ticket until it is killed.
pid_t holder(const std::filesystem::path& folder, DeviceTicket ticket, const char* name = "child") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::prctl(PR_SET_NAME, name);
    ticket.agent_pid = ::getpid();
    auto queue = DeviceQueue::join(folder, std::move(ticket), 2);
    if (queue) queue->ask(1);
    const char said = queue ? 'y' : 'n';
    (void)!::write(ends[1], &said, 1);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char said = 0;
  REQUIRE(::read(ends[0], &said, 1) == 1);
  ::close(ends[0]);
  REQUIRE(said == 'y');
  return pid;
}

void kill_now(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

TEST_CASE("all agents of one run on a host have the queue position of the first") {
  std::vector<DeviceTicket> all{gpu_ticket(1, {"a"}, true), gpu_ticket(2, {"a", "b"}, false),
                                gpu_ticket(3, {"b"}, false)};
  CHECK(numbers(ahead_of(all[2], all, 2)) == Numbers{2});
  all[2].run = all[0].run;
  CHECK(numbers(ahead_of(all[2], all, 2)) == Numbers{});
  CHECK(numbers(ahead_of(all[1], all, 2)) == Numbers{1});
}

TEST_CASE("a GPU is used by one run at a time, and runs on other GPUs do not wait for it") {
  const std::vector<DeviceTicket> all{gpu_ticket(1, {"A", "B"}, true), gpu_ticket(2, {"B"}, false),
                                      gpu_ticket(3, {"C"}, false),
                                      gpu_ticket(4, {"B", "C"}, false)};
  CHECK(numbers(ahead_of(all[0], all, 2)) == Numbers{});
  CHECK(numbers(ahead_of(all[1], all, 2)) == Numbers{1});
  CHECK(numbers(ahead_of(all[2], all, 2)) == Numbers{});
  CHECK(numbers(ahead_of(all[3], all, 2)) == Numbers{1, 2, 3});
}

TEST_CASE(
    "earlier tickets for the same device are not overtaken, and running ones are waited for") {
  // Ticket 1 shares nothing with 2, which is running; 3 is later than 1 and needs what 1 waits for.
  const std::vector<DeviceTicket> all{gpu_ticket(1, {"A"}, false), gpu_ticket(2, {"B"}, true),
                                      gpu_ticket(3, {"A"}, false)};
  CHECK(numbers(ahead_of(all[0], all, 2)) == Numbers{});
  CHECK(numbers(ahead_of(all[2], all, 2)) == Numbers{1});
  // The first has a smaller number, but the other is running.
  const std::vector<DeviceTicket> late{gpu_ticket(1, {"A"}, false), gpu_ticket(2, {"A"}, true)};
  CHECK(numbers(ahead_of(late[0], late, 2)) == Numbers{2});
}

TEST_CASE("CPU runs start in order of arrival while there are free slots") {
  const std::vector<DeviceTicket> all{cpu_ticket(1, 1, true), cpu_ticket(2, 2, true),
                                      cpu_ticket(3, 2, false), cpu_ticket(4, 1, false)};
  CHECK(numbers(ahead_of(all[1], all, 4)) == Numbers{});
  CHECK(numbers(ahead_of(all[2], all, 5)) == Numbers{});
  CHECK(numbers(ahead_of(all[2], all, 4)) == Numbers{1, 2});
  // One slot is free, but the third has waited for it longer.
  CHECK(numbers(ahead_of(all[3], all, 4)) == Numbers{1, 2, 3});
  // A run with more ranks than slots gets all slots, and does not wait forever.
  const std::vector<DeviceTicket> large{cpu_ticket(1, 100, false), cpu_ticket(2, 1, false)};
  CHECK(numbers(ahead_of(large[0], large, 4)) == Numbers{});
  CHECK(numbers(ahead_of(large[1], large, 4)) == Numbers{1});
  CHECK(numbers(ahead_of(gpu_ticket(9, {"A"}, false), all, 4)) == Numbers{});
}

TEST_CASE("a ticket is read back as written, and an invalid one is rejected") {
  DeviceTicket ticket = gpu_ticket(7, {"GPU-1", "GPU-2"}, true);
  ticket.agent_pid = 4711;
  ticket.rank_pids = {4712, 4713};
  ticket.since_wall_ns = 1'763'732'405'000'000'000;
  const auto again = parse_ticket(ticket_text(ticket) + "later ones say more\n");
  REQUIRE(again);
  CHECK(again->run == ticket.run);
  CHECK(again->agent_pid == 4711);
  CHECK(again->rank_pids == ticket.rank_pids);
  CHECK(again->wants.gpus == ticket.wants.gpus);
  CHECK(again->running);
  CHECK(again->since_wall_ns == ticket.since_wall_ns);
  CHECK(!parse_ticket(""));
  CHECK(!parse_ticket("run x\nagent 1\n"));
  CHECK(!parse_ticket("ringside ticket 1\nagent many\n"));
  CHECK(!parse_ticket("ringside ticket 1\ncpu_slots 1e9\n"));
}

TEST_CASE("the reason for waiting names run, ranks, devices and start time") {
  ::setenv("TZ", "UTC", 1);
  DeviceTicket first = gpu_ticket(1, {"GPU-0", "GPU-9"}, true);
  first.rank_pids = {4712, 4713};
  first.since_wall_ns = 1'763'732'405'000'000'000;
  const std::vector<DeviceTicket> ahead{first, gpu_ticket(2, {"GPU-0"}, false)};
  DeviceWants wants;
  wants.gpus = {"GPU-0"};
  CHECK(describe_wait(wants, ahead, same_name) ==
        "behind run run-1 (rank pids 4712, 4713) on GPU-0, since 2025-11-21 13:40:05; and run "
        "run-2, which waits too");
}

TEST_CASE("R4: a run that waits for a stopped agent shows the command that continues that agent") {
  const TempFolder temp;
  DeviceTicket mine = gpu_ticket(0, {"A"}, false);
  mine.agent_pid = ::getpid();
  for (const char* name : {"ringside-agent", "another"}) {
    const pid_t child = holder(temp.path() / name, gpu_ticket(0, {"A"}, false), name);
    const auto told = [&] {
      return describe_wait(mine.wants, living_tickets(temp.path() / name), same_name);
    };
    CHECK(told().find("stopped") == std::string::npos);
    ::kill(child, SIGSTOP);
    REQUIRE(::waitpid(child, nullptr, WUNTRACED) == child);
    const std::string pid = std::to_string(child);
    const std::string hint = "agent (pid " + pid + ") is stopped: `kill -CONT " + pid + "`";
    CHECK((told().find(hint) != std::string::npos) == (std::string(name) == "ringside-agent"));
    kill_now(child);
  }
}

TEST_CASE("agents of one run for several nodes on this host do not wait for each other") {
  DeviceTicket first = cpu_ticket(1, 2, true);
  DeviceTicket second = cpu_ticket(2, 2, false);
  CHECK(numbers(ahead_of(second, std::vector{first, second}, 2)) == Numbers{1});
  second.run = first.run;
  CHECK(ahead_of(second, std::vector{first, second}, 2).empty());
}

TEST_CASE("tickets are numbered in order, and the ticket of a killed agent is removed") {
  const TempFolder temp;
  const auto folder = temp.path() / "not/yet/made";
  CHECK(living_tickets(folder).empty());
  const pid_t first = holder(folder, gpu_ticket(0, {"A"}, false));
  auto second = DeviceQueue::join(folder, gpu_ticket(0, {"A"}, false), 2);
  auto third = DeviceQueue::join(folder, gpu_ticket(0, {"A"}, false), 2);
  REQUIRE((second && third));
  CHECK(numbers(living_tickets(folder)) == Numbers{1, 2, 3});
  CHECK(numbers(second->ask(5)) == Numbers{1});
  CHECK(!second->ticket().running);
  kill_now(first);
  CHECK(numbers(living_tickets(folder)) == Numbers{2, 3});
  CHECK(numbers(third->ask(5)) == Numbers{2});
  CHECK(second->ask(6).empty());
  CHECK(second->ticket().running);
  CHECK(second->ticket().since_wall_ns == 6);
  second->report("now", {1, 2});
  const auto seen = living_tickets(folder);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].run == "now");
  CHECK(seen[0].rank_pids == std::vector<std::int64_t>{1, 2});
  CHECK(!std::filesystem::exists(folder / "000000000001.ticket"));
}

TEST_CASE("the tickets ahead are known from the start, even while the queue is locked") {
  const TempFolder temp;
  const pid_t first = holder(temp.path(), gpu_ticket(0, {"A"}, false));
  auto second = DeviceQueue::join(temp.path(), gpu_ticket(0, {"A"}, false), 2);
  REQUIRE(second);
  const int held = ::open((temp.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(held >= 0);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  CHECK(numbers(second->ask(5)) == Numbers{1});
  kill_now(first);
  CHECK(numbers(second->ask(6)) == Numbers{1});
  ::close(held);
  CHECK(second->ask(7).empty());
}

TEST_CASE("leaving the queue releases all devices, and a file that is not a ticket is ignored") {
  const TempFolder folder;
  folder.write("000000000009.ticket", "rubbish");
  {
    auto first = DeviceQueue::join(folder.path(), cpu_ticket(0, 2, false), 2);
    REQUIRE(first);
    CHECK(first->ask(1).empty());
    auto shared = DeviceQueue::join(folder.path(), cpu_ticket(0, 2, false), 2);
    REQUIRE(shared);
    shared->share(2);
    CHECK(living_tickets(folder.path()).size() == 2);
  }
  CHECK(living_tickets(folder.path()).empty());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().filename() == "lock");
}

TEST_CASE("a folder that cannot be created is reported") {
  const TempFolder folder;
  folder.write("file", "in the way");
  const auto refused = DeviceQueue::join(folder.path() / "file/below", cpu_ticket(0, 1, false), 2);
  REQUIRE(!refused);
  CHECK(refused.error().message.find("file/below") != std::string::npos);
}
