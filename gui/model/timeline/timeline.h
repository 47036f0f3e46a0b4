// Events of all ranks on one clock: of a run's own records, of a profiler, or of a trace that
// another program wrote. Columns per lane, in which nothing overlaps, so that a moment is found in
// log time and what lies between two moments needs no walk. Plain data, not changed once it is
// made; any thread reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

/// What a track is of, in the order in which those of a rank stand.
enum class TrackKind : std::uint8_t { kSteps, kCollectives, kGpu, kThread };

struct EventName {
  std::string text{};
  std::string category{};  ///< "cpu_op", "kernel", "step"; empty: none
  std::uint64_t events = 0;
};

/// Whether it is that of a whole step, not of what happens in one.
bool is_step(const EventName& name);

/// Events in the order of time, of which none begins before the one before it has ended.
struct Lane {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> busy_ns{0};  ///< of all events before this one, and at last of all
  std::vector<std::uint32_t> name;       ///< place in Timeline::names

  std::size_t size() const { return begin_ns.size(); }
  std::int64_t duration_ns(std::size_t i) const { return busy_ns[i + 1] - busy_ns[i]; }
  std::int64_t end_ns(std::size_t i) const { return begin_ns[i] + duration_ns(i); }
  void add(std::int64_t begin, std::int64_t duration, std::uint32_t event_name);
};

/// A thread, a stream, the steps or the collectives of a process. What is called by an event lies
/// one lane below it, and so does what overlaps it.
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

/// One that waited in a collective until the last rank had entered it.
struct Wait {
  EventPlace waiting;
  EventPlace last;
  std::int64_t end_ns = 0;  ///< when the last entered
};

/// Events beyond are refused: they would take 1.3 GB, and twice that while they are read.
inline constexpr std::uint64_t kMostEvents = 32'000'000;
inline constexpr std::size_t kMostLanes = 512;  ///< of a track; what overlaps more is left out

struct Timeline {
  std::vector<EventName> names;
  std::vector<Track> tracks;  ///< by rank, process and kind
  std::vector<Wait> waits;    ///< by end_ns
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t events = 0;
  std::int64_t steps = 0;            ///< different ones; 0: not known
  std::vector<std::string> notices;  ///< what of the source is not here, and how it is read

  const Lane& lane_of(const EventPlace& place) const {
    return tracks[place.track].lanes[place.lane];
  }
  const EventName& name_of(const EventPlace& place) const {
    return names[lane_of(place).name[place.event]];
  }
  /// The ranks of the tracks, ascending, each once.
  std::vector<Rank> ranks() const;
};

/// The first event of the lane that ends after the moment; size() if there is none.
std::size_t first_ending_after(const Lane& lane, std::int64_t at_ns);
/// The first event from `from` on that begins at the moment or later, found quickly where it is
/// near.
std::size_t first_beginning_at(const Lane& lane, std::size_t from, std::int64_t at_ns);

}  // namespace ringside::model
