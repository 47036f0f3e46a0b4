// A supervisor with a spawner that starts nothing: tests decide what its processes do. Used by one
// thread.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "protocol/messages/notice_codes.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"
#include "trainer/agent/supervisor.h"

namespace ringside::agent {

class FakeSpawner final : public Spawner {
 public:
  Result<Spawned> spawn(const SpawnRequest& request) override {
    requests.push_back(request);
    for (const char* stream : {"stdout", "stderr"}) std::ofstream(request.folder / stream);
    return Spawned{static_cast<pid_t>(100 + requests.size() - 1), ::eventfd(0, EFD_CLOEXEC)};
  }
  void signal_group(pid_t leader, int signal) override { signals.emplace_back(leader, signal); }
  std::optional<ExitStatus> exited(pid_t leader) override {
    const auto found = ended.find(leader);
    return found == ended.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::int64_t> survivors(std::span<const pid_t>) override { return left; }
  void kill(std::int64_t pid) override { killed.push_back(pid); }
  char process_state(pid_t) override { return 'D'; }
  void reap(const Spawned& leader) override {
    ::close(leader.exit_fd);
    reaped.push_back(leader.pid);
  }
  void reap_orphans(std::span<const pid_t>) override {}
  std::string check_processes() override { return ""; }

  std::vector<SpawnRequest> requests;
  std::vector<std::pair<pid_t, int>> signals;
  std::map<pid_t, ExitStatus> ended;
  std::vector<std::int64_t> left;
  std::vector<std::int64_t> killed;
  std::vector<pid_t> reaped;
};

struct Rig {
  explicit Rig(int ranks, int restarts = 0, std::vector<std::string> given = {})
      : policy(restarts), environment(std::move(given)) {
    messages::RunSpec spec;
    spec.limits.restarts = restarts;
    spec.devices.kind = "cpu";
    spec.devices.world_size = ranks;
    spec.limits.grace_s = 2;
    folder.write("run/spec.toml", messages::to_toml(spec));
    auto opened = open_run(folder.path() / "run", clock);
    REQUIRE(opened);
    item.emplace(std::move(*opened));
    authenticator = std::move(*wire::Authenticator::open());
    telemetry = std::move(*wire::TelemetryReceiver::open(*authenticator));
    REQUIRE(announce(*item, *authenticator, telemetry->endpoint(), telemetry->endpoint()));
    begin();
  }
  void begin() {
    auto plan = make_spawn_plan(
        {item->spec, item->folder, item->attempt, {{}, 4}, "/trainer", environment, 1, "m"});
    REQUIRE(plan);
    first_pid = 100 + static_cast<pid_t>(spawner.requests.size());
    supervisor.emplace(Supervisor::Parts{clock, poller, *telemetry, spawner, folder.path()}, *item,
                       *plan, policy);
    supervisor->start();
  }
  void begin_next() {
    ++item->attempt;
    begin();
  }
  void end(Rank rank, ExitStatus status) {
    spawner.ended[first_pid + rank] = status;
    supervisor->on_rank_ended(rank);
  }
  void time(double seconds) {
    clock.set(static_cast<std::int64_t>(seconds * 1e9), 0);
    supervisor->on_tick();
  }
  messages::RankState last(Rank about) {
    support::RecordList list;
    REQUIRE(runlog::read_log(item->folder.log_path(0), list));
    std::optional<messages::RankState> found;
    for (const auto& entry : list.entries) {
      const auto* state = std::get_if<messages::RankState>(&entry.record);
      if (state != nullptr && state->about == about) found = *state;
    }
    REQUIRE(found);
    return *found;
  }

  std::vector<messages::Notice> notices() {
    support::RecordList list;
    REQUIRE(runlog::read_log(item->folder.log_path(0), list));
    std::vector<messages::Notice> found;
    for (const auto& entry : list.entries) {
      if (const auto* notice = std::get_if<messages::Notice>(&entry.record))
        found.push_back(*notice);
    }
    return found;
  }

  std::vector<std::string> nested_told() {
    std::vector<std::string> texts;
    for (const auto& notice : notices()) {
      if (notice.code == messages::kNestedRanks) texts.push_back(notice.text);
    }
    return texts;
  }

  std::vector<messages::Stamp> of_rank(Rank rank) {
    support::RecordList list;
    REQUIRE(runlog::read_log(item->folder.log_path(0), list));
    std::vector<messages::Stamp> found;
    for (const auto& entry : list.entries) {
      if (entry.stamp.rank == rank) found.push_back(entry.stamp);
    }
    return found;
  }

  TempFolder folder;
  RestartPolicy policy;
  std::vector<std::string> environment;
  pid_t first_pid = 100;
  support::FakeClock clock;
  FakeSpawner spawner;
  wire::Poller poller;
  std::optional<RunItem> item;
  std::unique_ptr<wire::Authenticator> authenticator;
  std::unique_ptr<wire::TelemetryReceiver> telemetry;
  std::optional<Supervisor> supervisor;
};

}  // namespace ringside::agent
