// R10: missing parts of a log are reported, and nothing is if none is missing.
#include "gui/view/log_damage.h"

#include "gui/view/number_format.h"
#include "tests/support/catch.h"

using namespace ringside;
using view::damage_text;

namespace {

runs::LogDamage whole() {
  runs::LogDamage damage;
  damage.end = {messages::Stamp{0, 1, 12, 34}, "step", 411, true};
  damage.left = true;
  return damage;
}

}  // namespace

TEST_CASE("R10: a whole log, and one that is still written, have no damage") {
  CHECK(damage_text(whole()).empty());
  auto live = whole();
  live.left = false;
  live.end.run_ended = false;
  live.log.tail_bytes = 100;
  CHECK(damage_text(live).empty());
}

TEST_CASE("R10: damage is reported with its offset, its size and the last record") {
  auto damaged = whole();
  damaged.log.skipped_bytes = 5000;
  damaged.log.first_skipped = 1234;
  damaged.log.lost_segments = 2;
  damaged.lost_records = 3;
  CHECK(
      damage_text(damaged) ==
      "Damaged parts of the log were skipped: 5,000 bytes, the first at byte 1,234. 2 segments of "
      "the log are missing. In what was read the last complete record is a step (412) of rank 1. " +
          view::lost_records_text(3));
  damaged.lost_more = true;
  CHECK(view::damage_text(damaged).find("At least 3 records were lost") != std::string::npos);
}

TEST_CASE("R10: missing logs are named, with what to do") {
  auto half = whole();
  half.missing_nodes = {1};
  CHECK(damage_text(half) ==
        "The log of node 1 is missing: what its ranks reported is not in this folder. Copy "
        "node_1.log "
        "from the machine where it was written.");
  half.missing_nodes = {0};
  half.end.run_ended = false;
  CHECK(
      damage_text(half).starts_with("The log of node 0 is missing: what its ranks reported and how "
                                    "the run went is not in this folder. Copy node_0.log"));
  CHECK(damage_text(half).find(". The end of the run is missing in the log.") != std::string::npos);
  half = whole();
  half.missing_nodes = {1, 3};
  CHECK(damage_text(half).starts_with(
      "The logs of nodes 1, 3 are missing: what their ranks reported is not in this folder. Copy "
      "node_K.log of each"));
  CHECK(view::missing_logs_text({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) ==
        "The logs of nodes 1, 2, 3, 4, 5, 6, 7, 8 and 2 more are missing");
  CHECK(view::missing_logs_text({}).empty());
}

TEST_CASE("R10: a log that is cut off is reported to miss the end of the run") {
  auto cut = whole();
  cut.end.run_ended = false;
  CHECK(damage_text(cut).starts_with("The end of the run is missing in the log. In what was read"));
  cut.log.consumed_bytes = 900;
  cut.log.tail_bytes = 100;
  CHECK(damage_text(cut).starts_with("The log is cut off at byte 1,000: its last 100 bytes"));
  cut.end = {};
  CHECK(damage_text(cut).find("there is no complete record") != std::string::npos);
}
