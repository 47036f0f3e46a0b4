// The count in the writer's text is the one that a reader finds.
#include "protocol/runlog/log_gap.h"

#include "tests/support/catch.h"

using namespace ringside::runlog;

TEST_CASE("R9: the number of missing records is read back from the notice") {
  const auto text = log_gap_text(3.25, 1063, 65536, "No space left on device; 12 records (x");
  CHECK(text.find("for 3.2 s: 1063 records (65536 bytes) are missing; No space") != text.npos);
  CHECK(log_gap_records(text) == 1063);
  CHECK(log_gap_records("rank 1 ended") == 0);
  CHECK(log_gap_records(" s: many records (") == 0);
}
