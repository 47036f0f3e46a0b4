#include "gui/session/trace/step_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "gui/analysis/groups/told_groups.h"
#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/remote/json_text.h"
#include "gui/view/live/group_table.h"

namespace ringside::session {
namespace {

using analysis::StepRange;
using analysis::StepTime;
using remote::json_text;

/// Above all numbers of threads, with which profiles name their tracks.
constexpr std::int64_t kStepsTrack = 1'000'000'000;

/// The events of a trace, written one after the other.
class Events {
 public:
  explicit Events(std::int64_t begin_ns) : begin_ns_(begin_ns) {}

  void name(Rank rank, const std::string& text) {
    add(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", rank, text);
    add(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", rank);
    add(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":-1}}}})",
        rank, kStepsTrack);
    add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"steps"}}}})", rank,
        kStepsTrack);
  }

  void complete(Rank rank, std::string_view name, StepTime span, Step step) {
    ++count_;
    add(R"({{"ph":"X","cat":"step","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
        R"("args":{{"step":{}}}}})",
        name, rank, kStepsTrack, us(span.begin_ns - begin_ns_), us(span.end_ns - span.begin_ns),
        step);
  }

  /// What may overlap others of its rank; `args`: members of a JSON object.
  void overlapping(Rank rank, const std::string& name, StepTime span, const std::string& args) {
    ++count_;
    add(R"({{"ph":"b","cat":"collective","name":{},"id":{},"pid":{},"tid":0,"ts":{},)"
        R"("args":{{{}}}}})",
        name, count_, rank, us(span.begin_ns - begin_ns_), args);
    add(R"({{"ph":"e","cat":"collective","name":{},"id":{},"pid":{},"tid":0,"ts":{}}})", name,
        count_, rank, us(span.end_ns - begin_ns_));
  }

  /// An event as JSON.
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

void add_step(const model::RunModel& model, const analysis::StepParts& parts, Step step,
              Events& events) {
  const auto span = analysis::time_of_step(*model.rank(parts.rank), step);
  if (!span) return;
  events.complete(parts.rank, fmt::format("step {}", step), *span, step);
  std::int64_t at_ns = span->begin_ns;
  for (std::size_t part = 0; part < analysis::kParts; ++part) {
    const std::int64_t end_ns = std::min(at_ns + parts.total_ns[part], span->end_ns);
    const auto kind = static_cast<analysis::Part>(part);
    if (end_ns > at_ns && kind != analysis::Part::kOther)
      events.complete(parts.rank, analysis::name_of(kind), {at_ns, end_ns}, step);
    at_ns = end_ns;
  }
}

/// A collective of each of its members; with who came last, where the host's times tell.
void add_round(const model::GroupRound& round, const model::ProcessGroup& group,
               const std::string& name, Events& events) {
  const auto entered = [](const model::GroupArrival& one) { return one.came ? one.entered_ns : 0; };
  const auto last = std::ranges::max_element(round.arrivals, {}, entered);
  const Rank late = group.ranks[static_cast<std::size_t>(last - round.arrivals.begin())];
  for (std::size_t i = 0; i < round.arrivals.size(); ++i) {
    const model::GroupArrival& one = round.arrivals[i];
    if (!one.came) continue;
    std::string args = fmt::format(R"("step":{},"number":{})", round.step, round.number);
    if (round.size_bytes >= 0) args += fmt::format(R"(,"bytes":{})", round.size_bytes);
    if (!round.on_device) {
      args += fmt::format(R"(,"last_rank":{},"wait_for_last_us":{})", late,
                          (last->entered_ns - one.entered_ns) / 1000);
    }
    const std::int64_t done_ns = one.done_ns >= 0 ? one.done_ns : last->entered_ns;
    events.overlapping(group.ranks[i], name, {one.entered_ns, done_ns}, args);
  }
}

void add_collectives(const model::RunModel& model, StepRange steps, Events& events) {
  const model::GroupStore& store = analysis::told_groups(model);
  for (const model::GroupRound& round : store.rounds()) {
    if (round.step < steps.begin || round.step >= steps.end) continue;
    const model::ProcessGroup& group = store.groups()[round.group];
    add_round(round, group,
              json_text(fmt::format("{} of {}", messages::name_of(round.operation),
                                    view::group_name(model, group))),
              events);
  }
}

/// The steps that some rank has told, of those asked for.
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
  for (const Rank rank : model.ranks())
    events.name(rank, fmt::format("rank {}, node {}", rank, model.rank(rank)->node));
  for (Step step = trace.steps.begin; step < trace.steps.end; ++step) {
    for (const auto& parts : analysis::step_parts(model, {step, step + 1}))
      add_step(model, parts, step, events);
  }
  add_collectives(model, trace.steps, events);
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
