// Tests which run the Sampler page shows, the choices on it, and how a finding leads to a corrected
// launch.
#include "gui/session/window/session.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/session_until.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;

namespace {

constexpr const char* kFirst = "20261121T100000Z-aaaaaa";
constexpr const char* kSamplerControllerSecond = "20261121T101000Z-bbbbbb";

struct SamplerControllerRig {
  SamplerControllerRig() {
    ::setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    const auto runs = folder.path() / "runs";
    support::make_run(runs, kFirst, support::demo_small(1));
    const auto second = support::make_run(runs, kSamplerControllerSecond, support::demo_small(2));
    auto spec = support::demo_spec(support::demo_small(2));
    spec.sampler.set_epoch = false;
    REQUIRE(write_text_atomically(second.spec_path(), messages::to_toml(spec)));
    Session::Options wanted;
    wanted.runs_dir = runs;
    wanted.run = kFirst;
    wanted.page = "sampler";
    session = std::make_unique<Session>(wanted, [] {});
    REQUIRE(session->start());
    REQUIRE(until([](const view::ScreenInput& input) {
      return input.runs.runs.size() == 2 && input.runs.unread == 0;
    }));
  }

  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(*session, holds);
  }

  TempFolder folder;
  std::unique_ptr<Session> session;
};

}  // namespace

TEST_CASE("the page shows the open run, or another one that is chosen") {
  SamplerControllerRig rig;
  CHECK(rig.session->page() == view::Page::kSampler);
  CHECK(rig.session->input().sampler.id == kFirst);
  CHECK(rig.session->input().sampler.model == rig.session->input().live.model);
  rig.session->execute({view::SetSamplesPerCell{16}, view::PickEpoch{3}, view::ScrollSamples{-5}});
  CHECK(rig.session->input().sampler.choice == view::SamplerChoice{16, 0, -1, 3});
  rig.session->execute({view::ShowSamplesOf{kSamplerControllerSecond}});
  CHECK(rig.session->input().sampler.choice == view::SamplerChoice{});
  REQUIRE(rig.until([](const view::ScreenInput& input) {
    return input.sampler.id == kSamplerControllerSecond && input.sampler.model->ranks().size() == 2;
  }));
  CHECK(rig.session->input().live.context.id == kFirst);
  CHECK(rig.session->page() == view::Page::kSampler);
  rig.session->execute({view::ShowSamplesOf{}});
  CHECK(rig.session->input().sampler.id == kFirst);
  rig.session->execute({view::ShowSamplesOf{"nonsense"}});
  CHECK(rig.session->input().sampler.id == kFirst);
}

TEST_CASE("a repeated order is corrected in the form of the next launch") {
  SamplerControllerRig rig;
  rig.session->execute({view::FixSampling{"nonsense"}});
  CHECK(rig.session->page() == view::Page::kSampler);
  CHECK_FALSE(rig.session->input().message.text.empty());
  rig.session->execute({view::FixSampling{kSamplerControllerSecond}});
  CHECK(rig.session->page() == view::Page::kLaunch);
  const auto& spec = rig.session->input().launch.form->spec();
  CHECK(spec.sampler.set_epoch);
  CHECK(spec.devices.world_size == 2);
}
