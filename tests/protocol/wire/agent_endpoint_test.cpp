#include "protocol/wire/agent_endpoint.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "protocol/host/files.h"
#include "protocol/wire/keys.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::wire {
namespace {

AgentEndpoint sample() {
  AgentEndpoint endpoint = endpoint_of_this_process();
  const auto client = make_key_pair();
  const auto server = make_key_pair();
  REQUIRE(client);
  REQUIRE(server);
  endpoint.run_id = "20261121T134005Z-7f3a1c";
  endpoint.telemetry_endpoint = "tcp://127.0.0.1:4001";
  endpoint.viewer_endpoint = "tcp://127.0.0.1:4002";
  endpoint.server_public_key = server->public_key;
  endpoint.client_public_key = client->public_key;
  endpoint.client_secret_key = client->secret_key;
  endpoint.run_token = 0xFEDCBA9876543210;
  return endpoint;
}

// A child that waits to be killed, or that has ended and was not reaped.
class Child {
 public:
  explicit Child(bool ended) : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, ") R 1 (");
      if (ended) ::_exit(0);
      ::pause();
      ::_exit(0);
    }
    siginfo_t info{};
    if (ended) ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { reap(); }
  void reap() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST_CASE("S2: an endpoint is read back as written, and only its owner can read it") {
  const TempFolder folder;
  const auto path = folder.path() / "agent.json";
  const AgentEndpoint endpoint = sample();
  REQUIRE(write_agent_endpoint(path, endpoint));
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
  const auto back = read_agent_endpoint(path);
  REQUIRE(back);
  CHECK(back->run_id == endpoint.run_id);
  CHECK(back->telemetry_endpoint == endpoint.telemetry_endpoint);
  CHECK(back->viewer_endpoint == endpoint.viewer_endpoint);
  CHECK(back->server_public_key == endpoint.server_public_key);
  CHECK(back->client_public_key == endpoint.client_public_key);
  CHECK(back->client_secret_key == endpoint.client_secret_key);
  CHECK(back->run_token == endpoint.run_token);
  CHECK(back->agent_pid == endpoint.agent_pid);
  CHECK(back->agent_start_ticks == endpoint.agent_start_ticks);
  CHECK(back->boot_id == endpoint.boot_id);
  CHECK(back->host == endpoint.host);
}

TEST_CASE("an invalid endpoint is refused by field name, without its keys") {
  const TempFolder folder;
  const auto path = folder.path() / "agent.json";
  const AgentEndpoint endpoint = sample();
  REQUIRE(write_agent_endpoint(path, endpoint));
  const auto text = read_text(path);
  REQUIRE(text);
  const auto good = nlohmann::json::parse(*text);
  const auto refused = [&](const char* key, nlohmann::json value) {
    auto json = good;
    json[key] = std::move(value);
    REQUIRE(write_text_atomically(path, json.dump()));
    const auto back = read_agent_endpoint(path);
    REQUIRE_FALSE(back);
    CHECK(back.error().message.find(path.string()) != std::string::npos);
    CHECK(back.error().message.find(endpoint.client_secret_key) == std::string::npos);
    return back.error().message.find(key) != std::string::npos;
  };
  CHECK(refused("telemetry_endpoint", "tcp://192.168.0.1:4001"));
  CHECK(refused("viewer_endpoint", "tcp://*:4001"));
  CHECK(refused("server_public_key", "short"));
  CHECK(refused("client_secret_key", 17));
  CHECK(refused("run_token", "xyz"));
  CHECK(refused("run_token", 17));
  CHECK(refused("agent_pid", -1));
  CHECK(refused("version", 2));
  for (const char* junk : {"", "[]", "{", "null", "{\"version\": 1}"}) {
    REQUIRE(write_text_atomically(path, junk));
    CHECK_FALSE(read_agent_endpoint(path));
  }
  CHECK_FALSE(read_agent_endpoint(folder.path() / "missing.json"));
}

TEST_CASE("this process is alive, and no earlier process with its pid is") {
  AgentEndpoint endpoint = endpoint_of_this_process();
  REQUIRE(endpoint.agent_start_ticks > 0);
  REQUIRE(endpoint.boot_id.size() == 36);
  CHECK(is_alive(endpoint));
  AgentEndpoint earlier = endpoint;
  earlier.agent_start_ticks -= 1;  // an earlier process with this pid
  CHECK_FALSE(is_alive(earlier));
  AgentEndpoint rebooted = endpoint;
  rebooted.boot_id[0] = rebooted.boot_id[0] == '0' ? '1' : '0';
  CHECK_FALSE(is_alive(rebooted));
  AgentEndpoint unknown = endpoint;
  unknown.agent_start_ticks = 0;
  CHECK_FALSE(is_alive(unknown));
}

TEST_CASE("a process with a misleading name is found, and is gone after it has ended") {
  AgentEndpoint endpoint = endpoint_of_this_process();
  Child child(false);
  endpoint.agent_pid = child.pid();
  endpoint.agent_start_ticks = process_start_ticks(child.pid());
  REQUIRE(endpoint.agent_start_ticks > 0);
  CHECK(is_alive(endpoint));
  child.reap();
  CHECK_FALSE(is_alive(endpoint));
}

TEST_CASE("a process that has ended but was not reaped is not alive") {
  const Child zombie(true);
  CHECK(process_start_ticks(zombie.pid()) == 0);
}

TEST_CASE("prints the start time of a process", "[.prints_start]") {
  std::printf("<%llu>", static_cast<unsigned long long>(
                            process_start_ticks(std::atoi(std::getenv("RINGSIDE_TEST_PID")))));
}

TEST_CASE("the start time of a process is the same in another time namespace") {
  const Child child(false);
  ::setenv("RINGSIDE_TEST_PID", std::to_string(child.pid()).c_str(), 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string apart = "unshare --user --map-root-user --time --boottime 100000 ";
  const auto output_of = [](const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), pipe));
    ::pclose(pipe);
    return text;
  };
  if (output_of(apart + "echo works") != "works\n") {
    WARN("SKIPPED: no time namespaces for this user (unshare)");
    return;
  }
  const std::string seen = output_of(apart + "'" + program + "' '[.prints_start]'");
  INFO(seen);
  const std::string here = "<" + std::to_string(process_start_ticks(child.pid())) + ">";
  CHECK(seen.find(here) != std::string::npos);
}

TEST_CASE("keys and tokens differ each time") {
  const auto first = make_key_pair();
  const auto second = make_key_pair();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->public_key.size() == 40);
  CHECK(first->secret_key.size() == 40);
  CHECK(first->secret_key != second->secret_key);
  CHECK(make_token() != make_token());
}

}  // namespace
}  // namespace ringside::wire
