#include "gui/session/trace/step_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/remote/json_text.h"
#include "gui/session/trace/step_events.h"

namespace ringside::session {
namespace {

using analysis::StepRange;
using analysis::StepTime;
using remote::json_text;

/// Above all thread ids, which name the tracks of profiles.
constexpr std::int64_t kStepsTrack = 1'000'000'000;

class Events final : public StepSink {
 public:
  explicit Events(std::int64_t begin_ns) : begin_ns_(begin_ns) {}

  void rank(Rank rank, const std::string& process) override {
    add(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", rank, process);
    add(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", rank);
    add(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":-1}}}})",
        rank, kStepsTrack);
    add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"steps"}}}})", rank,
        kStepsTrack);
  }

  void span(Rank rank, std::string_view name, StepTime span, Step step) override {
    ++count_;
    add(R"({{"ph":"X","cat":"step","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
        R"("args":{{"step":{}}}}})",
        name, rank, kStepsTrack, us(span.begin_ns - begin_ns_), us(span.end_ns - span.begin_ns),
        step);
  }

  /// Written as asynchronous events, since a collective may overlap others of its rank.
  void round(const CollectiveRound& round) override {
    const std::string name = json_text(round.name);
    std::string args = fmt::format(R"("step":{},"number":{})", round.step, round.number);
    if (round.size_bytes >= 0) args += fmt::format(R"(,"bytes":{})", round.size_bytes);
    for (const CollectiveMember& one : round.members) {
      std::string late;
      if (round.last) {
        const CollectiveMember& last = round.members[*round.last];
        late = fmt::format(R"(,"last_rank":{},"wait_for_last_us":{})", last.rank,
                           (last.span.begin_ns - one.span.begin_ns) / 1000);
      }
      ++count_;
      add(R"({{"ph":"b","cat":"collective","name":{},"id":{},"pid":{},"tid":0,"ts":{},)"
          R"("args":{{{}{}}}}})",
          name, count_, one.rank, us(one.span.begin_ns - begin_ns_), args, late);
      add(R"({{"ph":"e","cat":"collective","name":{},"id":{},"pid":{},"tid":0,"ts":{}}})", name,
          count_, one.rank, us(one.span.end_ns - begin_ns_));
    }
  }

  /// Adds an event that is already JSON.
  void add_text(const std::string& event) {
    ++count_;
    add("{}", event);
  }

  std::uint64_t count() const { return count_; }
  const std::string& text() const { return text_; }

 private:
  static std::string us(std::int64_t ns) {
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
  }

  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    if (!text_.empty()) text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  std::int64_t begin_ns_;
  std::string text_;
  std::uint64_t count_ = 0;
};

/// Returns those of the requested steps that at least one rank has reported.
StepRange steps_there(const model::RunModel& model, StepRange steps) {
  return {std::max<Step>(steps.begin, 0), std::min(steps.end, analysis::newest_step(model) + 1)};
}

}  // namespace

std::int64_t trace_begin_ns(const model::RunModel& model, StepRange steps) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Rank rank : model.ranks()) {
    for (Step step = steps.begin; step < steps.end; ++step) {
      const auto span = analysis::time_of_step(*model.rank(rank), step);
      if (!span) continue;
      first = std::min(first, span->begin_ns);
      break;
    }
  }
  return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

StepTrace step_trace(const model::RunModel& model, StepRange steps, const std::string& run,
                     const std::vector<RankProfile>& profiles) {
  StepTrace trace;
  trace.steps = steps_there(model, steps);
  Events events(trace_begin_ns(model, trace.steps));
  emit_steps(model, trace.steps, events);
  for (const RankProfile& profile : profiles) {
    for (const std::string& event : profile.events) events.add_text(event);
  }
  trace.events = events.count();
  trace.json = fmt::format(
      R"({{"displayTimeUnit":"ms","otherData":{{"run":{},"parts":"in the order of a step"}},)"
      "\n\"traceEvents\":[\n{}\n]}}\n",
      json_text(run), events.text());
  return trace;
}

}  // namespace ringside::session
