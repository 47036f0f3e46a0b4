#include "gui/view/live/event_strip.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

namespace ringside {
namespace {

using analysis::Alert;
using analysis::AlertKind;
using support::MadeRun;
using view::event_view;
using view::plain;

TEST_CASE(
    "A rank that its group waits for is reported with the collective that it has not entered, and "
    "with the ranks that wait") {
  MadeRun run(8);
  run.say(4, 0, messages::GroupReport{0, "0", "dp_shard", "", "gloo", {4, 5, 6, 7}});
  Alert alert;
  alert.kind = AlertKind::kRankHung;
  alert.rank = 6;
  alert.seconds = 20;
  alert.hang = {6, 0, messages::Collective::kAllGather, 41, 20, {4, 5, 7}};
  CHECK(plain(event_view(alert, run.model(), nullptr).main) ==
        "Rank 6 has not entered all-gather 41 of dp_shard (r4-r7) for 20 s; ranks 4, 5 and 7 "
        "wait.");
  alert.hang.waiting = {4};
  CHECK(plain(event_view(alert, run.model(), nullptr).main).ends_with("; rank 4 waits."));
}

}  // namespace
}  // namespace ringside
