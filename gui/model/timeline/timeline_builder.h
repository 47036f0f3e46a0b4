// Sorts events that arrive in any order into the lanes of a Timeline. One thread; lives while a
// trace is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gui/model/timeline/timeline.h"

namespace ringside::model {

struct RoundMember {
  std::uint32_t track = 0;
  std::int64_t begin_ns = 0;  ///< when it entered the collective
  std::int64_t duration_ns = 0;
};

class TimelineBuilder {
 public:
  /// Returns the index of a name; equal names share one index.
  std::uint32_t name(std::string_view text, std::string_view category);
  /// Adds a track without events and returns its index.
  std::uint32_t add_track(Track track);
  Track& track(std::uint32_t place) { return tracks_[place].head; }
  std::uint32_t tracks() const { return static_cast<std::uint32_t>(tracks_.size()); }
  void add(std::uint32_t track, std::int64_t begin_ns, std::int64_t duration_ns,
           std::uint32_t name);
  /// Adds a collective with its members; `last` is the index of the member that entered last;
  /// empty: not known.
  void add_round(std::uint32_t name, const std::vector<RoundMember>& members,
                 std::optional<std::size_t> last);
  /// Moves all events of the tracks [first, end) later by this time.
  void shift(std::uint32_t first, std::uint32_t end, std::int64_t by_ns);
  std::uint64_t events() const { return events_; }
  /// Returns the number of events that take as much memory as everything that was added.
  std::uint64_t load() const { return events_ + other_bytes_ / kEventBytes; }
  /// Returns when the earliest event of the tracks [first, end) begins; empty if there is none.
  std::optional<std::int64_t> earliest_ns(std::uint32_t first, std::uint32_t end) const;
  /// Builds the timeline, whose times count from `origin`, by default the begin of the earliest
  /// event. The builder is empty afterwards.
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
  std::unordered_map<std::string, std::uint32_t> known_;  ///< key: category, line end, text
  std::string key_;
  std::vector<RawTrack> tracks_;
  std::vector<RawWait> waits_;
  std::uint64_t events_ = 0;
  std::uint64_t other_bytes_ = 0;  ///< estimate for names and tracks

  std::vector<std::uint32_t> order() const;
  void add_waits(const std::vector<std::uint32_t>& place_of, std::int64_t origin_ns,
                 Timeline& made) const;
};

}  // namespace ringside::model
