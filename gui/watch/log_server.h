// Makes watched runs visible and stoppable like those of an agent: writes agent.json in each
// folder, and answers viewers. Receives no telemetry. Uses the thread of the Watcher.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gui/watch/run_recorder.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/control_server.h"
#include "protocol/wire/poller.h"

namespace ringside::watch {

class LogServer {
 public:
  static Result<LogServer> open();

  /// Announces new runs.
  Result<void> update(const std::vector<RunRecorder*>& recorders);
  /// Removes agent.json, as the log is complete.
  void finish(RunRecorder& recorder);
  /// Answers viewers for up to this time; returns the runs that they asked to stop.
  std::vector<RunId> serve(std::int64_t wait_ns);

 private:
  struct Served {
    RunId id;
    wire::AgentEndpoint endpoint;
    bool over = false;
  };

  LogServer(std::unique_ptr<wire::Authenticator> authenticator,
            std::unique_ptr<wire::ControlServer> viewers);
  Result<void> announce(const RunRecorder& recorder);
  Served* find(const RunId& id);
  std::pair<bool, std::string> answer(const wire::ControlRequest& request,
                                      std::vector<RunId>& stops);

  std::unique_ptr<wire::Authenticator> authenticator_;
  std::unique_ptr<wire::ControlServer> viewers_;
  wire::Poller poller_;
  std::vector<std::unique_ptr<Served>> served_;
};

}  // namespace ringside::watch
