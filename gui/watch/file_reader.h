// Common parts of the readers of foreign files: they turn arriving bytes into values by name and
// step, keep what they need of an incomplete record, and check every length. Parts that cannot be
// read are skipped, counted and named, and reading continues behind them. Pure; each is used by one
// thread and lives as long as its file is followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::watch {

/// Maximum size of a record, since such files hold graphs and images beside scalars.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxNameBytes = 1024;
/// The time of a value whose file has no times.
inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

struct Point {
  std::string name;  ///< UTF-8
  Step step = 0;     ///< may be negative
  double value = 0;
  double wall_s = kNoTime;  ///< seconds since 1970
  Rank rank = kNoRank;      ///< kNoRank: the file names no rank
  bool of_step = false;     ///< a property of the step, such as its epoch, and not a curve
};

/// Part of a file that is not in the run, or is represented in an unexpected way.
struct LeftOut {
  std::string what;         ///< its kind, as a sentence without the place
  std::string place;        ///< of the first one of its kind: "line 7", "byte 518"; or empty
  std::uint64_t count = 1;  ///< how often
  bool expected = false;    ///< usual in such files and not a loss, such as images beside scalars
};

inline constexpr const char* kWrittenAnew =
    "the file was replaced: the values of the old file stay in the run";

/// Counts one more of its kind; beyond a hundred kinds, all others are counted as one.
void leave_out(std::vector<LeftOut>& list, LeftOut one);

/// A program restarted at `step`: earlier values of this and later steps belong to the attempt
/// before.
struct Restart {
  std::size_t points_before = 0;  ///< number of points in Findings::points before it
  Step step = 0;
};

/// Everything read since the findings were last taken.
struct Findings {
  std::vector<Point> points;
  std::vector<Restart> restarts;          ///< in the order of the file
  std::vector<LeftOut> left_out;          ///< by kind, in order of appearance
  std::string title;                      ///< the program's name for its run; empty: none
  std::string settings;                   ///< "lr=0.1, batch=32", if the file has settings
  std::vector<std::string> same_as;       ///< folders whose values are also in this file
  std::optional<std::int32_t> exit_code;  ///< of the program, once recorded
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  /// Takes the complete records at the front of `bytes`, which continue those taken before, and
  /// returns their size in bytes, including damaged ones. `at_end`: no more bytes follow.
  virtual std::size_t take(std::string_view bytes, bool at_end, Findings& found) = 0;
  /// Called when the file was replaced and bytes come from its beginning again. `grown`: the new
  /// file starts with the old content, so that values already taken come a second time.
  virtual void begin_again(bool grown) = 0;
  /// Why the file is not of this format; empty if some of it is, or if nothing was read yet.
  virtual std::string foreign() const = 0;
};

struct Place {
  std::string_view unit;  ///< "line", "byte"
  std::uint64_t number = 0;
  std::string text() const { return std::string(unit) + " " + std::to_string(number); }
};

/// Adds a value; one with an empty or too long name is left out.
void add_point(Findings& found, Point point, const Place& place);

}  // namespace ringside::watch
