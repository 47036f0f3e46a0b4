#include "gui/session/run/profile_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/runs/catalogue.h"
#include "gui/session/asked_file.h"
#include "gui/session/run/live_run.h"
#include "gui/view/report/rank_profile.h"
#include "gui/view/report/step_trace.h"
#include "gui/view/words.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequest = "profile_request";
/// Ranks look once a second, and what they report is known half a second later or so.
constexpr double kNoticeNs = 4e9;
constexpr double kMostWaitS = 0.25;
/// How long a rank may take to write what it saw.
constexpr std::int64_t kMostWriteNs = 60'000'000'000;
constexpr std::size_t kMostOperations = 15;
constexpr std::size_t kMostProfileBytes = std::size_t{1} << 30;

fs::path profile_of(const runlog::RunFolder& folder, const model::RunModel& model, Rank rank,
                    Step first) {
  const auto attempts = model.attempts();
  const std::int32_t attempt = attempts.empty() ? 0 : attempts.back().attempt;
  return folder.rank_dir(attempt, rank) / ("profile_" + std::to_string(first) + ".json");
}

/// Steps that every rank profiles; several seconds lie before them, in which ranks read the
/// request. A bad request where no rank has done a step yet.
Result<analysis::StepRange> steps_to_profile(const model::RunModel& model, Step steps) {
  Step newest = -1;
  for (const Rank rank : model.ranks()) newest = std::max(newest, model.rank(rank)->newest_step);
  if (newest < 0) return bad_request("no rank of the run has done a step yet");
  const double step_ns = analysis::mean_of(analysis::recent_step_parts(model)).mean_step_ns();
  const double before = step_ns > 0 ? std::ceil(kNoticeNs / step_ns) : 0;
  const Step first = newest + 2 + static_cast<Step>(before);
  return analysis::StepRange{first, first + steps};
}

/// Asks all ranks for steps, until the end of its life.
class Request {
 public:
  explicit Request(const runlog::RunFolder& folder) : file_(folder.path() / kRequest) {}
  ~Request() {
    std::error_code gone;
    fs::remove(file_, gone);
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Result<void> ask(analysis::StepRange steps) const {
    return write_text_atomically(
        file_, std::to_string(steps.begin) + " " + std::to_string(steps.count()) + "\n");
  }

 private:
  fs::path file_;
};

/// The ranks of the newest attempt that have written their profile.
std::vector<Rank> profiled_ranks(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps) {
  std::vector<Rank> ranks;
  std::error_code missing;
  for (const Rank rank : model.ranks()) {
    if (fs::exists(profile_of(folder, model, rank, steps.begin), missing)) ranks.push_back(rank);
  }
  return ranks;
}

/// One trace of the profiles of these ranks and of what the model has of the steps.
Result<KeptProfile> keep_profile(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps, const fs::path& to) {
  const std::int64_t begin_ns = view::trace_begin_ns(model, steps);
  std::vector<view::RankProfile> profiles;
  for (const Rank rank : model.ranks()) {
    const fs::path file = profile_of(folder, model, rank, steps.begin);
    const auto text = RINGSIDE_TRY(read_text(file, kMostProfileBytes));
    const Node node = model.rank(rank)->node;
    profiles.push_back(RINGSIDE_TRY(view::rank_profile(rank, text, [&](std::int64_t mono_ns) {
      return static_cast<double>(model.on_scale(node, mono_ns) - begin_ns) / 1e3;
    })));
  }
  const view::StepTrace trace = view::step_trace(model, steps, folder.id(), profiles);
  RINGSIDE_TRY(write_text_atomically(to, trace.json));
  const std::uint64_t size = trace.json.size();
  return KeptProfile{{to.parent_path(),
                      {{to.filename().string(), trace.events, size}},
                      trace.steps,
                      trace.events,
                      size},
                     view::operations_table(profiles, steps.count(), kMostOperations)};
}

/// What a rank said instead of a profile; empty: nothing.
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

/// Waits while `done` says false; what ends the wait before that is an error.
template <class Done>
Result<void> follow(LiveRun& run, const std::function<bool()>& cancelled, const Done& done) {
  while (true) {
    run.update();
    if (cancelled()) return failure("the profile was cancelled");
    if (run.loaded() && RINGSIDE_TRY(done())) return {};
    if (run.read_to_end()) {
      return bad_request(run.context().unreadable.empty() ? "the run has ended"
                                                          : run.context().unreadable);
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
  const Request request(folder);
  RINGSIDE_TRY(request.ask(steps));
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
    return over && profiled_ranks(folder, run.model(), steps).size() == run.model().ranks().size();
  }));
  fs::path file = to;
  if (file.empty()) {
    file = folder.path() / "profiles" / fmt::format("steps_{}-{}.json", steps.begin, steps.end - 1);
    RINGSIDE_TRY(make_way(file, true));
  }
  return keep_profile(folder, run.model(), steps, file);
}

}  // namespace ringside::session
