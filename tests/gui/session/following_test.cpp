// Tests which run the window opens automatically.
#include "gui/session/run/following.h"

#include "tests/support/catch.h"

using namespace ringside;
using session::Following;

namespace {

runs::RunSummary run(const std::string& id, const std::string& word, bool live) {
  runs::RunSummary made = runs::read_summary({runlog::RunFolder("/not there/" + id), 0});
  made.state.word = word;
  made.state.live = live;
  return made;
}

}  // namespace

TEST_CASE("the runs of a study are opened one after the other until another run is opened") {
  Following following;
  CHECK(following.all_open());
  CHECK_FALSE(following.next());
  following.begin({runlog::RunFolder("/runs/a"), runlog::RunFolder("/runs/b")});
  CHECK(following.next()->id() == "a");
  CHECK_FALSE(following.all_open());
  following.forget();
  CHECK_FALSE(following.next());
}

TEST_CASE("an active run is found once, and a queued run is not active") {
  const std::vector<runs::RunSummary> runs{run("a", "finished", false), run("b", "queued", true),
                                           run("c", "training", true)};
  Following following;
  CHECK(following.find_live({runs[0], runs[1]}, false) == nullptr);
  const auto* found = following.find_live(runs, false);
  REQUIRE(found == &runs[2]);
  CHECK(following.find_live(runs, false) == nullptr);
}

TEST_CASE("an active run is searched for until all runs are read or one was opened") {
  const std::vector<runs::RunSummary> live{run("c", "training", true)};
  Following all_read;
  CHECK(all_read.find_live({}, true) == nullptr);
  CHECK(all_read.find_live(live, true) == nullptr);
  Following opened;
  opened.stop_looking();
  CHECK(opened.find_live(live, false) == nullptr);
}
