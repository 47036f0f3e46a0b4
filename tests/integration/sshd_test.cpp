// `--on ssh://HOST` through the system's own ssh and sshd.
#include "tests/integration/sshd_rig.h"

#include <fstream>

#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

constexpr const char* kBox = "ssh://box";

void expect(const SshdRig& there, int code, const std::string& said) {
  const auto told = there.rig.ringside({"list", "--on", kBox});
  INFO(told.errors);
  CHECK(told.exit_code == code);
  CHECK(told.errors.find(said) != std::string::npos);
}

}  // namespace

TEST_CASE("through a real sshd a run is launched, followed, stopped and exported") {
  if (!has_sshd()) return;
  SshdRig there;
  if (!there.runs_here()) return;
  const auto started = there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=1000000"}), "--detach", "--json", "--on", kBox});
  const std::string id = started.at("runs").back().at("id").get<std::string>();
  const fs::path out = there.at("tailed");
  const pid_t tail = there.rig.start({"tail", id, "--all", "--json", "--on", kBox}, out);
  REQUIRE(wait_until(30, [&] { return fs::exists(out) && fs::file_size(out) > 10'000; }));
  CHECK(there.rig.ringside({"stop", id, "--on", kBox}).exit_code == 0);
  CHECK(there.rig.wait_exit(tail) == 0);
  CHECK(text_of(out) == there.rig.ringside({"tail", id, "--all", "--json"}).output);
  const auto exported =
      there.rig.ringside({"export", id, "--csv", there.at("csv").string(), "--on", kBox});
  INFO(exported.errors);
  CHECK(exported.exit_code == 0);
  CHECK(there.rig.json_of({"doctor", "--json", "--on", kBox}).contains("devices"));
}

TEST_CASE("each possible problem with a real ssh and sshd is named") {
  if (!has_sshd()) return;
  const SshdRig there;
  if (!there.runs_here()) return;
  expect(there, 0, "");
  there.write_ssh_config("other_user");
  expect(there, 2, "accepts no key of yours");
  there.write_ssh_config("user");
  std::ofstream(there.at("known")) << "";
  expect(there, 2, "is not known here yet");
  there.know("other_host");
  expect(there, 2, "shows another host key");
  there.know("host");
  fs::create_directory(there.at("none"));
  there.use_programs_in(there.at("none"));
  expect(there, 2, "has no program ringside");
  std::ofstream(there.at("none") / "ringside")
      << "#!/bin/sh\nprintf '\\nringside "
         "serve-stdio\\n\\047\\000\\000\\000\\001\\000\\000\\000\\000"
         "\\000\\000\\000{\"protocol\":9,\"version\":\"7\",\"host\":\"b\"}'\n";
  fs::permissions(there.at("none") / "ringside", fs::perms::owner_all);
  expect(there, 2, "has ringside 7, which is newer");
}
