#include "gui/session/manual_controller.h"

#include <cstdlib>
#include <semaphore>

#include "gui/manual/manual.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::Jobs;
using session::ManualController;

namespace {

/// Assets with a manual of one topic.
class OwnAssets {
 public:
  OwnAssets() {
    std::filesystem::create_directories(folder_.path() / "presets");
    ::setenv("RINGSIDE_ASSETS_DIR", folder_.path().c_str(), 1);
  }
  ~OwnAssets() { ::unsetenv("RINGSIDE_ASSETS_DIR"); }
  void add_topic() const { folder_.write("manual/ssh.md", "# Another machine\n\nAbout.\n"); }

 private:
  TempFolder folder_;
};

}  // namespace

TEST_CASE("the manual is read when it is first opened, and again if reading failed") {
  const OwnAssets assets;
  std::counting_semaphore<> woken(0);
  Jobs jobs([&woken] { woken.release(); });
  ManualController manual(jobs);
  CHECK(manual.facts().times == 0);
  manual.open({"ssh", "keys"});
  CHECK(manual.facts().wanted == view::ManualPlace{"ssh", "keys"});
  CHECK(manual.facts().times == 1);
  REQUIRE(woken.try_acquire_for(testing::kPatience));
  CHECK(jobs.finish());
  CHECK(manual.facts().manual == nullptr);
  CHECK(manual.facts().problem.find("manual") != std::string::npos);
  assets.add_topic();
  manual.open({"ssh", "keys"});
  CHECK(manual.facts().times == 2);
  REQUIRE(woken.try_acquire_for(testing::kPatience));
  CHECK(jobs.finish());
  REQUIRE(manual.facts().manual != nullptr);
  CHECK(manual.facts().problem.empty());
  CHECK(manual.facts().manual->topics() == std::vector<std::string>{"ssh", "keys"});
  manual.read();
  CHECK_FALSE(jobs.running("read the manual"));
}
