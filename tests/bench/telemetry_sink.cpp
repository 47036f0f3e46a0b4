// The least that an agent does for telemetry: takes what the ranks of one run send and forgets it.
// For measuring what telemetry costs a trainer. Usage: telemetry_sink RUN_DIR WORLD_SIZE; writes
// RUN_DIR/agent.json, prints "ready", ends after every rank's goodbye, and prints how many records
// came.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "protocol/wire/gate.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"

using namespace ringside;

namespace {

int serve(const std::filesystem::path& folder, int world_size) {
  auto gate = wire::Gate::open();
  if (!gate) return 1;
  auto receiver = wire::TelemetryReceiver::open(**gate);
  if (!receiver) return 1;
  const auto card =
      (*gate)->admit(folder.filename().string(), (*receiver)->endpoint(), "tcp://127.0.0.1:1");
  if (!card || !wire::write_card(folder / "agent.json", *card)) return 1;
  (*receiver)->expect({card->run_token, 0, 0, world_size, 0});
  std::printf("ready\n");
  std::fflush(stdout);
  wire::Poller poller;
  poller.add((*gate)->poll_handle(), 0);
  poller.add((*receiver)->poll_handle(), 1);
  for (int gone = 0; gone < world_size;) {
    if (!poller.wait(-1)) return 1;
    (*gate)->serve();
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
