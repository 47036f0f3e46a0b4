#include "gui/session/profile_run.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/view/report/rank_profile.h"
#include "gui/view/report/step_trace.h"
#include "protocol/host/files.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequest = "profile_request";
/// Ranks look once a second, and what they report is known half a second later or so.
constexpr double kNoticeNs = 4e9;
constexpr std::size_t kMostOperations = 15;
constexpr std::size_t kMostProfileBytes = std::size_t{1} << 30;

fs::path profile_of(const runlog::RunFolder& folder, const model::RunModel& model, Rank rank,
                    Step first) {
  const auto attempts = model.attempts();
  const std::int32_t attempt = attempts.empty() ? 0 : attempts.back().attempt;
  return folder.rank_dir(attempt, rank) / ("profile_" + std::to_string(first) + ".json");
}

}  // namespace

Result<analysis::StepRange> steps_to_profile(const model::RunModel& model, Step steps) {
  Step newest = -1;
  for (const Rank rank : model.ranks()) newest = std::max(newest, model.rank(rank)->newest_step);
  if (newest < 0) return bad_request("no rank of the run has done a step yet");
  const double step_ns = analysis::mean_of(analysis::recent_step_parts(model)).mean_step_ns();
  const double before = step_ns > 0 ? std::ceil(kNoticeNs / step_ns) : 0;
  const Step first = newest + 2 + static_cast<Step>(before);
  return analysis::StepRange{first, first + steps};
}

Result<void> ask_profile(const runlog::RunFolder& folder, analysis::StepRange steps) {
  return write_text_atomically(folder.path() / kRequest, std::to_string(steps.begin) + " " +
                                                             std::to_string(steps.count()) + "\n");
}

void withdraw_profile(const runlog::RunFolder& folder) {
  std::error_code gone;
  fs::remove(folder.path() / kRequest, gone);
}

std::vector<Rank> profiled_ranks(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps) {
  std::vector<Rank> ranks;
  std::error_code missing;
  for (const Rank rank : model.ranks()) {
    if (fs::exists(profile_of(folder, model, rank, steps.begin), missing)) ranks.push_back(rank);
  }
  return ranks;
}

Result<KeptProfile> keep_profile(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps, const std::vector<Rank>& ranks,
                                 const fs::path& to) {
  const std::int64_t begin_ns = view::trace_begin_ns(model, steps);
  std::vector<view::RankProfile> profiles;
  for (const Rank rank : ranks) {
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

}  // namespace ringside::session
