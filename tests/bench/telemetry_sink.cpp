// A minimal receiver of telemetry in place of an agent: takes what the ranks of one run send and
// discards it, to measure the cost of telemetry for a trainer. Usage: telemetry_sink RUN_DIR
// WORLD_SIZE; writes RUN_DIR/agent.json, prints "ready", ends after every rank's goodbye, and
// prints the number of records.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "protocol/wire/authenticator.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"

using namespace ringside;

namespace {

int serve(const std::filesystem::path& folder, int world_size) {
  auto authenticator = wire::Authenticator::open();
  if (!authenticator) return 1;
  auto receiver = wire::TelemetryReceiver::open(**authenticator);
  if (!receiver) return 1;
  const auto endpoint =
      (*authenticator)
          ->authorize(folder.filename().string(), (*receiver)->endpoint(), "tcp://127.0.0.1:1");
  if (!endpoint || !wire::write_agent_endpoint(folder / "agent.json", *endpoint)) return 1;
  (*receiver)->expect({endpoint->run_token, 0, 0, world_size, 0});
  std::printf("ready\n");
  std::fflush(stdout);
  wire::Poller poller;
  poller.add((*authenticator)->poll_handle(), 0);
  poller.add((*receiver)->poll_handle(), 1);
  for (int gone = 0; gone < world_size;) {
    if (!poller.wait(-1)) return 1;
    (*authenticator)->serve();
    while (const auto batch = (*receiver)->receive())
      gone += batch->kind == wire::Batch::Kind::kGoodbye ? 1 : 0;
  }
  std::printf("%llu records\n", static_cast<unsigned long long>((*receiver)->counts().records));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: telemetry_sink RUN_DIR WORLD_SIZE\n");
    return 2;
  }
  return serve(std::filesystem::absolute(argv[1]), std::atoi(argv[2]));
}
