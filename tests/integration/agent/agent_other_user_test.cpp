// Promise S2: another user of the machine can neither read a run nor talk to its agent.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "protocol/wire/authenticator.h"
#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/nobody.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// A bit for each of the paths that can be opened.
int opened(const std::vector<std::string>& paths) {
  int bits = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const int fd = ::open(paths[i].c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) bits |= 1 << i;
    if (fd >= 0) ::close(fd);
  }
  return bits;
}

// The right addresses, name and server, but keys of somebody else's run. Its authenticator has
// threads, which must be gone before the next fork.
wire::AgentEndpoint endpoint_of_a_stranger(const wire::AgentEndpoint& endpoint) {
  const auto authenticator = wire::Authenticator::open();
  REQUIRE(authenticator);
  auto stranger =
      (*authenticator)
          ->authorize(endpoint.run_id, endpoint.telemetry_endpoint, endpoint.viewer_endpoint);
  REQUIRE(stranger);
  stranger->server_public_key = endpoint.server_public_key;
  stranger->run_token = endpoint.run_token;
  return *stranger;
}

}  // namespace

TEST_CASE("S2: another user reads nothing of a run, however open the folders above are") {
  if (!can_become_nobody()) return;
  AgentRig rig;
  // The folder is open as in a home that everybody may walk through.
  REQUIRE(::chmod(rig.path().c_str(), 0755) == 0);
  const auto made = rig.make_run(2, {"--steps=1000000"});
  REQUIRE(::chmod(made.path().c_str(), 0755) == 0);
  rig.start({made});
  REQUIRE(wait_for_steps(made, 1, 3, 10));
  // The run folder itself is made 0700 by whoever plans the run; here it is open, and what the
  // agent made inside must hold by itself.
  const std::vector<std::string> files = {
      made.agent_path().string(), made.log_path(0).string(), made.attempt_dir(0).string(),
      (made.rank_dir(0, 0) / "stdout").string(), made.lock_path().string()};
  REQUIRE(opened(files) == 31);
  CHECK(as_nobody([&] { return opened(files); }) == 0);
}

TEST_CASE("S2: another user who knows the address has no key and is not let in") {
  if (!can_become_nobody()) return;
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=1000000"});
  rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 10));
  const auto endpoint = wire::read_agent_endpoint(run.agent_path());
  REQUIRE(endpoint);
  const wire::AgentEndpoint stranger = endpoint_of_a_stranger(*endpoint);
  const auto ask = [](const wire::AgentEndpoint& with, std::int64_t patience_ns = kPatienceNs) {
    auto viewer = wire::ControlClient::connect(with);
    return viewer && viewer->ask_status(patience_ns) ? 1 : 0;
  };
  CHECK(as_nobody([&] { return ask(stranger, 1'500'000'000); }) == 0);
  // The same question with the run's own key is answered: it is the key that was missing.
  CHECK(as_nobody([&] { return ask(*endpoint); }) == 1);
}
