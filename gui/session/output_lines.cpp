#include "gui/session/output_lines.h"

#include <algorithm>
#include <ctime>
#include <string_view>

#include "gui/view/live/log_view.h"
#include "protocol/base/clock.h"

namespace ringside::session {

std::vector<OutputLine> OutputLines::take(bool last_call) {
  std::vector<OutputLine> lines;
  (void)tails_.read();
  const std::int64_t now_ns = SystemClock().wall_ns();
  for (const RankStream& stream : tails_.streams()) {
    if (stream.rank == kNoRank) continue;
    std::uint64_t& taken = taken_bytes_[stream.file];
    std::string_view bytes = stream.bytes;
    if (!last_call) bytes = bytes.substr(0, bytes.rfind('\n') + 1);
    if (stream.begin + bytes.size() <= taken) continue;
    const view::RankText text{stream.rank,  stream.is_error_stream,
                              bytes,        stream.begins_inside_line,
                              stream.begin, stream.seen()};
    const bool followed = taken > 0 || !stream.seen().empty();
    for (view::StyledLine& line :
         view::styled_lines(bytes, stream.begins_inside_line, bytes.size())) {
      const std::uint64_t end = stream.begin + line.end;
      if (end <= taken) continue;
      const std::int64_t seen_ns = view::seen_wall_ns(text, end);
      lines.push_back({seen_ns == 0 && followed ? now_ns : seen_ns, stream.rank,
                       stream.is_error_stream, std::move(line.text)});
    }
    taken = stream.begin + bytes.size();
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const OutputLine& a, const OutputLine& b) { return a.wall_ns < b.wall_ns; });
  return lines;
}

}  // namespace ringside::session
