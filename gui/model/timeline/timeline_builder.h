// Puts events that come in any order into the lanes of a Timeline. One thread; lives while a trace
// is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gui/model/timeline/timeline.h"

namespace ringside::model {

/// One member of a collective.
struct RoundMember {
  std::uint32_t track = 0;
  std::int64_t begin_ns = 0;  ///< entered
  std::int64_t duration_ns = 0;
};

class TimelineBuilder {
 public:
  /// The place of a name; the same for the same.
  std::uint32_t name(std::string_view text, std::string_view category);
  /// A new track without events.
  std::uint32_t add_track(Track track);
  Track& track(std::uint32_t place) { return tracks_[place].head; }
  std::uint32_t tracks() const { return static_cast<std::uint32_t>(tracks_.size()); }
  void add(std::uint32_t track, std::int64_t begin_ns, std::int64_t duration_ns,
           std::uint32_t name);
  /// A collective of its members, of whom the one at the place `last` entered it last; nothing: not
  /// known.
  void add_round(std::uint32_t name, const std::vector<RoundMember>& members,
                 std::optional<std::size_t> last);
  /// All events of the tracks [first, end) are so much later.
  void shift(std::uint32_t first, std::uint32_t end, std::int64_t by_ns);
  std::uint64_t events() const { return events_; }
  /// When the earliest event of the tracks [first, end) begins; nothing where there is none.
  std::optional<std::int64_t> earliest_ns(std::uint32_t first, std::uint32_t end) const;
  /// Times are from `origin` on, by default the begin of the earliest event. The builder is empty
  /// then.
  Timeline finish(std::optional<std::int64_t> origin = {});

 private:
  struct Raw {
    std::int64_t begin_ns = 0;
    std::int64_t duration_ns = 0;
    std::uint32_t name = 0;
  };
  struct RawTrack {
    Track head;
    std::vector<Raw> events;
  };
  struct RawWait {
    RoundMember waiting, last;
    std::uint32_t name = 0;
  };

  std::vector<EventName> names_;
  std::unordered_map<std::string, std::uint32_t> known_;  ///< by category, a line end and text
  std::string key_;
  std::vector<RawTrack> tracks_;
  std::vector<RawWait> waits_;
  std::uint64_t events_ = 0;

  std::vector<std::uint32_t> order() const;
  void add_waits(const std::vector<std::uint32_t>& place_of, std::int64_t origin_ns,
                 Timeline& made) const;
};

}  // namespace ringside::model
