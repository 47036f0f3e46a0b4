#include "gui/session/trace/trace_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gui/session/trace/json_scan.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

using model::TrackKind;
using nlohmann::json;

constexpr std::string_view kCollective = "collective";

TrackKind track_kind(std::string_view category) {
  constexpr std::array<std::string_view, 4> kOnGpu{"kernel", "gpu_memcpy", "gpu_memset",
                                                   "gpu_user_annotation"};
  if (std::ranges::find(kOnGpu, category) != kOnGpu.end()) return TrackKind::kGpu;
  if (category == kCollective) return TrackKind::kCollectives;
  return category == "step" ? TrackKind::kSteps : TrackKind::kThread;
}

/// Returns a number or a string as text, without quotes.
std::string bare(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return unescaped(value);
}

/// Returns 3 for "rank 3, node 0".
std::optional<Rank> rank_in(std::string_view process) {
  constexpr std::string_view kRank = "rank ";
  if (!process.starts_with(kRank)) return std::nullopt;
  Rank rank = 0;
  const auto read =
      std::from_chars(process.data() + kRank.size(), process.data() + process.size(), rank);
  return read.ec == std::errc() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

std::string track_title(TrackKind kind, const std::string& thread, const std::string& named) {
  if (!named.empty()) return named;
  if (kind == TrackKind::kCollectives) return "collectives";
  if (thread.empty()) return "overlapping";
  return (kind == TrackKind::kGpu ? "stream " : "thread ") + thread;
}

}  // namespace

/// Asynchronous events (`apart`) have a track of their own, since they may overlap others of their
/// kind.
TraceEvents::Thread& TraceEvents::thread_of(const RawEvent& event, bool apart) {
  key_.assign(event.process).append(1, '\n');
  if (apart) {
    key_.append(1, '\n').append(event.category);
  } else {
    key_.append(event.thread);
  }
  if (last_thread_ != nullptr && key_ == last_key_) return *last_thread_;
  const auto [known, fresh] = threads_.try_emplace(key_);
  if (fresh) {
    known->second.process = event.process;
    if (!apart) known->second.thread = event.thread;
    known->second.track = builder_.add_track({.kind = track_kind(event.category)});
    bytes_ += 2 * key_.size() + sizeof(*known);
  }
  last_thread_ = &known->second;
  last_key_ = key_;
  return *last_thread_;
}

std::uint32_t TraceEvents::name_of(const RawEvent& event) {
  const bool escaped = event.name.find('\\') != std::string_view::npos;
  return builder_.name(escaped ? unescaped(event.name) : event.name, event.category);
}

void TraceEvents::add(const RawEvent& event) {
  if (event.phase == "M") return note_metadata(event);
  constexpr std::string_view kTaken = "XBEbe";
  const char phase = event.phase.size() == 1 ? event.phase[0] : '?';
  if (kTaken.find(phase) == kTaken.npos) {
    ++left_out_.kinds;
    return;
  }
  const auto at_ns = ns_of_us(event.time);
  if (!at_ns) {
    ++left_out_.timeless;
    return;
  }
  const bool apart = phase == 'b' || phase == 'e';
  Thread& thread = thread_of(event, apart);
  if (phase == 'X') return add_span(event, thread.track, *at_ns);
  if (apart) key_.append(1, '\n').append(event.id);
  std::vector<Open>& open = apart ? apart_[key_] : thread.open;
  const std::size_t key_bytes = apart ? key_.size() + sizeof(open) : 0;
  if (phase == 'B' || phase == 'b') {
    if (open.empty()) bytes_ += key_bytes;
    return begin(event, open, *at_ns);
  }
  if (open.size() == 1) bytes_ -= key_bytes;
  end(thread.track, open, *at_ns);
  if (apart && open.empty()) apart_.erase(key_);
}

/// An event without a duration is an instant.
void TraceEvents::add_span(const RawEvent& event, std::uint32_t track, std::int64_t begin_ns) {
  const auto duration_ns =
      event.duration.empty() ? std::optional<std::int64_t>(0) : ns_of_us(event.duration);
  if (!duration_ns || *duration_ns < 0) {
    ++left_out_.timeless;
    return;
  }
  builder_.add(track, begin_ns, *duration_ns, name_of(event));
}

void TraceEvents::begin(const RawEvent& event, std::vector<Open>& open, std::int64_t begin_ns) {
  open.push_back({begin_ns, name_of(event)});
  if (event.category == kCollective) open.back().args = event.args;
  bytes_ += sizeof(Open) + open.back().args.size();
}

void TraceEvents::end(std::uint32_t track, std::vector<Open>& open, std::int64_t end_ns) {
  if (open.empty()) {
    ++left_out_.unbegun;
    return;
  }
  const Open begun = std::move(open.back());
  open.pop_back();
  bytes_ -= sizeof(Open) + begun.args.size();
  const std::int64_t duration_ns = end_ns - begun.begin_ns;
  if (duration_ns < 0) {
    ++left_out_.timeless;
  } else if (begun.args.empty()) {
    builder_.add(track, begun.begin_ns, duration_ns, begun.name);
  } else {
    add_collective(track, begun, duration_ns);
  }
}

void TraceEvents::note_metadata(const RawEvent& event) {
  const auto args = json::parse(event.args, nullptr, false);
  if (!args.is_object()) return;
  const auto named = args.find("name");
  if (named == args.end() || !named->is_string()) return;
  Process& process = processes_[std::string(event.process)];
  const std::string name = printable_line(named->get<std::string>());
  bytes_ += event.process.size() + event.thread.size() + name.size();
  if (event.name == "process_name") process.name = name;
  if (event.name == "thread_name") process.threads[std::string(event.thread)] = name;
}

void TraceEvents::add_collective(std::uint32_t track, const Open& begun, std::int64_t duration_ns) {
  Collective one{{track, begun.begin_ns, duration_ns}, begun.name};
  const auto args = json::parse(begun.args, nullptr, false);
  const auto number = [&args](const char* key, std::int64_t without) {
    const auto found = args.is_object() ? args.find(key) : args.end();
    return found != args.end() && found->is_number_integer() ? found->get<std::int64_t>() : without;
  };
  one.step = number("step", -1);
  one.number = number("number", -1);
  one.last = static_cast<Rank>(number("last_rank", kNoRank));
  collectives_.push_back(one);
  bytes_ += sizeof(Collective);
}

/// Adds waits only if each rank occurs once, since numbers restart with each attempt.
void TraceEvents::add_rounds() {
  const auto which = [](const Collective& one) {
    return std::tie(one.name, one.step, one.number, one.last);
  };
  std::ranges::stable_sort(collectives_, {}, which);
  for (std::size_t i = 0; i < collectives_.size();) {
    std::vector<model::RoundMember> members;
    std::map<Rank, std::size_t> by_rank;
    const Collective& first = collectives_[i];
    for (; i < collectives_.size() && which(collectives_[i]) == which(first); ++i) {
      by_rank[builder_.track(collectives_[i].member.track).rank] = members.size();
      members.push_back(collectives_[i].member);
    }
    const auto last = by_rank.find(first.last);
    const bool sure = first.number >= 0 && first.last != kNoRank &&
                      by_rank.size() == members.size() && last != by_rank.end();
    builder_.add_round(first.name, members, sure ? std::optional(last->second) : std::nullopt);
  }
}

void TraceEvents::finish(std::optional<Rank> rank) {
  for (const auto& [key, thread] : threads_) {
    model::Track& head = builder_.track(thread.track);
    const auto known = processes_.find(thread.process);
    const std::string named = known == processes_.end() ? std::string() : known->second.name;
    head.process = named.empty() ? "process " + bare(thread.process) : named;
    head.rank = rank ? *rank : rank_in(head.process).value_or(kNoRank);
    std::string title;
    if (known != processes_.end() && !thread.thread.empty()) {
      const auto its = known->second.threads.find(thread.thread);
      if (its != known->second.threads.end()) title = its->second;
    }
    head.title = track_title(head.kind, bare(thread.thread), title);
    left_out_.unended += thread.open.size();
  }
  for (const auto& [id, open] : apart_) left_out_.unended += open.size();
  add_rounds();
}

}  // namespace ringside::session
