#include "gui/view/window/status_bar.h"

#include <algorithm>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/log_damage.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

Piece dim(std::string text) { return {std::move(text), Style::kDim}; }
Piece number(std::string text) { return {std::move(text), Style::kNumber}; }

void add_heard(const model::RunModel& model, const RunContext& context, StatusBarView& bar) {
  std::int64_t heard = 0;
  std::int64_t newest = 0;
  for (const Rank rank : model.ranks()) {
    if (model.rank(rank)->last_record_ns == 0) continue;
    ++heard;
    newest = std::max(newest, model.rank(rank)->last_record_ns);
  }
  Sentence text{number(count_text(heard)), dim(" of "), number(count_text(model.world_size())),
                dim(" ranks reported")};
  const bool live = context.contact == Contact::kLive && !is_over(model, context);
  if (live && newest > 0 && !context.held())
    text.push_back(number(
        " " +
        age_text(static_cast<double>(std::max<std::int64_t>(0, context.now_ns - newest)) / 1e9) +
        " ago"));
  bar.left.push_back(std::move(text));
}

void add_reports(const model::RunModel& model, StatusBarView& bar) {
  std::int64_t got = 0;
  std::int64_t expected = 0;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    got += static_cast<std::int64_t>(known.steps_reported);
    if (known.first_step >= 0) expected += known.newest_step - known.first_step + 1;
  }
  bar.left.push_back({dim("Step reports "),
                      number(count_text(got)),
                      dim(" of "),
                      number(count_text(std::max(got, expected))),
                      dim(", "),
                      {count_text(static_cast<std::int64_t>(model.lost_records())),
                       model.lost_records() > 0 ? Style::kStrongNumber : Style::kNumber},
                      dim(model.lost_records() > 0 ? " records lost" : " lost")});
}

/// Adds telemetry's share of the step time, from the last record of each rank.
void add_cost(const model::RunModel& model, StatusBarView& bar) {
  double posted = 0;
  double trained = 0;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    if (!known.goodbye) continue;
    posted += static_cast<double>(known.goodbye->post_total_ns);
    // The last record counts posting in its own process only, so steps of earlier attempts are left
    // out.
    const auto first = static_cast<std::size_t>(known.hello ? known.hello->first_step : 0);
    trained += known.series(model::Metric::kStepTime).sum(first, known.end_ns.size()).sum;
  }
  if (trained > 0)
    bar.left.push_back({dim("Telemetry overhead "),
                        number(decimal_text(posted / trained * 100, 3) + " %"),
                        dim(" of step time")});
}

void add_clocks(const model::RunModel& model, StatusBarView& bar) {
  std::int64_t worst = 0;
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    worst = std::max(
        worst, rank.clock_uncertainty_ns + model.clock_uncertainty_ns(rank.node, model.last_ns()));
  }
  if (!model.clocks_known()) {
    bar.left.push_back({dim("Clock offsets of the nodes not known")});
  } else if (worst > 0) {
    bar.left.push_back({dim("Clock offset "),
                        number("±" + decimal_text(static_cast<double>(worst) / 1e6, 2) + " ms")});
  }
}

void add_versions(const model::RunModel& model, StatusBarView& bar) {
  for (const Rank rank : model.ranks()) {
    if (!model.rank(rank)->hello || model.rank(rank)->hello->versions.empty()) continue;
    bar.right.push_back({dim(model.rank(rank)->hello->versions)});
    return;
  }
}

}  // namespace

void add_machine(const LaunchForm& form, const MachineSummary& machine, StatusBarView& bar) {
  if (machine.gpus.empty()) return;
  const auto count = [](auto begin, auto end, auto holds) {
    return count_text(static_cast<std::int64_t>(std::count_if(begin, end, holds)));
  };
  const auto& gpus = machine.gpus;
  bar.left.push_back(
      {number(count(gpus.begin(), gpus.end(),
                    [](const DeviceSummary& gpu) { return gpu.used_by.empty(); })),
       dim(" of "), number(count_text(static_cast<std::int64_t>(gpus.size()))), dim(" GPUs free, "),
       number(count(gpus.begin(), gpus.end(),
                    [&](const DeviceSummary& gpu) { return form.is_picked(gpu.uuid); })),
       dim(" selected")});
  if (!machine.driver.empty())
    bar.right.insert(bar.right.begin(), {dim("Driver "), number(machine.driver)});
}

StatusBarView build_status_bar(const model::RunModel* model, const RunContext& context) {
  StatusBarView bar;
  if (model == nullptr) {
    bar.left.push_back({dim("No run")});
    bar.right.push_back({dim("Ctrl K  commands")});
    return bar;
  }
  const bool live =
      context.contact == Contact::kLive && !context.held() && !is_over(*model, context);
  bar.shape = live ? Shape::kDot : Shape::kRing;
  bar.tone = live ? Tone::kOk : Tone::kDim;
  if (context.contact == Contact::kLost || context.contact == Contact::kInterrupted) {
    bar.shape = Shape::kStruckRing;
    bar.tone = Tone::kWarning;
  }
  add_heard(*model, context, bar);
  add_reports(*model, bar);
  add_cost(*model, bar);
  add_clocks(*model, bar);
  if (context.log_skipped_bytes > 0) {
    bar.left.push_back(
        {{skipped_text(context.log_skipped_bytes, context.log_first_skipped), Style::kStrong}});
    bar.tone = Tone::kWarning;
  }
  if (!context.missing_logs.empty()) {
    bar.left.push_back({{missing_logs_text(context.missing_logs), Style::kStrong}});
    bar.tone = Tone::kWarning;
  }
  bar.right.push_back({dim("Log "), number(mb_text(static_cast<double>(context.log_bytes)))});
  add_versions(*model, bar);
  bar.right.push_back({dim("Ctrl K  commands")});
  return bar;
}

}  // namespace ringside::view
