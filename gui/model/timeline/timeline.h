// Events of all ranks on one clock, from a run's own records, a profiler, or a trace of another
// program. Events are stored in columns per lane and do not overlap within a lane, so that finding
// a moment takes logarithmic time and the busy time between two moments takes no scan. Plain data,
// immutable once built; any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

/// What a track shows, in the order in which the tracks of a rank are listed.
enum class TrackKind : std::uint8_t { kSteps, kCollectives, kGpu, kThread };

struct EventName {
  std::string text{};
  std::string category{};  ///< "cpu_op", "kernel", "step"; empty: none
  std::uint64_t events = 0;
};

/// Returns whether the event is a whole step rather than a part of one.
bool is_step(const EventName& name);

/// Events in the order of time; each begins after the one before it has ended.
struct Lane {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> busy_ns{0};  ///< total before each event; at last the total of all
  std::vector<std::uint32_t> name;       ///< index in Timeline::names

  std::size_t size() const { return begin_ns.size(); }
  std::int64_t duration_ns(std::size_t i) const { return busy_ns[i + 1] - busy_ns[i]; }
  std::int64_t end_ns(std::size_t i) const { return begin_ns[i] + duration_ns(i); }
  void add(std::int64_t begin, std::int64_t duration, std::uint32_t event_name);
};

/// A thread, a stream, the steps or the collectives of a process. An event lies one lane below the
/// event that called it or that it overlaps.
struct Track {
  Rank rank = kNoRank;  ///< kNoRank: not known
  std::string process{};
  std::string title{};
  TrackKind kind = TrackKind::kThread;
  std::vector<Lane> lanes{};
};

struct EventPlace {
  std::uint32_t track = 0;
  std::uint32_t lane = 0;
  std::uint32_t event = 0;
  bool operator==(const EventPlace&) const = default;
};

/// A rank that waited in a collective until the last rank had entered it.
struct Wait {
  EventPlace waiting;
  EventPlace last;
  std::int64_t end_ns = 0;  ///< when the last rank entered
};

/// A trace with more events is refused: it would take 1.3 GB, and twice that while it is read.
inline constexpr std::uint64_t kMostEvents = 32'000'000;
inline constexpr std::uint64_t kEventBytes = 40;  ///< memory of one of them
inline constexpr std::size_t kMostLanes = 512;    ///< per track; further events are left out

struct Timeline {
  std::vector<EventName> names;
  std::vector<Track> tracks;  ///< ordered by rank, process and kind
  std::vector<Wait> waits;    ///< ordered by end_ns
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t events = 0;
  std::int64_t steps = 0;            ///< number of different steps; 0: not known
  std::vector<std::string> notices;  ///< what the source lacks or how it was interpreted

  const Lane& lane_of(const EventPlace& place) const {
    return tracks[place.track].lanes[place.lane];
  }
  const EventName& name_of(const EventPlace& place) const {
    return names[lane_of(place).name[place.event]];
  }
  /// Returns the ranks of the tracks, ascending and without duplicates.
  std::vector<Rank> ranks() const;
};

/// Returns the index of the first event of the lane that ends after the moment; size() if there is
/// none.
std::size_t first_ending_after(const Lane& lane, std::int64_t at_ns);
/// Returns the index of the first event, from `from` on, that begins at the moment or later; fast
/// if it is near `from`.
std::size_t first_beginning_at(const Lane& lane, std::size_t from, std::int64_t at_ns);

}  // namespace ringside::model
