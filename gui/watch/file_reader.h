// What the readers of foreign files have in common: they turn bytes, as they come, into values by
// name and step, keep what they need of a record that is not whole yet, and check every length.
// What they cannot take they pass over, count and name; what stands behind it is read all the same.
// Pure; each is used by one thread and lives as long as its file is followed.
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

/// Most bytes of a record: such files hold graphs and images beside scalars.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxNameBytes = 1024;
/// The time of a value whose file has none.
inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

struct Point {
  std::string name;  ///< UTF-8
  Step step = 0;     ///< any, also below 0
  double value = 0;
  double wall_s = kNoTime;  ///< seconds since 1970
  Rank rank = kNoRank;      ///< kNoRank: the file does not name it
  bool of_step = false;     ///< a property of the step, such as its epoch; not a curve
};

/// Something of a file that is not in the run, or is there in another way than people may expect.
struct LeftOut {
  std::string what;         ///< one of its kind, as a sentence without its place
  std::string place;        ///< of the first of its kind: "line 7", "byte 518"; or empty
  std::uint64_t count = 1;  ///< how often
  bool expected = false;    ///< usual in such files and no loss, such as images beside scalars
};

inline constexpr const char* kWrittenAnew =
    "the file was replaced: the values of the old file stay in the run";

/// Counts one more of its kind; beyond a hundred kinds the others are one.
void leave_out(std::vector<LeftOut>& list, LeftOut one);

/// A program began again at `step`: what was read before, of this step and those behind it, is of
/// the attempt that is gone.
struct Restart {
  std::size_t points_before = 0;  ///< of this file, in Findings::points
  Step step = 0;
};

/// What was read since somebody last took it.
struct Findings {
  std::vector<Point> points;
  std::vector<Restart> restarts;          ///< ascending by place
  std::vector<LeftOut> left_out;          ///< by kind, in the order in which they came
  std::string title;                      ///< what the program called its run; empty: nothing
  std::string settings;                   ///< "lr=0.1, batch=32", where the file has them
  std::vector<std::string> same_as;       ///< folders whose values stand in this file too
  std::optional<std::int32_t> exit_code;  ///< of the program, once it is recorded
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  /// Takes the whole records at the front of `bytes`, which follow on those taken before, and
  /// returns how many bytes they are, damaged ones included. `at_end`: no byte follows.
  virtual std::size_t take(std::string_view bytes, bool at_end, Findings& found) = 0;
  /// The file was replaced: bytes come from its beginning. `grown` says that the new file starts
  /// with the old content, so that values already taken come a second time.
  virtual void begin_again(bool grown) = 0;
  /// Why the file is not of this format; empty if some of it is, or if nothing was read yet.
  virtual std::string foreign() const = 0;
};

/// Where something stands in its file.
struct Place {
  std::string_view unit;  ///< "line", "byte"
  std::uint64_t number = 0;
  std::string text() const { return std::string(unit) + " " + std::to_string(number); }
};

/// Adds a value; one without a name, or with one above the limit, is left out.
void add_point(Findings& found, Point point, const Place& place);

}  // namespace ringside::watch
