// Every number a person reads is written here: comma for thousands, point for decimals, U+2212 as
// minus, a space before the unit and before %, "–" for what is not known (NaN, or an empty
// optional), never 0. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::view {

inline constexpr std::string_view kDash = "–";

/// 18,276
std::string count_text(std::int64_t value);
/// "5,824": samples per second and other rates, rounded.
std::string rate_text(double per_s);
/// A step is stored from 0 and shown from `first`, messages::first_step_number() of its run: 4568
/// gives 4,569; below 0 is not known.
std::string step_text(std::int64_t step, std::int64_t first = 1);
/// The step of a logged value, which may be below 0 and is then shown as it is.
std::string value_step_text(std::int64_t step, std::int64_t first = 1);
/// Fixed decimals with thousands: 5,590.1
std::string decimal_text(double value, int decimals);
/// 3.41×
std::string speedup_text(double value);
/// 4× when whole, else as speedup_text.
std::string ideal_text(double value);
/// 85 % (half up); share 0 .. 1
std::string percent_text(double share);
/// 77.7 %
std::string percent1_text(double share);
/// 75.21 %
std::string accuracy_text(double share);
/// 75.21, for columns whose header carries the unit
std::string accuracy_number(double share);
/// +2.1 %; of what has changed by this share
std::string change_text(double share);
/// −0.64 pp; difference of two shares
std::string points_text(double difference);
/// A number of which nothing is known but its value, to four digits: 0.0421, 1,397, 5e-4; "NaN"
/// where it is none
std::string value_text(double value);
/// 0.268 in tables
std::string loss_text(double value);
/// 0.4147 in read-outs
std::string loss_long_text(double value);
/// 91.6 of nanoseconds, in ms with one decimal; below 10 s always ms, seconds with a unit beyond
std::string ms_number(double ns);
/// 91.6 ms
std::string ms_text(double ns);
/// 832 ns, 12.3 µs, 4.567 ms, 1.2 s: whatever it takes, to three decimals at most
std::string span_text(double ns);
/// 7:39, 1:02:05
std::string clock_text(double seconds);
/// 591.9 s
std::string seconds_text(double seconds);
/// "about 34 min", "12 s", "3 h 25 min"
std::string rough_duration_text(double seconds);
/// 12.4 of bytes
std::string gib_number(double bytes);
/// 12.4 GiB
std::string gib_text(double bytes);
/// 94.1 MB (powers of ten)
std::string mb_text(double bytes);
/// 13.8 GB/s
std::string gb_per_s_text(double bytes_per_s);
/// A learning rate as typed: the shortest text that reads back as the same float; 0.004, 5e-4
/// becomes 0.0005. Four digits of one that a schedule computed: 0.00004167
std::string lr_text(double value);
/// 75.31 ± 0.12
std::string spread_text(double mean, double deviation, int decimals);
/// 14:32:07.912, local time of the machine unless `utc`
std::string wall_clock_text(std::int64_t wall_ns, bool utc = false);
/// Wall clock; on another day than `now_wall_ns` with its date: 2026-11-03 14:32:07.912
std::string moment_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc = false);
/// 2026-11-03 14:32, local time of the machine unless `utc`
std::string date_time_text(std::int64_t wall_ns, bool utc = false);
/// "14:24" today, "yesterday", weekday within a week, else 2026-11-03
std::string day_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc = false);
/// "12 ms", "4.2 s": how long ago
std::string age_text(double seconds);
/// "1 epoch", "3 epochs"
std::string plural(std::int64_t count, std::string_view one, std::string_view many);
/// Text of an axis tick whose neighbours are `step` apart: 2.0, 4,400, 0.05
std::string tick_text(double value, double step);

/// "3,240 records were lost before they came into the log: ..." or nothing for none. `or_more`: at
/// least so many.
std::string lost_records_text(std::uint64_t records, bool or_more = false);

}  // namespace ringside::view
