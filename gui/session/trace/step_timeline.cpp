#include "gui/session/trace/step_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/model/run_model.h"
#include "gui/model/timeline/timeline_builder.h"
#include "gui/session/trace/step_events.h"

namespace ringside::session {
namespace {

using model::TrackKind;

/// Limits of the shown steps, and of the steps of all ranks together: the timeline is rebuilt while
/// a run is active.
constexpr Step kMostSteps = 500, kLeastSteps = 20, kMostOfAllRanks = 16'384;

class TimelineSink final : public StepSink {
 public:
  void rank(Rank rank, const std::string& process) override {
    const auto add = [&](TrackKind kind, const char* title) {
      return builder_.add_track({rank, process, title, kind});
    };
    ranks_[rank] = {add(TrackKind::kSteps, "steps"), add(TrackKind::kCollectives, "collectives")};
  }
  void span(Rank rank, std::string_view name, analysis::StepTime span, Step) override {
    builder_.add(ranks_.at(rank).first, span.begin_ns, span.end_ns - span.begin_ns,
                 builder_.name(name, "step"));
  }
  void round(const CollectiveRound& round) override {
    std::vector<model::RoundMember> members;
    for (const CollectiveMember& one : round.members) {
      const std::int64_t took_ns = std::max<std::int64_t>(0, one.span.end_ns - one.span.begin_ns);
      members.push_back({ranks_.at(one.rank).second, one.span.begin_ns, took_ns});
    }
    builder_.add_round(builder_.name(round.name, "collective"), members, round.last);
  }
  model::Timeline take(std::int64_t origin_ns) { return builder_.finish(origin_ns); }

 private:
  model::TimelineBuilder builder_;
  std::map<Rank, std::pair<std::uint32_t, std::uint32_t>> ranks_;  ///< tracks
};

}  // namespace

analysis::StepRange timeline_steps(const model::RunModel& model) {
  const Step end = analysis::newest_step(model) + 1;
  const auto ranks = std::max<Step>(1, static_cast<Step>(model.ranks().size()));
  const Step most = std::clamp(kMostOfAllRanks / ranks, kLeastSteps, kMostSteps);
  return {std::max<Step>(0, end - most), end};
}

model::Timeline step_timeline(const model::RunModel& model, analysis::StepRange steps) {
  TimelineSink sink;
  emit_steps(model, steps, sink);
  return sink.take(model.training_began_ns());
}

}  // namespace ringside::session
