#include "trainer/agent/processes/container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"
#include "protocol/host/files.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Programs whose containers are run by a service, so that they do not end with the command.
constexpr std::array<std::string_view, 2> kOfService = {"docker", "nerdctl"};
constexpr std::string_view kIdFile = "container.";
constexpr std::int64_t kPatienceNs = 30'000'000'000;
constexpr std::size_t kMostIdBytes = 128;

bool is_any(std::string_view word, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), word) != of.end();
}

// Whether the options from `at` on select a network. The options end at a word that is neither an
// option nor a possible value of one.
bool has_network(const Words& words, std::size_t at) {
  for (bool value = false; at < words.size(); ++at) {
    const bool option = words[at].starts_with('-');
    if (!option && !value) return false;
    const std::size_t equals = words[at].find('=');
    if (is_any(words[at].substr(0, equals), {"--network", "--net"})) return true;
    value = option && equals == std::string::npos;
  }
  return false;
}

struct Bind {
  fs::path path;
  bool writable;
};

std::vector<Bind> binds_of(const ContainerNeeds& needs) {
  std::vector<Bind> binds{{needs.run, true}};
  if (!needs.client.library.empty()) binds.push_back({needs.client.library, false});
  if (!needs.client.python.empty()) binds.push_back({needs.client.python, false});
  return binds;
}

// "--env NAME" passes the value in the command's environment.
Words env_options(const ContainerNeeds& needs) {
  Words options;
  for (const std::string& entry : needs.variables) {
    const std::string name = entry.substr(0, entry.find('='));
    options.insert(options.end(), {"--env", name == "PYTHONPATH" ? entry : name});
  }
  return options;
}

ContainerCommand with_options(Words argv, const ContainerNeeds& needs) {
  const std::string program = fs::path(argv[0]).filename().string();
  const std::size_t behind = argv[1] == "container" ? 3 : 2;
  const bool enroot = program == "enroot";
  Words shown;
  for (const Bind& bind : binds_of(needs)) {
    const std::string both = bind.path.string() + ":" + bind.path.string();
    shown.insert(shown.end(),
                 {enroot ? "--mount" : "--volume", enroot || bind.writable ? both : both + ":ro"});
  }
  if (std::find(kOfService.begin(), kOfService.end(), program) != kOfService.end()) {
    const fs::path file = needs.folder / (std::string(kIdFile) + program);
    shown.insert(shown.end(), {"--cidfile", file.string()});
    // The service starts the container, which therefore does not inherit the command's CPUs.
    if (!needs.cpus.empty())
      shown.insert(shown.end(), {"--cpuset-cpus", fmt::format("{}", fmt::join(needs.cpus, ","))});
  }
  // PID 1 of a container ignores signals that it does not handle.
  if (program == "docker") shown.emplace_back("--init");
  if (needs.meets_others && !enroot && !has_network(argv, behind))
    shown.insert(shown.end(), {"--network", "host"});
  ContainerCommand made;
  made.added = program + " gets " + shell_words(shown) + " and the variables of a rank by --env";
  Words options = env_options(needs);
  options.insert(options.begin(), shown.begin(), shown.end());
  argv.insert(argv.begin() + static_cast<std::ptrdiff_t>(behind), options.begin(), options.end());
  made.argv = std::move(argv);
  return made;
}

// Apptainer reads variables of its own, which do not depend on the position of options.
ContainerCommand with_variables(Words argv, const ContainerNeeds& needs, const Words& environment) {
  const bool apptainer = fs::path(argv[0]).filename() == "apptainer";
  const std::string prefix = apptainer ? "APPTAINER" : "SINGULARITY";
  const std::string bind_is = prefix + "_BIND=";
  ContainerCommand made;
  std::string binds;
  for (const std::string& entry : environment) {
    if (entry.starts_with(bind_is)) binds = entry.substr(bind_is.size());
  }
  for (const Bind& bind : binds_of(needs)) {
    const std::string path = bind.path.string();
    binds += (binds.empty() ? "" : ",") + path + ":" + path + (bind.writable ? "" : ":ro");
  }
  made.added = bind_is + binds + " and the variables of a rank as " + prefix + "ENV_NAME are set";
  made.variables.emplace_back(prefix + "_BIND", binds);
  for (const std::string& entry : needs.variables) {
    const std::size_t equals = entry.find('=');
    made.variables.emplace_back(prefix + "ENV_" + entry.substr(0, equals),
                                entry.substr(equals + 1));
  }
  made.argv = std::move(argv);
  return made;
}

// Starts the process that ends a container; -1 if it could not be started.
pid_t start_kill(std::string program, std::string id) {
  std::string verb = "kill";
  const std::array<char*, 4> argv = {program.data(), verb.data(), id.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  for (const int fd : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
  pid_t pid = -1;
  if (::posix_spawnp(&pid, program.c_str(), &quiet, nullptr, argv.data(), environ) != 0) pid = -1;
  ::posix_spawn_file_actions_destroy(&quiet);
  return pid;
}

}  // namespace

ContainerCommand in_container(Words argv, const ContainerNeeds& needs, const Words& environment) {
  if (argv.size() < 2) return {std::move(argv), {}, {}};
  const std::string program = fs::path(argv[0]).filename().string();
  const bool run =
      argv[1] == "run" || (argv[1] == "container" && argv.size() > 2 && argv[2] == "run");
  if ((is_any(program, {"docker", "podman", "nerdctl"}) && run) ||
      (program == "enroot" && argv[1] == "start"))
    return with_options(std::move(argv), needs);
  const auto verb = std::find_if(argv.begin() + 1, argv.end(), [](const std::string& word) {
    return is_any(word, {"exec", "run"});
  });
  if (is_any(program, {"apptainer", "singularity"}) && verb != argv.end())
    return with_variables(std::move(argv), needs, environment);
  return {std::move(argv), {}, {}};
}

void end_containers(const std::vector<fs::path>& rank_folders) {
  std::vector<pid_t> running;
  std::error_code ignored;
  for (const fs::path& folder : rank_folders) {
    for (const std::string_view program : kOfService) {
      const fs::path file = folder / (std::string(kIdFile) + std::string(program));
      const std::string id = read_text(file, kMostIdBytes).value_or("");
      const bool plain = std::all_of(id.begin(), id.end(),
                                     [](unsigned char one) { return std::isalnum(one) != 0; });
      if (!id.empty() && plain) running.push_back(start_kill(std::string(program), id));
      fs::remove(file, ignored);
    }
  }
  const std::int64_t until_ns = mono_now_ns() + kPatienceNs;
  for (const pid_t pid : running) {
    while (pid > 0 && ::waitpid(pid, nullptr, WNOHANG) == 0) {
      if (mono_now_ns() > until_ns) ::kill(pid, SIGKILL);
      pause_ns(10'000'000);
    }
  }
}

void end_containers(const fs::path& run_folder) {
  std::vector<fs::path> ranks;
  std::error_code ignored;
  for (const auto& attempt : fs::directory_iterator(run_folder, ignored)) {
    if (!attempt.path().filename().string().starts_with("attempt_")) continue;
    for (const auto& rank : fs::directory_iterator(attempt.path(), ignored))
      ranks.push_back(rank.path());
  }
  end_containers(ranks);
}

}  // namespace ringside::agent
