// What the readers of foreign files have in common: they turn bytes, as they come, into values by
// name and step, keep what they need of a record that is not whole yet, and check every length.
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
#include "protocol/base/result.h"

namespace ringside::watch {

/// Beside scalars such files hold graphs and images.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxNameBytes = 1024;
/// A time that the file does not tell.
inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

struct Point {
  std::string name;  ///< UTF-8
  Step step = 0;     ///< from 0
  double value = 0;
  double wall_s = kNoTime;  ///< seconds since 1970
  Rank rank = kNoRank;      ///< where the file itself tells it
};

/// What was read since somebody last took it.
struct Findings {
  std::vector<Point> points;
  std::string title;                      ///< what the program called its run; empty: nothing
  std::optional<std::int32_t> exit_code;  ///< of the program, once it is recorded
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  /// Takes the whole records at the front of `bytes`, which follow on those taken before, and
  /// returns how many bytes they are. `at_end`: no byte follows. A bad request, which says at which
  /// byte: this is not such a file, or it is damaged.
  virtual Result<std::size_t> take(std::string_view bytes, bool at_end, Findings& found) = 0;
  /// The file was replaced: bytes come from its beginning again. `grown`: by itself with more in
  /// it, so that what was taken stands in it once more.
  virtual void begin_again(bool grown) = 0;
};

/// Adds a value; a name that is empty, or a step below 0, is none.
void add_point(Findings& found, std::string_view name, Step step, double value, double wall_s,
               Rank rank = kNoRank);

/// A record, at this byte of its file, is not as it should be.
tl::unexpected<Error> damaged_at(std::uint64_t offset, const std::string& why);

}  // namespace ringside::watch
