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

// One bit for each path that can be opened.
int opened(const std::vector<std::string>& paths) {
  int bits = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const int fd = ::open(paths[i].c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) bits |= 1 << i;
    if (fd >= 0) ::close(fd);
  }
  return bits;
}

// An endpoint with the right addresses, name and server, but the keys of another run. Its
// authenticator has threads, which must have ended before the next fork.
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

TEST_CASE("S2: another user can read nothing of a run, however open its parent folders are") {
  if (!can_become_nobody()) return;
  AgentRig rig;
  // The folder is readable and searchable by everybody, like some home folders.
  REQUIRE(::chmod(rig.path().c_str(), 0755) == 0);
  const auto made = rig.make_run(2, {"--steps=1000000"});
  REQUIRE(::chmod(made.path().c_str(), 0755) == 0);
  rig.start({made});
  REQUIRE(wait_for_steps(made, 1, 3, 10));
  // The run folder itself is created with mode 0700; here it is open, and the files that the agent
  // made inside must be protected by their own modes.
  const std::vector<std::string> files = {
      made.agent_path().string(), made.log_path(0).string(), made.attempt_dir(0).string(),
      (made.rank_dir(0, 0) / "stdout").string(), made.lock_path().string()};
  REQUIRE(opened(files) == 31);
  CHECK(as_nobody([&] { return opened(files); }) == 0);
}

TEST_CASE("S2: another user who knows the address has no key and gets no access") {
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
  // With the run's own key the same question is answered, so the key was what was missing.
  CHECK(as_nobody([&] { return ask(*endpoint); }) == 1);
}
