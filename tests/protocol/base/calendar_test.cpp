#include "protocol/base/calendar.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("a time is written in UTC to the second or to the millisecond") {
  CHECK(utc_text(1'795'271'067'012'999'999) == "2026-11-21T14:24:27Z");
  CHECK(utc_text(1'795'271'067'012'999'999, true) == "2026-11-21T14:24:27.012Z");
  CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
  CHECK(utc_text(-1, true) == "1969-12-31T23:59:59.999Z");
  CHECK(utc_text(-86'400'000'000'000, true) == "1969-12-31T00:00:00.000Z");
}

TEST_CASE("a calendar time has the parts of the wall clock time") {
  const std::tm parts = calendar_of(1'795'271'067'000'000'000, TimeZone::kUtc);
  CHECK(parts.tm_year == 126);
  CHECK(parts.tm_mon == 10);
  CHECK(parts.tm_mday == 21);
  CHECK(parts.tm_hour == 14);
}
