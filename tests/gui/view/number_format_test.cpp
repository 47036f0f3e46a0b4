#include "gui/view/number_format.h"

#include <cmath>
#include <limits>
#include <utility>

#include "tests/support/catch.h"

using namespace ringside::view;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kDay = 86'400'000'000'000;
}  // namespace

TEST_CASE("Counts have commas and a real minus") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(18'276) == "18,276");
  CHECK(count_text(11'181'642) == "11,181,642");
  CHECK(count_text(-1'000) == "−1,000");
  CHECK(count_text(std::numeric_limits<std::int64_t>::min()) == "−9,223,372,036,854,775,808");
  CHECK(step_text(4'568) == "4,569");
  CHECK(step_text(-1) == "–");
}

TEST_CASE("Decimals are rounded half up and never show minus zero") {
  CHECK(decimal_text(5'590.05, 1) == "5,590.1");
  CHECK(file_size_text(0) == "0 B");
  CHECK(file_size_text(4'100) == "4.1 kB");
  CHECK(file_size_text(94'100'000) == "94.1 MB");
  CHECK(file_size_text(3e9) == "3.0 GB");
  CHECK(decimal_text(0.125, 2) == "0.13");
  CHECK(decimal_text(-0.125, 2) == "−0.13");
  CHECK(decimal_text(-0.001, 2) == "0.00");
  CHECK(decimal_text(2.675, 2) == "2.68");
  CHECK(decimal_text(999.96, 1) == "1,000.0");
}

TEST_CASE("Unknown values are a dash, never 0") {
  CHECK(decimal_text(kNan, 1) == "–");
  CHECK(percent_text(kNan) == "–");
  CHECK(accuracy_text(kNan) == "–");
  CHECK(points_text(kNan) == "–");
  CHECK(speedup_text(kNan) == "–");
  CHECK(ms_text(kNan) == "–");
  CHECK(ms_number(kNan) == "–");
  CHECK(clock_text(kNan) == "–");
  CHECK(loss_text(kNan) == "–");
  CHECK(lr_text(kNan) == "–");
  CHECK(gib_text(kNan) == "–");
  CHECK(rough_duration_text(kNan) == "–");
  CHECK(age_text(kNan) == "–");
  CHECK(day_text(0, 5 * kDay) == "–");
  CHECK(loss_text(std::numeric_limits<double>::infinity()) == "∞");
}

TEST_CASE("Speedup, efficiency, accuracy and points have the specified formats") {
  CHECK(speedup_text(3.41) == "3.41×");
  CHECK(speedup_text(0.6911) == "0.69×");
  CHECK(ideal_text(4) == "4×");
  CHECK(ideal_text(1.5) == "1.50×");
  CHECK(percent_text(3.41 / 4) == "85 %");
  CHECK(percent_text(0.845) == "85 %");
  CHECK(percent_text(0.83) == "83 %");
  CHECK(percent1_text(0.7771) == "77.7 %");
  CHECK(accuracy_text(0.7521) == "75.21 %");
  CHECK(accuracy_number(0.75305) == "75.31");
  CHECK(points_text(-0.0064) == "−0.64 pp");
  CHECK(points_text(0.0131) == "1.31 pp");
}

TEST_CASE("Losses have three decimals in tables and four in read-outs") {
  CHECK(loss_text(0.2684) == "0.268");
  CHECK(loss_long_text(0.41468) == "0.4147");
}

TEST_CASE("A value of unknown meaning is shown to four digits") {
  CHECK(value_text(0) == "0");
  CHECK(value_text(65'536) == "65,536");
  CHECK(value_text(0.042137) == "0.04214");
  CHECK(value_text(1.5) == "1.5");
  CHECK(value_text(-123.456) == "−123.5");
  CHECK(value_text(54'321.6) == "54,322");
  CHECK(value_text(5e-4) == "5e-4");
  CHECK(value_text(2e10) == "2e10");
  CHECK(value_text(NAN) == "NaN");
  CHECK(value_text(-INFINITY) == "−∞");
}

TEST_CASE("Step times are ms with one decimal below 10 s") {
  CHECK(span_text(0) == "0 ns");
  CHECK(span_text(832) == "832 ns");
  CHECK(span_text(12'300) == "12.3 µs");
  CHECK(span_text(250'000) == "250 µs");
  CHECK(span_text(-4.5671e6) == "−4.567 ms");
  CHECK(span_text(1.2e9) == "1.2 s");
  CHECK(span_text(6e11) == "600 s");
  CHECK(span_text(kNan) == "–");
  CHECK(ms_text(91.6e6) == "91.6 ms");
  CHECK(ms_number(6.149e6) == "6.1");
  CHECK(ms_text(9.9994e9) == "9,999.4 ms");
  CHECK(ms_text(12.34e9) == "12.3 s");
}

TEST_CASE("Durations are written as clock times, seconds and words") {
  CHECK(clock_text(459) == "7:39");
  CHECK(clock_text(3725) == "1:02:05");
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(59.6) == "1:00");
  CHECK(clock_text(2018.4) == "33:38");
  CHECK(clock_text(-65) == "−1:05");
  CHECK(clock_text(-0.2) == "0:00");
  CHECK(seconds_text(591.9) == "591.9 s");
  CHECK(seconds_text(2018.4) == "2,018.4 s");
  CHECK(rough_duration_text(12.4) == "12 s");
  CHECK(rough_duration_text(2018) == "34 min");
  CHECK(rough_duration_text(12'300) == "3 h 25 min");
  CHECK(rough_duration_text(7'200) == "2 h");
  CHECK(age_text(0.012) == "12 ms");
  CHECK(age_text(4.21) == "4.2 s");
  CHECK(age_text(-1) == "0 ms");
  CHECK(age_text(600) == "10 min");
}

TEST_CASE("Memory is in GiB, files are in MB, links in GB/s") {
  CHECK(gib_text(12.4 * 1024 * 1024 * 1024) == "12.4 GiB");
  CHECK(gib_number(48.0 * 1024 * 1024 * 1024) == "48.0");
  CHECK(mb_text(94'126'000) == "94.1 MB");
  CHECK(gb_per_s_text(13.8e9) == "13.8 GB/s");
}

TEST_CASE("A learning rate reads as it was typed") {
  const std::pair<double, const char*> cases[] = {
      {0.04, "0.04"}, {0.004, "0.004"}, {0.0004, "0.0004"}, {0.01, "0.01"},
      {1.0, "1"},     {5e-4, "0.0005"}, {0.1, "0.1"},       {0, "0"}};
  for (const auto& [value, text] : cases) {
    CHECK(lr_text(value) == text);
    CHECK(lr_text(static_cast<double>(static_cast<float>(value))) == text);
  }
}

TEST_CASE("A learning rate that a schedule computed has four digits") {
  CHECK(lr_text(5e-5 * 5 / 6) == "0.00004167");
  CHECK(lr_text(0.1 * (1 + std::cos(1.0)) / 2) == "0.07702");
  CHECK(lr_text(1.0 / 3) == "0.3333");
  CHECK(lr_text(0.123456) == "0.123456");
}

TEST_CASE("Times of day and dates depend on the present time") {
  const std::int64_t wall = 1'795'271'527'912'000'000;  // 2026-11-21 14:32:07.912 UTC, a Saturday
  CHECK(wall_clock_text(wall, true) == "14:32:07.912");
  CHECK(moment_text(wall, wall + 1, true) == "14:32:07.912");
  const std::int64_t day = std::int64_t{86'400} * 1'000'000'000;
  CHECK(moment_text(wall, wall + day, true) ==
        date_time_text(wall, true).substr(0, 10) + " 14:32:07.912");
  CHECK(day_text(wall, wall + kDay / 24, true) == "14:32");
  CHECK(day_text(wall, wall + kDay, true) == "yesterday");
  const std::int64_t late = wall + 9 * (kDay / 24);          // 23:32
  CHECK(day_text(late, late + kDay / 24, true) == "23:32");  // shown an hour later, at 0:32
  CHECK(day_text(wall, wall + 3 * kDay, true) == "Sat");
  CHECK(day_text(wall, wall + 7 * kDay, true) == "2026-11-21");
  CHECK(day_text(wall, wall - kDay, true) == "2026-11-21");
}

TEST_CASE("Singular and plural follow the number") {
  CHECK(plural(1, "epoch", "epochs") == "1 epoch");
  CHECK(plural(0, "epoch", "epochs") == "0 epochs");
  CHECK(plural(1'204, "line", "lines") == "1,204 lines");
  CHECK(spread_text(75.31, 0.12, 2) == "75.31 ± 0.12");
}

TEST_CASE("Ticks show as many decimals as their step needs") {
  CHECK(tick_text(2, 1) == "2");
  CHECK(tick_text(4'400, 50) == "4,400");
  CHECK(tick_text(0.5, 0.5) == "0.5");
  CHECK(tick_text(0.05, 0.01) == "0.05");
  CHECK(tick_text(0.3, 0.1) == "0.3");
  CHECK(tick_text(-0.2, 0.1) == "−0.2");
}
