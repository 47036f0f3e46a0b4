#include "gui/watch/file_reader.h"

#include "protocol/base/printable.h"

namespace ringside::watch {

void add_point(Findings& found, std::string_view name, Step step, double value, double wall_s,
               Rank rank) {
  if (name.empty() || step < 0) return;
  found.points.push_back(
      {is_utf8(name) ? std::string(name) : printable_line(name), step, value, wall_s, rank});
}

tl::unexpected<Error> damaged_at(std::uint64_t offset, const std::string& why) {
  return bad_request("at byte " + std::to_string(offset) + ": " + why);
}

}  // namespace ringside::watch
