#include "gui/slurm/time_limit.h"

#include "gui/slurm/options.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("a time limit is read in sbatch's formats, in whole minutes") {
  CHECK(limit_seconds("30") == 1800);
  CHECK(limit_seconds("30:00") == 1800);
  CHECK(limit_seconds("3:01") == 240);
  CHECK(limit_seconds("2:00:00") == 7200);
  CHECK(limit_seconds("0:02:30") == 180);
  CHECK(limit_seconds("1-0") == 86400);
  CHECK(limit_seconds("1-12:30") == 131400);
  CHECK(limit_seconds("1-12:30:00") == 131400);
}

TEST_CASE("a text that means no limit, or that sbatch refuses, is left to sbatch") {
  for (const char* text : {"", "0", "0:00", "-1", "INFINITE", "UNLIMITED", "two", "1:2:3:4", "1-",
                           "1--2", "5m", "1-2:3:4:5", "99999999999999999999"})
    CHECK_FALSE(limit_seconds(text));
}

TEST_CASE("a time limit that would stop the run as it starts is a bad request") {
  for (const char* text : {"1", "2", "3", "3:00", "0:02:59", "0-0:3"}) {
    CAPTURE(text);
    const auto fine = check_time_limit(text);
    REQUIRE_FALSE(fine);
    CHECK(fine.error().kind == ErrorKind::kRequest);
    CHECK(fine.error().message.find("4 minutes or more") != std::string::npos);
  }
  for (const char* text : {"4", "3:01", "2:00:00", "1-0", "0", "INFINITE", ""})
    CHECK(check_time_limit(text));
}

TEST_CASE("the limit is checked wherever it is given, and the last one counts as in sbatch") {
  CHECK_FALSE(check_options({.time = "2"}));
  CHECK_FALSE(check_options({.more = {"time=2"}}));
  CHECK_FALSE(check_options({.time = "60", .more = {"time=2"}}));
  CHECK(check_options({.time = "2", .more = {"time=60"}}));
  CHECK(check_options({.more = {"time-min=2"}}));
}
