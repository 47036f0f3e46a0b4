#include "gui/session/trace/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "gui/model/timeline/timeline_builder.h"
#include "gui/session/trace/trace_events.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

/// Members of a file outside of its list of events.
struct FileFacts {
  std::optional<std::int64_t> base_ns;  ///< wall-clock origin of its times
  std::optional<Rank> rank;
  bool cut = false;  ///< its list of events is truncated
};

class FileReader {
 public:
  FileReader(TraceBytes bytes, const fs::path& path, model::TimelineBuilder& builder,
             LeftOutEvents& left_out)
      : bytes_(std::move(bytes)), path_(path), builder_(builder), events_(builder, left_out) {}

  Result<FileFacts> read() {
    RINGSIDE_TRY(skip_byte_order_mark());
    const char first = RINGSIDE_TRY(peek());
    if (first == '[') {
      RINGSIDE_TRY(read_events());
    } else if (first == '{') {
      RINGSIDE_TRY(read_members());
    } else {
      return wrong("a trace in JSON begins with { or [");
    }
    if (!seen_events_)
      return bad_request(printable_line(path_.string()) + " has no traceEvents: it is no trace");
    return facts_;
  }
  void finish(std::optional<Rank> rank) { events_.finish(rank); }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return tl::unexpected(Error{
        ErrorKind::kRequest,
        fmt::format("{}, byte {}: {}", printable_line(path_.string()), bytes_.offset(), what)});
  }

  /// Repeats a scan from its start until enough bytes have been read.
  template <class Try>
  Result<void> scanned(const Try& one) {
    for (;;) {
      const char* const begin = bytes_.scan.at;
      const Scan read = one(bytes_.scan);
      if (read == Scan::kOk) return {};
      bytes_.scan.at = begin;
      if (read == Scan::kBad) return wrong("this is no JSON");
      if (!RINGSIDE_TRY(bytes_.more())) return wrong("the file ends in the middle");
    }
  }

  /// Returns the next character; '\0': the end of the file.
  Result<char> peek() {
    for (;;) {
      const char next = bytes_.scan.peek();
      if (bytes_.scan.at != bytes_.scan.end) return next;
      if (!RINGSIDE_TRY(bytes_.more())) return '\0';
    }
  }

  Result<void> skip_byte_order_mark() {
    RINGSIDE_TRY(peek());
    bytes_.scan.skip_byte_order_mark();
    return {};
  }

  Result<void> read_members() {
    RINGSIDE_TRY(scanned([](JsonScan& scan) { return scan.take('{'); }));
    if (RINGSIDE_TRY(peek()) == '}') return {};
    for (;;) {
      std::string key;
      RINGSIDE_TRY(scanned([&key](JsonScan& scan) {
        std::string_view text;
        const Scan read = scan.string(text);
        key = text;
        return read != Scan::kOk ? read : scan.take(':');
      }));
      RINGSIDE_TRY(read_member(key));
      if (facts_.cut) return {};
      const char next = RINGSIDE_TRY(peek());
      if (next == '}') return {};
      RINGSIDE_TRY(scanned([](JsonScan& scan) { return scan.take(','); }));
    }
  }

  Result<void> read_member(const std::string& key) {
    const char first = RINGSIDE_TRY(peek());
    if (key == "traceEvents") {
      if (first != '[') return wrong("traceEvents is no list");
      return read_events();
    }
    if (key != "distributedInfo" && (first == '{' || first == '[')) return skip();
    std::string value;
    RINGSIDE_TRY(scanned([&value](JsonScan& scan) {
      std::string_view text;
      const Scan read = scan.value(text);
      value = text;
      return read;
    }));
    const auto read = nlohmann::json::parse(value, nullptr, false);
    if (key == "baseTimeNanoseconds" && read.is_number_integer())
      facts_.base_ns = read.get<std::int64_t>();
    if (key == "distributedInfo" && read.is_object()) {
      const auto rank = read.find("rank");
      constexpr std::uint64_t kMostRanks = 1'000'000;
      if (rank != read.end() && rank->is_number_unsigned() &&
          rank->get<std::uint64_t>() < kMostRanks)
        facts_.rank = rank->get<Rank>();
    }
    return {};
  }

  /// Skips a list or an object of any size.
  Result<void> skip() {
    for (int depth = 0;;) {
      const char next = RINGSIDE_TRY(peek());
      if (next == '\0') return wrong("the file ends in the middle");
      if (next == '"') {
        std::string_view text;
        RINGSIDE_TRY(scanned([&text](JsonScan& scan) { return scan.string(text); }));
        continue;
      }
      ++bytes_.scan.at;
      if (next == '{' || next == '[') ++depth;
      if ((next == '}' || next == ']') && --depth == 0) return {};
    }
  }

  Result<void> read_events() {
    seen_events_ = true;
    RINGSIDE_TRY(scanned([](JsonScan& scan) { return scan.take('['); }));
    for (;;) {
      const char next = RINGSIDE_TRY(peek());
      if (next == '\0') {
        facts_.cut = true;
        return {};
      }
      if (next == ']' || next == ',') {
        ++bytes_.scan.at;
        if (next == ']') return {};
        continue;
      }
      if (next != '{') return wrong("an event begins with {");
      RawEvent event;
      RINGSIDE_TRY(scanned([&event](JsonScan& scan) { return scan_event(scan, event); }));
      events_.add(event);
      if (events_.load() > model::kMostEvents) {
        return bad_request(
            fmt::format("{} has more than {} events, the most that are read, or as much "
                        "text in its names and arguments",
                        printable_line(path_.string()), view::count_text(model::kMostEvents)));
      }
    }
  }

  static Scan scan_event(JsonScan& scan, RawEvent& event) {
    event = {};
    if (const Scan read = scan.take('{'); read != Scan::kOk) return read;
    if (scan.peek() == '}') return scan.take('}');
    for (;;) {
      std::string_view key, value;
      if (const Scan read = scan.string(key); read != Scan::kOk) return read;
      if (const Scan read = scan.take(':'); read != Scan::kOk) return read;
      if (const Scan read = scan.value(value); read != Scan::kOk) return read;
      note_member(key, value, event);
      const char next = scan.peek();
      if (scan.at == scan.end) return Scan::kMore;
      ++scan.at;
      if (next == '}') return Scan::kOk;
      if (next != ',') return Scan::kBad;
    }
  }

  static void note_member(std::string_view key, std::string_view value, RawEvent& event) {
    const auto inside = [&value] {
      return value.starts_with('"') ? value.substr(1, value.size() - 2) : std::string_view();
    };
    if (key == "ph") event.phase = inside();
    if (key == "name") event.name = inside();
    if (key == "cat") event.category = inside();
    if (key == "pid") event.process = value;
    if (key == "tid") event.thread = value;
    if (key == "ts") event.time = value;
    if (key == "dur") event.duration = value;
    if (key == "id" || key == "id2") event.id = value;
    if (key == "args") event.args = value;
  }

  TraceBytes bytes_;
  const fs::path& path_;
  model::TimelineBuilder& builder_;
  TraceEvents events_;
  FileFacts facts_;
  bool seen_events_ = false;
};

/// Metadata of a file, and its tracks [first, end).
struct ReadFile {
  FileFacts facts;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// Aligns files by their wall-clock start. If none has one, all times are used as written; if only
/// some have one, or two lie many years apart, every file starts at 0, and the returned sentence
/// says so.
std::string align(const std::vector<ReadFile>& files, model::TimelineBuilder& builder) {
  const auto based = std::ranges::count_if(
      files, [](const ReadFile& one) { return one.facts.base_ns.has_value(); });
  if (based == 0) return {};
  constexpr double kMostApartNs = 0x1p59;
  const bool all = std::ranges::all_of(files, [&](const ReadFile& one) {
    const auto base = one.facts.base_ns, first = files.front().facts.base_ns;
    return base && first &&
           std::abs(static_cast<double>(*base) - static_cast<double>(*first)) < kMostApartNs;
  });
  for (const ReadFile& file : files) {
    builder.shift(file.first, file.end,
                  all ? *file.facts.base_ns - *files.front().facts.base_ns
                      : -builder.earliest_ns(file.first, file.end).value_or(0));
  }
  return all ? "" : "The files share no clock, so each begins at 0.";
}

void add_notices(const LeftOutEvents& left_out, model::Timeline& made) {
  const auto add = [&made](std::uint64_t count, const char* one, const char* many) {
    if (count > 0)
      made.notices.push_back(view::plural(static_cast<std::int64_t>(count), one, many));
  };
  add(left_out.kinds, "instant, counter or flow is not shown.",
      "instants, counters and flows are not shown.");
  add(left_out.timeless, "event without a valid time is left out.",
      "events without a valid time are left out.");
  add(left_out.unended, "event that was begun and never ended is left out.",
      "events that were begun and never ended are left out.");
  add(left_out.unbegun, "end of an event that was never begun is left out.",
      "ends of events that were never begun are left out.");
}

}  // namespace

Result<model::Timeline> read_traces(const std::vector<fs::path>& files, TraceProgress& progress) {
  model::TimelineBuilder builder;
  LeftOutEvents left_out;
  std::vector<ReadFile> read;
  std::vector<std::string> notices;
  std::map<Rank, fs::path> by_rank;
  std::error_code missing;
  for (const fs::path& file : files) {
    const std::uintmax_t size = fs::file_size(file, missing);
    if (!missing) progress.all_bytes += size;
  }
  for (const fs::path& file : files) {
    const std::uint32_t first = builder.tracks();
    FileReader reader(RINGSIDE_TRY(TraceBytes::open(file, progress)), file, builder, left_out);
    const FileFacts facts = RINGSIDE_TRY(reader.read());
    std::optional<Rank> rank = facts.rank;
    if (files.size() > 1) {
      if (!rank) rank = static_cast<Rank>(read.size());
      if (const auto [other, fresh] = by_rank.try_emplace(*rank, file); !fresh) {
        return bad_request(fmt::format("{} and {} are both of rank {}",
                                       printable_line(other->second.string()),
                                       printable_line(file.string()), *rank));
      }
    }
    reader.finish(rank);
    if (facts.cut) {
      notices.push_back(printable_line(file.filename().string()) +
                        " ends before its list of events does: it may be cut off.");
    }
    read.push_back({facts, first, builder.tracks()});
  }
  if (builder.events() == 0)
    return bad_request(printable_line(files.front().string()) + " has no event with a duration");
  if (const std::string clock = align(read, builder); !clock.empty()) notices.push_back(clock);
  model::Timeline made = builder.finish();
  for (model::EventName& name : made.names) name.text = printable_line(name.text);
  add_notices(left_out, made);
  made.notices.insert(made.notices.begin(), notices.begin(), notices.end());
  return made;
}

bool is_trace(const fs::path& file) {
  TraceProgress progress;
  auto bytes = TraceBytes::open(file, progress);
  if (!bytes || !bytes->more().value_or(false)) return false;
  const std::string_view begin(bytes->scan.at,
                               static_cast<std::size_t>(bytes->scan.end - bytes->scan.at));
  bytes->scan.skip_byte_order_mark();
  const char first = bytes->scan.peek();
  return (first == '{' && begin.find("\"traceEvents\"") != begin.npos) ||
         (first == '[' && begin.find("\"ph\"") != begin.npos);
}

}  // namespace ringside::session
