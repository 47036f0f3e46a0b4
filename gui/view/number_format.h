// Formats every number that a person reads: comma for thousands, point for decimals, U+2212 as
// minus, a space before the unit and before %, "–" instead of 0 for unknown values (NaN, or an
// empty optional). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::view {

inline constexpr std::string_view kDash = "–";

/// Example: 18,276
std::string count_text(std::int64_t value);
/// Example: 5,824; samples per second and other rates, rounded to integers
std::string rate_text(double per_s);
/// Formats the number of a step. Steps are stored from 0 and shown from `first`, which is
/// messages::first_step_number() of the run: 4568 gives 4,569; a step below 0 is unknown.
std::string step_text(std::int64_t step, std::int64_t first = 1);
/// Formats the step of a logged value, which may be negative and is then shown unchanged.
std::string value_step_text(std::int64_t step, std::int64_t first = 1);
/// Formats with fixed decimals and thousands separators: 5,590.1
std::string decimal_text(double value, int decimals);
/// Example: 3.41×
std::string speedup_text(double value);
/// Formats an integer as 4×, any other value as speedup_text does.
std::string ideal_text(double value);
/// Formats a share of 0 .. 1, rounded half up: 85 %
std::string percent_text(double share);
/// Example: 77.7 %
std::string percent1_text(double share);
/// Example: 75.21 %
std::string accuracy_text(double share);
/// Example: 75.21; for columns whose head has the unit
std::string accuracy_number(double share);
/// Formats a relative change: +2.1 %
std::string change_text(double share);
/// Formats the difference of two shares in percentage points: −0.64 pp
std::string points_text(double difference);
/// Formats a value of unknown meaning to four digits: 0.0421, 1,397, 5e-4; "NaN" if it is not a
/// number
std::string value_text(double value);
/// Example: 0.268; for tables
std::string loss_text(double value);
/// Example: 0.4147; for read-outs
std::string loss_long_text(double value);
/// Formats nanoseconds in ms with one decimal, without the unit: 91.6; from 10 s on, in seconds
/// with the unit
std::string ms_number(double ns);
/// Example: 91.6 ms
std::string ms_text(double ns);
/// Formats a duration in the unit that fits, with at most three decimals: 832 ns, 12.3 µs, 4.567
/// ms, 1.2 s
std::string span_text(double ns);
/// Examples: 7:39, 1:02:05
std::string clock_text(double seconds);
/// Example: 591.9 s
std::string seconds_text(double seconds);
/// Examples: "about 34 min", "12 s", "3 h 25 min"
std::string rough_duration_text(double seconds);
/// Formats bytes in GiB without the unit: 12.4
std::string gib_number(double bytes);
/// Example: 12.4 GiB
std::string gib_text(double bytes);
/// Formats bytes in powers of ten: 94.1 MB
std::string mb_text(double bytes);
/// Formats the size of a file in the unit that fits, in powers of ten: 812 B, 4.1 kB, 94.1 MB, 3.0
/// GB
std::string file_size_text(double bytes);
/// Example: 13.8 GB/s
std::string gb_per_s_text(double bytes_per_s);
/// Formats a learning rate as typed: the shortest text that reads back as the same float, without
/// an exponent (0.004; 5e-4 becomes 0.0005). A rate that a schedule computed has four digits:
/// 0.00004167
std::string lr_text(double value);
/// Example: 75.31 ± 0.12
std::string spread_text(double mean, double deviation, int decimals);
/// Formats a time of day in the machine's time zone, or in UTC if `utc`: 14:32:07.912
std::string wall_clock_text(std::int64_t wall_ns, bool utc = false);
/// Formats a time of day; with its date if it is on another day than `now_wall_ns`: 2026-11-03
/// 14:32:07.912
std::string moment_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc = false);
/// Formats date and time in the machine's time zone, or in UTC if `utc`: 2026-11-03 14:32
std::string date_time_text(std::int64_t wall_ns, bool utc = false);
/// Formats a time as "14:24" today, "yesterday", weekday within a week, else 2026-11-03
std::string day_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc = false);
/// Formats an age: "12 ms", "4.2 s"
std::string age_text(double seconds);
/// Examples: "1 epoch", "3 epochs"
std::string plural(std::int64_t count, std::string_view one, std::string_view many);
/// Formats an axis tick whose neighbours are `step` apart: 2.0, 4,400, 0.05
std::string tick_text(double value, double step);

/// Returns "3,240 records were lost before they came into the log: ...", or an empty text for 0.
/// `or_more`: the number is a lower bound.
std::string lost_records_text(std::uint64_t records, bool or_more = false);

}  // namespace ringside::view
