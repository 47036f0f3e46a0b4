#include "gui/session/run/profile_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "gui/analysis/range.h"
#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/runs/catalogue.h"
#include "gui/session/asked_file.h"
#include "gui/session/run/live_run.h"
#include "gui/session/trace/rank_profile.h"
#include "gui/session/trace/step_trace.h"
#include "gui/session/trace/timeline_sources.h"
#include "gui/view/number_format.h"
#include "gui/view/words.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/files.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequest = "profile_request";
/// Ranks check for requests once a second, and their reports arrive about half a second later.
constexpr double kNoticeNs = 4e9;
constexpr double kMostWaitS = 0.25;
/// The longest that a rank may take to write its profile.
constexpr std::int64_t kMostWriteNs = 60'000'000'000;
/// The largest size of all ranks' profiles together: merging takes ten times as much memory.
constexpr std::uint64_t kMostProfileBytes = std::uint64_t{256} << 20;
/// The longest wait without the end of any step.
constexpr std::int64_t kMostSilentNs = 120'000'000'000;

std::int32_t newest_attempt(const model::RunModel& model) {
  return model.attempts().empty() ? 0 : model.attempts().back().attempt;
}

fs::path profile_of(const runlog::RunFolder& folder, const model::RunModel& model, Rank rank,
                    Step first) {
  return folder.rank_dir(newest_attempt(model), rank) /
         ("profile_" + std::to_string(first) + ".json");
}

/// Returns the steps that every rank profiles, several seconds ahead, since ranks must read the
/// request first. Bad request: no rank has done a step yet.
Result<analysis::StepRange> steps_to_profile(const model::RunModel& model, Step steps) {
  const Step newest = analysis::newest_step(model);
  if (newest < 0) return bad_request("no rank of the run has done a step yet");
  const double step_ns = analysis::mean_of(analysis::recent_step_parts(model)).mean_step_ns();
  const double before = step_ns > 0 ? std::ceil(kNoticeNs / step_ns) : 0;
  const Step first = newest + 2 + static_cast<Step>(before);
  return analysis::StepRange{first, first + steps};
}

/// A request to all ranks, withdrawn by the destructor. Each run has one at a time.
class Request {
 public:
  static Result<Request> make(const runlog::RunFolder& folder) {
    fs::path file = folder.path() / kRequest;
    auto lock = RINGSIDE_TRY(FileLock::try_take(file));
    if (!lock) return bad_request("another profile of the run is under way");
    return Request(std::move(file), std::move(*lock));
  }
  Request(Request&& other) noexcept
      : file_(std::exchange(other.file_, {})), lock_(std::move(other.lock_)) {}
  Request& operator=(Request&&) = delete;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    std::error_code gone;
    if (!file_.empty()) fs::remove(file_, gone);
  }

  /// Writes in place, since the lock is on this file: a reader that finds it empty reads it again.
  Result<void> ask(std::int32_t attempt, analysis::StepRange steps) const {
    const std::string text = fmt::format("{} {} {}\n", attempt, steps.begin, steps.count());
    const auto size = static_cast<ssize_t>(text.size());
    if (::ftruncate(lock_.descriptor(), 0) == 0 &&
        ::pwrite(lock_.descriptor(), text.data(), text.size(), 0) == size)
      return {};
    return failure("cannot write " + file_.string() + ": " + std::strerror(errno));
  }

 private:
  Request(fs::path file, FileLock lock) : file_(std::move(file)), lock_(std::move(lock)) {}

  fs::path file_;
  FileLock lock_;
};

bool all_profiled(const runlog::RunFolder& folder, const model::RunModel& model, Step first) {
  std::error_code missing;
  return std::ranges::all_of(model.ranks(), [&](Rank rank) {
    return fs::exists(profile_of(folder, model, rank, first), missing);
  });
}

/// Returns the files of the ranks. An error names them if they are too large to be merged.
Result<std::vector<fs::path>> files_of(const runlog::RunFolder& folder,
                                       const model::RunModel& model, Step first) {
  std::vector<fs::path> files;
  std::string names;
  std::uint64_t size = 0;
  for (const Rank rank : model.ranks()) {
    files.push_back(profile_of(folder, model, rank, first));
    std::error_code missing;
    if (const auto bytes = fs::file_size(files.back(), missing); !missing) size += bytes;
    add_listed(names, files.back().string());
  }
  if (size <= kMostProfileBytes) return files;
  return failure(
      fmt::format("the profiles have {} together, too much for one trace; open each of "
                  "them: {}",
                  view::mb_text(static_cast<double>(size)), names));
}

/// Merges the profiles of all ranks and the recorded steps into one trace; removes the ranks'
/// files.
Result<KeptProfile> keep_profile(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps, const fs::path& to,
                                 const std::function<bool()>& cancelled) {
  const auto files = RINGSIDE_TRY(files_of(folder, model, steps.begin));
  const std::int64_t begin_ns = trace_begin_ns(model, steps);
  std::vector<RankProfile> profiles;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (cancelled()) return failure("the profile was cancelled");
    const Rank rank = model.ranks()[i];
    const auto text = RINGSIDE_TRY(read_text(files[i], kMostProfileBytes));
    const Node node = model.rank(rank)->node;
    profiles.push_back(RINGSIDE_TRY(rank_profile(rank, text, [&](std::int64_t mono_ns) {
      return static_cast<double>(model.on_scale(node, mono_ns) - begin_ns) / 1e3;
    })));
  }
  const StepTrace trace = step_trace(model, steps, folder.id(), profiles);
  RINGSIDE_TRY(write_text_atomically(to, trace.json));
  std::error_code ignored;
  for (const fs::path& file : files) fs::remove(file, ignored);
  TraceProgress progress;
  const ReadTimeline read = RINGSIDE_TRY(read_timeline(source_of({to}), progress));
  const std::uint64_t size = trace.json.size();
  return KeptProfile{{to.parent_path(),
                      {{to.filename().string(), trace.events, size}},
                      trace.steps,
                      trace.events,
                      size},
                     *read.operations};
}

/// Returns a rank's message in place of a profile; empty: none.
std::string refusal(const model::RunModel& model, std::uint64_t seen_before) {
  const auto& notices = model.notices();
  const std::uint64_t first = model.notices_seen() - notices.size();
  for (std::size_t i = 0; i < notices.size(); ++i) {
    const auto& one = notices[i];
    if (first + i < seen_before || one.notice.code != "profile" ||
        one.notice.severity == messages::Severity::kInfo)
      continue;
    return view::rank_name(one.stamp.rank) + ": " + one.notice.text;
  }
  return {};
}

/// "rank 0 in step 12, rank 1 in step 14"
std::string where_ranks_are(const model::RunModel& model) {
  std::string text;
  for (const Rank rank : model.ranks()) {
    text += fmt::format("{}{} in step {}", text.empty() ? "" : ", ", view::rank_name(rank),
                        model.rank(rank)->newest_step);
  }
  return text.empty() ? "no rank has joined" : text;
}

/// Waits until `done` returns true; fails if the wait ends before that.
template <class Done>
Result<void> follow(LiveRun& run, const std::function<bool()>& cancelled, const Done& done) {
  std::int64_t moved_ns = mono_now_ns();
  for (Step newest = -1;;) {
    run.update();
    if (cancelled()) return failure("the profile was cancelled");
    if (run.loaded() && RINGSIDE_TRY(done())) return {};
    if (run.read_to_end()) {
      return bad_request(run.context().unreadable.empty() ? "the run has ended"
                                                          : run.context().unreadable);
    }
    const std::int64_t now_ns = mono_now_ns();
    if (std::exchange(newest, analysis::newest_step(run.model())) != newest) moved_ns = now_ns;
    if (now_ns - moved_ns > kMostSilentNs) {
      return failure(fmt::format("no step has ended for {} s: {}", kMostSilentNs / 1'000'000'000,
                                 where_ranks_are(run.model())));
    }
    pause_ns(static_cast<std::int64_t>(std::min(kMostWaitS, run.next_update_s()) * 1e9));
  }
}

}  // namespace

Result<KeptProfile> profile_run(const runs::ListedRun& listed, Step count, const fs::path& to,
                                const std::function<bool()>& cancelled,
                                const std::function<void(analysis::StepRange)>& asked) {
  const runlog::RunFolder& folder = listed.folder;
  LiveRun run(listed, RINGSIDE_TRY(runs::read_spec(folder)), {0, 0, false}, [] {});
  analysis::StepRange steps;
  RINGSIDE_TRY(follow(run, cancelled, [&]() -> Result<bool> {
    const auto picked = steps_to_profile(run.model(), count);
    if (picked) steps = *picked;
    return picked.has_value();
  }));
  if (run.over()) return bad_request("the run has ended");
  if (!run.context().here) return bad_request("the run is on another machine; profile it there");
  const std::uint64_t seen = run.model().notices_seen();
  fs::path file = to;
  if (file.empty()) {
    file = folder.path() / "profiles" / fmt::format("steps_{}-{}.json", steps.begin, steps.end - 1);
  }
  RINGSIDE_TRY(make_way(file, true));
  const Request request = RINGSIDE_TRY(Request::make(folder));
  RINGSIDE_TRY(request.ask(newest_attempt(run.model()), steps));
  asked(steps);
  std::int64_t over_ns = 0;
  RINGSIDE_TRY(follow(run, cancelled, [&]() -> Result<bool> {
    if (const std::string text = refusal(run.model(), seen); !text.empty()) return failure(text);
    const bool over = std::ranges::all_of(run.model().ranks(), [&](Rank rank) {
      return run.model().rank(rank)->newest_step >= steps.end - 1;
    });
    const std::int64_t now_ns = mono_now_ns();
    if (!over) over_ns = now_ns;
    if (over && now_ns - over_ns > kMostWriteNs) {
      return failure(
          "the steps are over, and not every rank has written a profile; our trainer and "
          "instrumented scripts do");
    }
    return over && all_profiled(folder, run.model(), steps.begin);
  }));
  return keep_profile(folder, run.model(), steps, file, cancelled);
}

}  // namespace ringside::session
