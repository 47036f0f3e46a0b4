#include "gui/session/run/output_lines.h"

#include <algorithm>

#include "gui/view/live/log_view.h"
#include "protocol/base/clock.h"

namespace ringside::session {

std::vector<OutputLine> OutputLines::take(bool last_call) {
  std::vector<OutputLine> lines;
  (void)tails_.read();
  const std::int64_t now_ns = SystemClock().wall_ns();
  for (const RankStream& stream : tails_.streams()) {
    if (stream.rank == kNoRank) continue;
    const auto [file, is_new] = files_.try_emplace(stream.file);
    auto& [taken, past] = file->second;
    if (is_new && !looked_) past = stream.begin + stream.bytes.size();
    view::RankText text = stream.text();
    if (!last_call) text.bytes = text.bytes.substr(0, text.bytes.rfind('\n') + 1);
    if (text.begin + text.bytes.size() <= taken) continue;
    const std::int64_t newest_ns = text.marks.empty() ? 0 : text.marks.back().wall_ns;
    for (view::StyledLine& line :
         view::styled_lines(text.bytes, text.begins_inside_line, text.bytes.size())) {
      const std::uint64_t end = text.begin + line.end;
      if (end <= taken) continue;
      const std::int64_t seen_ns = view::seen_wall_ns(text, end);
      const std::int64_t unmarked_ns = end <= past ? newest_ns : now_ns;
      lines.push_back({seen_ns == 0 ? unmarked_ns : seen_ns, text.rank, text.is_error_stream,
                       std::move(line.text)});
    }
    taken = text.begin + text.bytes.size();
  }
  looked_ = true;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const OutputLine& a, const OutputLine& b) { return a.wall_ns < b.wall_ns; });
  return lines;
}

}  // namespace ringside::session
