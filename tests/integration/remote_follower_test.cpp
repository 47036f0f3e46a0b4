// Copies that a window keeps fresh, of a machine that is this one behind a program in place of ssh.
#include "gui/remote/follower.h"

#include <filesystem>

#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a run that is not there any more keeps neither the list nor other runs from coming") {
  constexpr const char* kGone = "20261121T100000Z-aaaaaa";
  constexpr const char* kOpened = "20261121T110000Z-bbbbbb";
  constexpr const char* kListed = "20261121T120000Z-cccccc";
  RemoteRig there;
  for (const char* id : {kOpened, kListed})
    support::make_run(there.rig.runs(), id, support::demo_small(2));
  const auto copies = there.rig.path() / "copies";
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  follower.watch(kGone);
  follower.watch(kOpened);
  for (const char* id : {kOpened, kListed}) {
    INFO(id);
    CHECK(wait_until(20, [&] { return std::filesystem::exists(copies / id / "node_0.log"); }));
  }
  REQUIRE(wait_until(20, [&] { return follower.state().listed; }));
  CHECK(wait_until(20, [&] { return follower.state().sentence.empty(); }));
  // One that is deleted there goes here.
  std::filesystem::remove_all(there.rig.runs() / kListed);
  CHECK(wait_until(20, [&] { return !std::filesystem::exists(copies / kListed); }));
  CHECK(std::filesystem::exists(copies / kOpened));
}
