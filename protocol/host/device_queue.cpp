#include "protocol/host/device_queue.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "protocol/base/calendar.h"
#include "protocol/base/text.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/host.h"
#include "protocol/host/user_folders.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".ticket";
constexpr std::size_t kMostBytes = 64 * 1024;
// An agent holds the lock for less than a millisecond, but many may join at once.
constexpr std::int64_t kJoinTimeoutNs = 5'000'000'000;
constexpr std::int64_t kLookTimeoutNs = 20'000'000;

/// Locks the folder. Agents hold this lock briefly, to join or to find out whose turn it is.
std::optional<FileLock> lock_of(const fs::path& folder, std::int64_t timeout_ns) {
  return FileLock::take_within(folder / "lock", timeout_ns).value_or(std::nullopt);
}

fs::path file_of(const fs::path& folder, std::uint64_t number) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%012llu%s", static_cast<unsigned long long>(number),
                kSuffix);
  return folder / name.data();
}

std::vector<fs::path> ticket_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == kSuffix) files.push_back(it->path());
  }
  std::ranges::sort(files);
  return files;
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto number = whole_number<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

std::uint64_t number_of(const fs::path& file) {
  return whole_number<std::uint64_t>(file.stem().string()).value_or(0);
}

std::string text_of(int fd) {
  std::string text(kMostBytes, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool is_file(int fd, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

struct Found {
  bool living = false;
  std::optional<DeviceTicket> ticket;
};

// A ticket whose lock is free has no owner: the agent has ended, or has just replaced this file by
// a newer one.
Found look_at(const fs::path& file) {
  for (int look = 0; look < 3; ++look) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return {};
    const bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
    const bool held = !free && errno == EWOULDBLOCK;
    const bool newest = is_file(fd, file);
    Found found{held, held ? parse_ticket(text_of(fd)) : std::nullopt};
    ::close(fd);
    if (found.ticket) found.ticket->number = number_of(file);
    if (held || newest) return found;
  }
  return {true, std::nullopt};  // replaced three times in a row, so its agent is alive
}

// The tickets whose agents are alive, in queue order; with `sweep`, the other tickets are removed.
std::vector<DeviceTicket> tickets_in(const fs::path& folder, bool sweep) {
  std::vector<DeviceTicket> tickets;
  for (const fs::path& file : ticket_files(folder)) {
    Found found = look_at(file);
    if (!found.living && sweep) ::unlink(file.c_str());
    if (found.ticket) tickets.push_back(std::move(*found.ticket));
  }
  return tickets;
}

Result<void> make_private(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure("cannot make " + folder.string() + ": " + error.message());
  fs::permissions(folder, fs::perms::owner_all, error);
  return {};
}

bool shares_gpu(const DeviceWants& a, const DeviceWants& b) {
  return std::ranges::any_of(a.gpus, [&](const std::string& gpu) {
    return std::ranges::find(b.gpus, gpu) != b.gpus.end();
  });
}

template <class List, class Text>
std::string joined(const List& list, const char* between, Text&& text) {
  std::string all;
  for (const auto& item : list) all += (all.empty() ? "" : between) + text(item);
  return all;
}

std::string pids_of(const DeviceTicket& ticket) {
  constexpr std::size_t kMost = 8;
  const std::size_t named = std::min(kMost, ticket.rank_pids.size());
  return std::string(ticket.rank_pids.size() == 1 ? "rank pid " : "rank pids ") +
         joined(std::span(ticket.rank_pids).first(named), ", ",
                [](std::int64_t pid) { return std::to_string(pid); }) +
         (named < ticket.rank_pids.size() ? ", …" : "");
}

// The process name is checked too: the ticket may come from another container, where the same pid
// means another process.
std::string stopped_words(const DeviceTicket& ticket) {
  if (!is_stopped(ticket.agent_pid, "ringside-agent")) return "";
  const std::string pid = std::to_string(ticket.agent_pid);
  return ", whose agent (pid " + pid + ") is stopped: `kill -CONT " + pid + "` lets it go on";
}

std::string words_of(const DeviceTicket& ticket, const DeviceWants& wants,
                     const GpuName& gpu_name) {
  std::string text = "run " + ticket.run;
  if (!ticket.running) return text + ", which waits too" + stopped_words(ticket);
  if (!ticket.rank_pids.empty()) text += " (" + pids_of(ticket) + ")";
  std::vector<std::string> shared;
  for (const std::string& gpu : ticket.wants.gpus) {
    if (std::ranges::find(wants.gpus, gpu) != wants.gpus.end()) shared.push_back(gpu_name(gpu));
  }
  const std::int64_t slots = ticket.wants.cpu_slots;
  if (shared.empty()) {
    shared.push_back(std::to_string(slots) + (slots == 1 ? " CPU slot" : " CPU slots"));
  }
  text += " on " + joined(shared, ", ", [](const std::string& name) { return name; });
  std::array<char, 40> time{};
  const std::tm local = calendar_of(ticket.since_wall_ns, TimeZone::kLocal);
  const std::size_t length = std::strftime(time.data(), time.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text + ", since " + std::string(time.data(), length) + stopped_words(ticket);
}

}  // namespace

std::vector<DeviceTicket> ahead_of(const DeviceTicket& mine, std::span<const DeviceTicket> all,
                                   std::int64_t cpu_slots) {
  const auto counted = [cpu_slots](const DeviceTicket& ticket) {
    return std::min(ticket.wants.cpu_slots, std::max<std::int64_t>(cpu_slots, 1));
  };
  // Agents of one multi-node run on this host must run together, so all of them have the position
  // of the first.
  std::uint64_t place = mine.number;
  for (const DeviceTicket& ticket : all) {
    if (ticket.run == mine.run) place = std::min(place, ticket.number);
  }
  const auto before = [&mine, place](const DeviceTicket& ticket) {
    return ticket.number != mine.number && ticket.run != mine.run &&
           (ticket.running || ticket.number < place);
  };
  std::int64_t spent = 0;
  for (const DeviceTicket& ticket : all) spent += before(ticket) ? counted(ticket) : 0;
  const bool too_few =
      mine.wants.cpu_slots > 0 && spent + counted(mine) > std::max<std::int64_t>(cpu_slots, 1);
  std::vector<DeviceTicket> ahead;
  for (const DeviceTicket& ticket : all) {
    if (!before(ticket)) continue;
    if (shares_gpu(mine.wants, ticket.wants) || (too_few && ticket.wants.cpu_slots > 0))
      ahead.push_back(ticket);
  }
  return ahead;
}

std::string describe_wait(const DeviceWants& wants, std::span<const DeviceTicket> ahead,
                          const GpuName& gpu_name) {
  return "behind " + joined(ahead, "; and ", [&](const DeviceTicket& ticket) {
           return words_of(ticket, wants, gpu_name);
         });
}

std::string ticket_text(const DeviceTicket& ticket) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return "ringside ticket 1\nrun " + ticket.run + "\nagent " + number(ticket.agent_pid) +
         "\nranks " + joined(ticket.rank_pids, " ", number) + "\ngpus " +
         joined(ticket.wants.gpus, " ", [](const std::string& gpu) { return gpu; }) +
         "\ncpu_slots " + number(ticket.wants.cpu_slots) + "\nstate " +
         (ticket.running ? "running" : "waiting") + "\nsince " + number(ticket.since_wall_ns) +
         "\n";
}

std::optional<DeviceTicket> parse_ticket(std::string_view text) {
  DeviceTicket ticket;
  if (!text.starts_with("ringside ticket ")) return std::nullopt;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, blank);
    std::string_view value = line.substr(std::min(line.size(), blank + 1));
    if (key == "run") ticket.run = value;
    if (key == "state") ticket.running = value == "running";
    if (key == "agent" && !read_number(value, ticket.agent_pid)) return std::nullopt;
    if (key == "cpu_slots" && !read_number(value, ticket.wants.cpu_slots)) return std::nullopt;
    if (key == "since" && !read_number(value, ticket.since_wall_ns)) return std::nullopt;
    while ((key == "ranks" || key == "gpus") && !value.empty()) {
      const std::string_view word = value.substr(0, value.find(' '));
      value.remove_prefix(std::min(value.size(), word.size() + 1));
      std::int64_t pid = 0;
      if (key == "gpus") ticket.wants.gpus.emplace_back(word);
      if (key == "ranks" && read_number(word, pid)) ticket.rank_pids.push_back(pid);
    }
  }
  return ticket;
}

Result<fs::path> device_queue_folder() {
  const auto state = RINGSIDE_TRY(user_folder("XDG_STATE_HOME", ".local/state"));
  const std::string host = host_name();
  const bool plain = !host.empty() && host.find('/') == host.npos && host.front() != '.';
  return state / "ringside" / "devices" / (plain ? host : "host");
}

std::vector<DeviceTicket> living_tickets(const fs::path& folder) {
  return tickets_in(folder, false);
}

Result<DeviceQueue> DeviceQueue::join(const fs::path& folder, DeviceTicket ticket,
                                      std::int64_t cpu_slots) {
  RINGSIDE_TRY(make_private(folder));
  const auto lock = lock_of(folder, kJoinTimeoutNs);
  if (!lock) return failure("cannot lock " + (folder / "lock").string());
  const auto others = tickets_in(folder, true);
  const auto files = ticket_files(folder);
  ticket.number = files.empty() ? 1 : number_of(files.back()) + 1;
  DeviceQueue queue(folder, std::move(ticket), cpu_slots);
  RINGSIDE_TRY(queue.write());
  queue.ahead_ = ahead_of(queue.ticket_, others, cpu_slots);
  return queue;
}

DeviceQueue::DeviceQueue(DeviceQueue&& other) noexcept
    : folder_(std::move(other.folder_)),
      ticket_(std::move(other.ticket_)),
      cpu_slots_(other.cpu_slots_),
      ahead_(std::move(other.ahead_)),
      fd_(std::exchange(other.fd_, -1)) {}

DeviceQueue::~DeviceQueue() {
  if (fd_ < 0) return;
  ::unlink(file_of(folder_, ticket_.number).c_str());
  ::close(fd_);
}

// A new file is locked before it is renamed into place, so that nobody sees half a text or an
// unlocked ticket of a live agent.
Result<void> DeviceQueue::write() {
  const fs::path fresh = folder_ / (".new." + std::to_string(::getpid()));
  const std::string text = ticket_text(ticket_);
  const int fd = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool written = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                       ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::rename(fresh.c_str(), file_of(folder_, ticket_.number).c_str()) == 0;
  if (!written) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    ::unlink(fresh.c_str());
    return failure("cannot write into " + folder_.string() + ": " + std::strerror(error));
  }
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  return {};
}

std::vector<DeviceTicket> DeviceQueue::ask(std::int64_t wall_ns) {
  const auto lock = lock_of(folder_, kLookTimeoutNs);
  if (!lock) return ahead_;
  ahead_ = ahead_of(ticket_, tickets_in(folder_, true), cpu_slots_);
  if (!ahead_.empty()) return ahead_;
  ticket_.running = true;
  ticket_.since_wall_ns = wall_ns;
  // On a full disk the old text stays, and later tickets still wait for it.
  (void)write();
  return {};
}

void DeviceQueue::share(std::int64_t wall_ns) {
  ticket_.running = true;
  ticket_.since_wall_ns = wall_ns;
  (void)write();
}

void DeviceQueue::report(const RunId& run, std::vector<std::int64_t> rank_pids) {
  ticket_.run = run;
  ticket_.rank_pids = std::move(rank_pids);
  (void)write();
}

}  // namespace ringside
