#include "protocol/wire/agent_card.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "protocol/base/byte_file.h"
#include "protocol/wire/keys.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::wire {
namespace {

AgentCard sample() {
  AgentCard card = card_of_this_process();
  const auto client = make_key_pair();
  const auto server = make_key_pair();
  REQUIRE(client);
  REQUIRE(server);
  card.run_id = "20261121T134005Z-7f3a1c";
  card.telemetry_endpoint = "tcp://127.0.0.1:4001";
  card.viewer_endpoint = "tcp://127.0.0.1:4002";
  card.server_public_key = server->public_key;
  card.client_public_key = client->public_key;
  card.client_secret_key = client->secret_key;
  card.run_token = 0xFEDCBA9876543210;
  return card;
}

// A child that waits to be killed, or that has ended and waits to be reaped.
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

TEST_CASE("a card comes back as it was written, readable by its owner only") {
  const TempFolder folder;
  const auto path = folder.path() / "agent.json";
  const AgentCard card = sample();
  REQUIRE(write_card(path, card));
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
  const auto back = read_card(path);
  REQUIRE(back);
  CHECK(back->run_id == card.run_id);
  CHECK(back->telemetry_endpoint == card.telemetry_endpoint);
  CHECK(back->viewer_endpoint == card.viewer_endpoint);
  CHECK(back->server_public_key == card.server_public_key);
  CHECK(back->client_public_key == card.client_public_key);
  CHECK(back->client_secret_key == card.client_secret_key);
  CHECK(back->run_token == card.run_token);
  CHECK(back->agent_pid == card.agent_pid);
  CHECK(back->agent_start_ticks == card.agent_start_ticks);
  CHECK(back->boot_id == card.boot_id);
  CHECK(back->host == card.host);
}

TEST_CASE("a card that cannot be right is refused by name, without its keys") {
  const TempFolder folder;
  const auto path = folder.path() / "agent.json";
  const AgentCard card = sample();
  REQUIRE(write_card(path, card));
  const auto text = read_text(path);
  REQUIRE(text);
  const auto good = nlohmann::json::parse(*text);
  const auto refused = [&](const char* key, nlohmann::json value) {
    auto json = good;
    json[key] = std::move(value);
    REQUIRE(write_text_atomically(path, json.dump()));
    const auto back = read_card(path);
    REQUIRE_FALSE(back);
    CHECK(back.error().message.find(path.string()) != std::string::npos);
    CHECK(back.error().message.find(card.client_secret_key) == std::string::npos);
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
    CHECK_FALSE(read_card(path));
  }
  CHECK_FALSE(read_card(folder.path() / "missing.json"));
}

TEST_CASE("this process is alive, and no other with its pid is") {
  AgentCard card = card_of_this_process();
  REQUIRE(card.agent_start_ticks > 0);
  REQUIRE(card.boot_id.size() == 36);
  CHECK(is_alive(card));
  AgentCard earlier = card;
  earlier.agent_start_ticks -= 1;  // the pid was another process's before
  CHECK_FALSE(is_alive(earlier));
  AgentCard rebooted = card;
  rebooted.boot_id[0] = rebooted.boot_id[0] == '0' ? '1' : '0';
  CHECK_FALSE(is_alive(rebooted));
  AgentCard unknown = card;
  unknown.agent_start_ticks = 0;
  CHECK_FALSE(is_alive(unknown));
}

TEST_CASE("a process with a misleading name is found, and is gone when it has ended") {
  AgentCard card = card_of_this_process();
  Child child(false);
  card.agent_pid = child.pid();
  card.agent_start_ticks = process_start_ticks(child.pid());
  REQUIRE(card.agent_start_ticks > 0);
  CHECK(is_alive(card));
  child.reap();
  CHECK_FALSE(is_alive(card));
}

TEST_CASE("a process that has ended but was not reaped is not alive") {
  const Child zombie(true);
  CHECK(process_start_ticks(zombie.pid()) == 0);
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
