#include "gui/launch/host_activity.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "gui/launch/paths.h"
#include "protocol/base/printable.h"
#include "protocol/base/secrets.h"
#include "protocol/base/text.h"
#include "protocol/host/host.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kVersionNs = 20'000'000'000;

// The value of a variable in a zero-separated block of NAME=value; nothing if it is not set.
std::optional<std::string> variable(std::string_view block, std::string_view name) {
  while (!block.empty()) {
    const std::string_view entry = block.substr(0, block.find('\0'));
    block.remove_prefix(std::min(block.size(), entry.size() + 1));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
      return std::string(entry.substr(name.size() + 1));
  }
  return std::nullopt;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// `marker` as from wire::marker_of().
bool agent_lives(std::string_view marker, const std::string& boot) {
  wire::AgentEndpoint now;
  std::from_chars(marker.data(), marker.data() + marker.size(), now.agent_pid);
  now.agent_start_ticks = wire::process_start_ticks(now.agent_pid);
  now.boot_id = boot;
  return now.agent_start_ticks != 0 && wire::marker_of(now) == marker;
}

// An agent whose process is not visible here as it is to itself, such as one in a container, still
// holds the lock of its run folder, which is looked up in the file system of that process.
bool agent_has_folder(const std::string& marker, const fs::path& process, const fs::path& folder) {
  const runlog::RunFolder run(process / "root" / folder.relative_path());
  if (!runlog::FolderLock::is_held(run)) return false;
  const auto endpoint = wire::read_agent_endpoint(run.agent_path());
  return !endpoint || wire::marker_of(*endpoint) == marker;
}

// Returns 0 if the process is gone.
std::int64_t parent_of(std::int64_t pid) {
  const std::string stat = bytes_of("/proc/" + std::to_string(pid) + "/stat");
  const std::string fields(stat_fields(stat));  // "S PARENT ..."
  return fields.size() < 3 ? 0 : std::atoll(fields.c_str() + 2);
}

// Whether the process is this one or one of its ancestors: a shell may have the environment of a
// rank.
bool is_ours(std::int64_t pid) {
  std::int64_t ours = ::getpid();
  while (ours > 1 && ours != pid) ours = parent_of(ours);
  return ours == pid;
}

// Calls visit(pid, environment) for every process whose environment can be read.
template <class Visit>
void each_process(Visit&& visit) {
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string text = it->path().filename().string();
    if (const auto pid = whole_number(text)) visit(*pid, bytes_of(it->path() / "environ"));
  }
}

std::string name_of(std::int64_t pid) {
  std::string name = bytes_of("/proc/" + std::to_string(pid) + "/comm");
  while (name.ends_with('\n')) name.pop_back();
  return printable_line(name);
}

// `block`: arguments, each terminated by a zero; a program that sets its own title has a single
// one.
std::string command_line(std::string_view block) {
  std::vector<std::string> argv;
  for (; !block.empty(); block.remove_prefix(std::min(block.size(), argv.back().size() + 1)))
    argv.emplace_back(block.substr(0, block.find('\0')));
  if (argv.size() == 1 && argv[0].find(' ') != argv[0].npos) argv.insert(argv.begin(), "");
  std::string words;
  for (const std::string& word : hide_secrets(argv)) words += (words.empty() ? "" : " ") + word;
  return printable_line(words);
}

std::string user_name(uid_t uid) {
  std::array<char, 4096> room{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  const int error = ::getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  return error == 0 && found != nullptr ? found->pw_name : std::to_string(uid);
}

// Reads at most two lines of output: the program's version and that of PyTorch.
ProgramAnswer ask(const std::string& name, const std::vector<std::string>& argv,
                  const Cancelled& cancelled) {
  ProgramAnswer answer{name, {}, {}, {}};
  const auto captured = capture(argv, kVersionNs, cancelled);
  if (!captured) {
    answer.problem = captured.error().message;
  } else if (captured->exit_code != 0) {
    answer.problem = "exit code " + std::to_string(captured->exit_code) + ": " +
                     printable_line(captured->errors.substr(0, captured->errors.find('\n')));
  } else {
    std::istringstream lines(captured->output);
    std::getline(lines, answer.version);
    std::getline(lines, answer.torch);
  }
  return answer;
}

ProgramAnswer ask_own(const std::string& name, const Cancelled& cancelled) {
  const auto path = find_program(name);
  if (!path) return {name, {}, {}, path.error().message};
  return ask(name, {path->string(), "--version"}, cancelled);
}

}  // namespace

std::vector<Orphan> find_orphans() {
  const std::string boot = current_boot_id();
  std::vector<Orphan> orphans;
  each_process([&](std::int64_t pid, const std::string& block) {
    const auto marker = variable(block, "RINGSIDE_AGENT");
    const auto folder = variable(block, "RINGSIDE_RUN_DIR");
    if (!marker || !folder || agent_lives(*marker, boot) || is_ours(pid)) return;
    if (agent_has_folder(*marker, "/proc/" + std::to_string(pid), *folder)) return;
    if (wire::process_start_ticks(static_cast<std::int32_t>(pid)) == 0) return;  // a zombie
    orphans.push_back({pid, fs::path(*folder).filename().string(), name_of(pid)});
  });
  std::ranges::sort(orphans, [](const Orphan& a, const Orphan& b) { return a.pid < b.pid; });
  return orphans;
}

std::vector<RankProcess> find_ranks(const runlog::RunFolder& folder) {
  std::map<std::int64_t, RankProcess> found;
  each_process([&](std::int64_t pid, const std::string& block) {
    const auto run = variable(block, "RINGSIDE_RUN_DIR");
    const auto rank = variable(block, "RANK");
    if (!run || !rank || *run != folder.path().string() || is_ours(pid)) return;
    const auto attempt = variable(block, "RINGSIDE_ATTEMPT").value_or("0");
    found[pid] = {static_cast<Rank>(std::atoi(rank->c_str())), pid, std::atoi(attempt.c_str())};
  });
  std::vector<RankProcess> ranks;
  for (const auto& [pid, process] : found) {
    if (!found.contains(parent_of(pid))) ranks.push_back(process);
  }
  std::ranges::sort(ranks,
                    [](const RankProcess& a, const RankProcess& b) { return a.rank < b.rank; });
  return ranks;
}

std::vector<ProcessUse> read_processes() {
  const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  const std::int64_t tick_ns = 1'000'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK));
  std::map<uid_t, std::string> users;
  std::vector<ProcessUse> found;
  each_process([&](std::int64_t pid, const std::string& block) {
    const fs::path folder = "/proc/" + std::to_string(pid);
    const std::string words = command_line(bytes_of(folder / "cmdline"));
    const std::string stat = bytes_of(folder / "stat");
    std::istringstream fields{std::string(stat_fields(stat))};
    const std::vector<std::string> parts(std::istream_iterator<std::string>(fields), {});
    struct stat owner {};
    if (words.empty() || parts.size() < 22 || ::stat(folder.c_str(), &owner) != 0) return;
    // Fields 14 and 15 (times) and 24 (memory) of proc(5); the first of `parts` is field 3.
    const std::int64_t ticks = std::atoll(parts[11].c_str()) + std::atoll(parts[12].c_str());
    const auto run = variable(block, "RINGSIDE_RUN_DIR");
    std::string& user = users[owner.st_uid];
    if (user.empty()) user = user_name(owner.st_uid);
    found.push_back({pid, user, words, ticks * tick_ns, std::atoll(parts[21].c_str()) * page,
                     run ? fs::path(*run).filename().string() : RunId()});
  });
  return found;
}

std::string describe_process(std::int64_t pid) {
  struct stat owner {};
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string name = name_of(pid);
  if (name.empty() || ::stat(folder.c_str(), &owner) != 0) return "pid " + std::to_string(pid);
  const std::string whose =
      owner.st_uid == ::getuid() ? "" : "uid " + std::to_string(owner.st_uid) + " · ";
  return whose + name + " " + std::to_string(pid);
}

std::vector<ProgramAnswer> ask_programs(const Cancelled& cancelled) {
  std::vector<ProgramAnswer> answers;
  for (const char* name :
       {"ringside-agent", "ringside-trainer", "ringside-data", "ringside-dashboard"})
    answers.push_back(ask_own(name, cancelled));
  return answers;
}

ProgramAnswer ask_python(const Cancelled& cancelled) {
  constexpr const char* kAsk = R"(import sys
print("Python %d.%d.%d" % sys.version_info[:3])
from importlib.metadata import PackageNotFoundError, version
try:
    print("PyTorch " + version("torch"))
except PackageNotFoundError:
    print("no PyTorch"))";
  const auto python = find_on_path("python3");
  if (!python) return {"python3", {}, {}, python.error().message};
  return ask("python3", {*python, "-c", kAsk}, cancelled);
}

HostActivity inspect_host(Machine machine) {
  HostActivity around;
  around.machine = std::move(machine);
  // There are no tickets without a state folder.
  if (const auto folder = device_queue_folder()) around.tickets = living_tickets(*folder);
  around.orphans = find_orphans();
  return around;
}

}  // namespace ringside::launch
