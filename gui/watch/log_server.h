// Makes the logs of watched runs findable and stoppable as those of an agent are: agent.json in
// each folder, and answers to viewers. No telemetry comes in. One thread, with the
// Watcher.
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

  /// Announces those that are new.
  Result<void> update(const std::vector<RunRecorder*>& recorders);
  /// The log is complete: agent.json goes.
  void finish(RunRecorder& recorder);
  /// Answers viewers, at most so long; returns the runs that they asked to stop.
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
