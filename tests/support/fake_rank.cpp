// A rank without LibTorch that speaks the protocol and misbehaves according to its flags. Started
// by an agent as program.argv. All flags are optional; those for misbehaviour apply only to
// --only-rank=R and to --before-attempt=A if these are given:
//   --steps=N --step-ms=M        how many steps, how long each (20, 5)
//   --exit-at=STEP --code=C      leave with exit code C (3)
//   --signal-at=STEP --signal=S  send itself signal S (9)
//   --hang-at=STEP               stop working, for ever
//   --fail-at=STEP --text=T      report a failure with text T, then exit code 1
//   --ignore-term --ignore-ask   do not exit on SIGTERM, or on the agent's request
//   --leave-group                move to the process group of its parent
//   --helper=group|session       fork a helper that sleeps and ignores TERM, in the rank's group or
//   outside it
//   --flood=N                    post N records per step, as one frame
//   --lie=garbage|token|rank|attempt   send a frame that must be refused, once, at the first step
//   --loss=X                     report this loss (default: none)
//   --versions=TEXT              what it says that it runs with
//   --nan-at=STEP                report a loss of NaN from that step on
//   --silent                     no telemetry at all
//   --gate=FILE --gate-at=STEP   do not begin that step (0) before FILE exists
//   --died=DIR                   before --exit-at or --signal-at write DIR/died_R: mono_now_ns()
//   --goodbye-ms=N               how long to wait for the agent's answer to an unrequested goodbye
//   (10000)
//   --counts=DIR                 at the end write DIR/rank_R: "produced dropped acknowledged
//   send_seconds", the last in calls that send
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

#include "protocol/base/clock.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/telemetry_sender.h"
#include "tests/support/sanitized.h"

namespace {

using namespace ringside;

std::atomic<bool> term_came{false};
void on_term(int) { term_came = true; }

class Flags {
 public:
  Flags(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string text = argv[i];
      const std::size_t equals = std::min(text.find('='), text.size());
      values_[text.substr(0, equals)] = equals < text.size() ? text.substr(equals + 1) : "";
    }
  }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::string text(const std::string& name) const { return has(name) ? values_.at(name) : ""; }
  int number(const std::string& name, int otherwise) const {
    return has(name) ? std::atoi(values_.at(name).c_str()) : otherwise;
  }

 private:
  std::map<std::string, std::string> values_;
};

int environment_number(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : 0;
}

class FakeRank {
 public:
  explicit FakeRank(const Flags& flags) : flags_(flags), rank_(environment_number("RANK")) {
    misbehaves_ = (!flags.has("--only-rank") || flags.number("--only-rank", -1) == rank_) &&
                  (!flags.has("--before-attempt") ||
                   environment_number("RINGSIDE_ATTEMPT") < flags.number("--before-attempt", 0));
  }

  int run() {
    if (!bad("--ignore-term")) std::signal(SIGTERM, on_term);
    if (bad("--ignore-term")) std::signal(SIGTERM, SIG_IGN);
    if (bad("--leave-group")) ::setpgid(0, ::getpgid(::getppid()));
    if (bad("--helper")) fork_helper(flags_.text("--helper") == "session");
    std::cout << "rank " << rank_ << " starts" << std::endl;
    connect();
    hello();
    return work();
  }

 private:
  bool bad(const char* name) const { return misbehaves_ && flags_.has(name); }
  bool bad_at(const char* name, int step) const {
    return bad(name) && flags_.number(name, -1) == step;
  }

  void fork_helper(bool own_session) {
    if (::fork() != 0) return;
    if (own_session) ::setsid();
    std::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  }

  void connect() {
    if (flags_.has("--silent")) return;
    const char* folder = std::getenv("RINGSIDE_RUN_DIR");
    if (folder == nullptr) return;
    const auto endpoint = wire::read_agent_endpoint(runlog::RunFolder(folder).agent_path(node_));
    if (!endpoint) {
      std::cerr << endpoint.error().message << std::endl;
      return;
    }
    endpoint_ = *endpoint;
    auto sender = wire::TelemetrySender::connect(*endpoint, node_, rank_,
                                                 environment_number("RINGSIDE_ATTEMPT"));
    if (sender) sender_.emplace(std::move(*sender));
  }

  template <class Body>
  void post(const Body& body, std::uint32_t copies = 1) {
    if (!sender_) return;
    std::vector<std::byte> bytes;
    for (std::uint32_t i = 0; i < copies; ++i) {
      messages::append_record(bytes, {node_, rank_, produced_++, mono_now_ns()}, body);
    }
    const std::int64_t begun_ns = mono_now_ns();
    if (!sender_->send(bytes, copies)) dropped_ += copies;
    send_ns_ += mono_now_ns() - begun_ns;
  }

  void state(messages::State what, const std::string& text = "") {
    messages::RankState record;
    record.state = what;
    record.about = rank_;
    record.last_step = step_;
    record.text = text;
    post(record);
  }

  void hello() {
    messages::RankHello record;
    record.pid = static_cast<std::int32_t>(::getpid());
    record.local_rank = environment_number("LOCAL_RANK");
    record.world_size = environment_number("WORLD_SIZE");
    record.attempt = environment_number("RINGSIDE_ATTEMPT");
    record.device_uuid = "cpu";
    record.backend = "fake";
    record.versions = flags_.text("--versions");
    post(record);
    state(messages::State::kTraining);
  }

  void tell_a_lie() {
    if (!sender_) return;
    const std::string kind = flags_.text("--lie");
    if (kind == "garbage") {
      const std::array<std::byte, 100> garbage{std::byte{0xab}};
      sender_->send(garbage, 3);
      return;
    }
    wire::AgentEndpoint endpoint = endpoint_;
    if (kind == "token") ++endpoint.run_token;
    const Rank rank = kind == "rank" ? 99 : rank_;
    const int attempt = environment_number("RINGSIDE_ATTEMPT") + (kind == "attempt" ? 1 : 0);
    if (auto liar = wire::TelemetrySender::connect(endpoint, node_, rank, attempt)) {
      std::vector<std::byte> bytes;
      messages::append_record(bytes, {node_, rank, 0, mono_now_ns()}, messages::Notice{});
      liar->goodbye(bytes, 1, mono_now_ns());  // which is not answered
      liar_.emplace(std::move(*liar));
    }
  }

  // Waits for the time of a step; returns early if the agent is gone or a stop was requested.
  bool wait_one_step() {
    pollfd lifeline{environment_number("RINGSIDE_LIFELINE_FD"), POLLIN, 0};
    const bool watched = std::getenv("RINGSIDE_LIFELINE_FD") != nullptr;
    if (::poll(&lifeline, watched ? 1 : 0, flags_.number("--step-ms", 5)) > 0) {
      ::kill(0, SIGKILL);  // the agent is gone: kills the whole process group
    }
    if (!bad("--ignore-ask") && sender_ && sender_->poll_control()) return false;
    return !term_came;
  }

  // Returns false if a stop is requested meanwhile.
  bool pass_gate(int step) {
    if (!flags_.has("--gate") || step != flags_.number("--gate-at", 0)) return true;
    while (::access(flags_.text("--gate").c_str(), F_OK) != 0) {
      if (!wait_one_step()) return false;
    }
    return true;
  }

  void tell_death() const {
    if (!flags_.has("--died")) return;
    std::ofstream(flags_.text("--died") + "/died_" + std::to_string(rank_)) << mono_now_ns();
  }

  static void die_of(int signal) {
    std::signal(signal, SIG_DFL);  // a sanitizer would otherwise report it and exit
    std::raise(signal);
  }

  [[noreturn]] static void hang() {
    for (;;) ::pause();
  }

  int work() {
    const int steps = flags_.number("--steps", 20);
    for (int step = 0; step < steps; ++step) {
      if (step == 0 && bad("--lie")) tell_a_lie();
      if (bad_at("--exit-at", step) || bad_at("--signal-at", step)) tell_death();
      if (bad_at("--exit-at", step)) std::_Exit(flags_.number("--code", 3));
      if (bad_at("--signal-at", step)) die_of(flags_.number("--signal", SIGKILL));
      if (bad_at("--hang-at", step)) hang();
      if (bad_at("--fail-at", step)) {
        state(messages::State::kFailed, flags_.text("--text"));
        return finish(1, own_patience_ms());
      }
      const bool open = pass_gate(step);
      const std::int64_t begun_ns = mono_now_ns();
      if (!open || !wait_one_step()) {
        state(messages::State::kStopped);
        return finish(0, kAskedPatienceMs);
      }
      step_ = step;
      messages::StepReport report;
      report.step = step;
      // The total number of samples is the same with one rank as with several.
      report.samples = std::max(1, 12 / std::max(1, environment_number("WORLD_SIZE")));
      report.step_ns = mono_now_ns() - begun_ns;
      if (flags_.has("--loss")) report.loss = std::strtof(flags_.text("--loss").c_str(), nullptr);
      if (bad("--nan-at") && step >= flags_.number("--nan-at", 0)) report.loss = std::nanf("");
      post(report, bad("--flood") ? static_cast<std::uint32_t>(flags_.number("--flood", 1)) : 1);
    }
    state(messages::State::kFinished);
    return finish(0, own_patience_ms());
  }

  int own_patience_ms() const { return flags_.number("--goodbye-ms", 10'000); }

  int finish(int code, int patience_ms) {
    bool acknowledged = false;
    if (sender_) {
      messages::RankGoodbye goodbye;
      goodbye.produced = static_cast<std::int64_t>(produced_ + 1);
      goodbye.dropped = static_cast<std::int64_t>(dropped_);
      std::vector<std::byte> bytes;
      messages::append_record(bytes, {node_, rank_, produced_++, mono_now_ns()}, goodbye);
      acknowledged = sender_->goodbye(
          bytes, 1,
          mono_now_ns() + testing::kTimeoutFactor * patience_ms * std::int64_t{1'000'000});
    }
    if (flags_.has("--counts")) {
      std::ofstream(flags_.text("--counts") + "/rank_" + std::to_string(rank_))
          << produced_ << " " << dropped_ << " " << acknowledged << " "
          << static_cast<double>(send_ns_) * 1e-9 << "\n";
    }
    std::cout << "rank " << rank_ << " leaves" << std::endl;
    return code;
  }

  // An agent kills after its grace period when it stops a run; tests have short ones.
  static constexpr int kAskedPatienceMs = 500;

  const Flags& flags_;
  Rank rank_;
  Node node_ = environment_number("RINGSIDE_NODE");
  bool misbehaves_ = true;
  wire::AgentEndpoint endpoint_;
  std::optional<wire::TelemetrySender> sender_;
  std::optional<wire::TelemetrySender> liar_;
  std::uint64_t produced_ = 0;
  std::uint64_t dropped_ = 0;
  std::int64_t send_ns_ = 0;
  Step step_ = -1;
};

}  // namespace

int main(int argc, char** argv) {
  const Flags flags(argc, argv);
  return FakeRank(flags).run();
}
