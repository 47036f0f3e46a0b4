#include "gui/watch/log_server.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace ringside::watch {
Result<LogServer> LogServer::open() {
  auto authenticator = RINGSIDE_TRY(wire::Authenticator::open());
  auto viewers = RINGSIDE_TRY(wire::ControlServer::open(*authenticator));
  return LogServer(std::move(authenticator), std::move(viewers));
}

LogServer::LogServer(std::unique_ptr<wire::Authenticator> authenticator,
                     std::unique_ptr<wire::ControlServer> viewers)
    : authenticator_(std::move(authenticator)), viewers_(std::move(viewers)) {
  poller_.add(authenticator_->poll_handle(), 0);
  poller_.add(viewers_->poll_handle(), 1);
}

LogServer::Served* LogServer::find(const RunId& id) {
  const auto found =
      std::ranges::find_if(served_, [&](const auto& served) { return served->id == id; });
  return found == served_.end() ? nullptr : found->get();
}

// The viewers' address is given for both sockets, as no telemetry is received.
Result<void> LogServer::announce(const RunRecorder& recorder) {
  const RunId id = recorder.folder().id();
  auto endpoint =
      RINGSIDE_TRY(authenticator_->authorize(id, viewers_->endpoint(), viewers_->endpoint()));
  RINGSIDE_TRY(wire::write_agent_endpoint(recorder.folder().agent_path(), endpoint));
  served_.push_back(std::make_unique<Served>(Served{id, std::move(endpoint)}));
  return {};
}

Result<void> LogServer::update(const std::vector<RunRecorder*>& recorders) {
  for (const RunRecorder* recorder : recorders) {
    if (find(recorder->folder().id()) != nullptr) continue;
    RINGSIDE_TRY(announce(*recorder));
  }
  return {};
}

void LogServer::finish(RunRecorder& recorder) {
  Served* served = find(recorder.folder().id());
  if (served == nullptr || std::exchange(served->over, true)) return;
  authenticator_->revoke(served->endpoint);
  std::error_code ignored;
  std::filesystem::remove(recorder.folder().agent_path(), ignored);
}

std::pair<bool, std::string> LogServer::answer(const wire::ControlRequest& request,
                                               std::vector<RunId>& stops) {
  const auto found = std::ranges::find_if(
      served_, [&](const auto& served) { return served->endpoint.run_token == request.run_token; });
  if (found == served_.end()) return {false, "no such run is followed here"};
  const Served* served = found->get();
  if (request.kind == wire::ControlRequest::Kind::kStatus) {
    const nlohmann::json status = {
        {"run", served->id}, {"state", served->over ? "stopped" : "training"}, {"log_problem", ""}};
    return {true, status.dump()};
  }
  if (served->over) return {false, "run " + served->id + " is not followed any more"};
  stops.push_back(served->id);
  return {true, "stopping"};
}

std::vector<RunId> LogServer::serve(std::int64_t wait_ns) {
  (void)poller_.wait(wait_ns);
  authenticator_->serve();
  std::vector<RunId> stops;
  while (const auto request = viewers_->serve()) {
    const auto [ok, text] = answer(*request, stops);
    viewers_->reply(*request, ok, text);
  }
  return stops;
}

}  // namespace ringside::watch
