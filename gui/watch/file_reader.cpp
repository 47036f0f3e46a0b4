#include "gui/watch/file_reader.h"

#include <algorithm>

#include "protocol/base/printable.h"

namespace ringside::watch {

void leave_out(std::vector<LeftOut>& list, LeftOut one) {
  constexpr std::size_t kMostKinds = 100;
  if (list.size() >= kMostKinds) one.what = "something of yet another kind cannot be taken";
  const auto same = std::ranges::find_if(list, [&](const auto& x) { return x.what == one.what; });
  if (same == list.end()) {
    list.push_back(std::move(one));
    return;
  }
  same->count += one.count;
  same->expected = same->expected && one.expected;
}

void add_point(Findings& found, Point point, const Place& place) {
  if (point.name.empty() || point.name.size() > kMaxNameBytes) {
    leave_out(found.left_out, {point.name.empty() ? std::string("a value has no name")
                                                  : "a name is longer than " +
                                                        std::to_string(kMaxNameBytes) + " bytes",
                               place.text()});
    return;
  }
  if (!is_utf8(point.name)) point.name = printable_line(point.name);
  found.points.push_back(std::move(point));
}

}  // namespace ringside::watch
