// Converts the events of one trace file to a timeline: threads and processes with their names in
// the file, spans from begin to end, and Ringside's collectives with the rank that arrived last.
// One thread; lives while the file is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/model/timeline/timeline_builder.h"

namespace ringside::session {

/// One event as written: strings without quotes, other values as JSON text.
struct RawEvent {
  std::string_view phase, name, category, process, thread, time, duration, id, args;
};

/// Counts of events that were left out, over all files.
struct LeftOutEvents {
  std::uint64_t kinds = 0;     ///< instants, counters, flows, objects
  std::uint64_t timeless = 0;  ///< without a valid time
  std::uint64_t unended = 0;   ///< begun and never ended
  std::uint64_t unbegun = 0;   ///< ended and never begun
};

class TraceEvents {
 public:
  TraceEvents(model::TimelineBuilder& builder, LeftOutEvents& left_out)
      : builder_(builder), left_out_(left_out) {}

  void add(const RawEvent& event);
  /// Returns the number of events that take as much memory as all that was read: those of the
  /// builder, and those that have not ended or wait for others.
  std::uint64_t load() const { return builder_.load() + bytes_ / model::kEventBytes; }
  /// Names the tracks. `rank`: the rank of the file, if known; else processes named "rank 3" belong
  /// to that rank.
  void finish(std::optional<Rank> rank);

 private:
  struct Open {
    std::int64_t begin_ns = 0;
    std::uint32_t name = 0;
    std::string args = {};  ///< arguments of a collective
  };
  struct Thread {
    std::uint32_t track = 0;
    std::string process;
    std::string thread = {};  ///< empty: an asynchronous track
    std::vector<Open> open = {};
  };
  struct Process {
    std::string name;
    std::map<std::string, std::string> threads;
  };
  struct Collective {
    model::RoundMember member;
    std::uint32_t name = 0;
    std::int64_t step = 0, number = 0;
    Rank last = kNoRank;
  };

  Thread& thread_of(const RawEvent& event, bool apart);
  std::uint32_t name_of(const RawEvent& event);
  void add_span(const RawEvent& event, std::uint32_t track, std::int64_t begin_ns);
  void begin(const RawEvent& event, std::vector<Open>& open, std::int64_t begin_ns);
  void end(std::uint32_t track, std::vector<Open>& open, std::int64_t end_ns);
  void note_metadata(const RawEvent& event);
  void add_collective(std::uint32_t track, const Open& begun, std::int64_t duration_ns);
  void add_rounds();

  model::TimelineBuilder& builder_;
  LeftOutEvents& left_out_;
  std::unordered_map<std::string, Thread> threads_;
  std::unordered_map<std::string, std::vector<Open>> apart_;  ///< asynchronous ones, by their id
  std::string key_;
  std::string last_key_;
  Thread* last_thread_ = nullptr;
  std::map<std::string, Process> processes_;
  std::vector<Collective> collectives_;
  std::uint64_t bytes_ = 0;  ///< estimate of what this object holds
};

}  // namespace ringside::session
