#include "gui/session/quick_fit.h"

#include <algorithm>
#include <cctype>
#include <future>
#include <map>
#include <string_view>
#include <utility>

#include "gui/doctor/pace.h"
#include "gui/launch/host_activity.h"
#include "gui/view/number_format.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/messages/data_catalog.h"

namespace ringside::session {
namespace {

using launch::PlannedRun;
using launch::QuickSize;
using messages::RunSpec;

bool can_fit(const RunSpec& spec) {
  const auto* data = messages::find_data_set(spec.data.name);
  return spec.devices.kind == "cpu" && spec.program.argv.empty() && spec.model.name != "none" &&
         data != nullptr && data->sized_by_spec() &&
         (spec.devices.nodes == 1 || spec.devices.virtual_nodes);
}

/// Whether a key of a study is neither its baseline nor a number of devices.
bool is_variant(const std::string& key) {
  return !key.starts_with("baseline-") && !key.starts_with("weak-") && !key.starts_with("strong-");
}

/// A key that is equal for runs that share a probe: they differ only in devices, batch and order.
std::string kind_of(RunSpec pace) {
  pace.batch.size = 0;
  pace.data.train_samples = 0;
  pace.data.test_samples = 0;
  pace.sampler = {};  // which samples are drawn does not change the cost
  return messages::to_toml(pace);
}

struct Probes {
  std::vector<QuickProbe> found;
  std::vector<std::size_t> of_run;
};

/// Probes one run of each kind: the one with the largest batch per rank.
Result<Probes> probe_runs(const std::vector<PlannedRun>& runs, const launch::Machine& machine,
                          const launch::Cancelled& cancelled) {
  Probes probes;
  std::map<std::string, std::size_t> places;
  std::vector<const RunSpec*> chosen;
  for (const PlannedRun& run : runs) {
    const RunSpec pace = doctor::pace_spec(run.spec);
    const auto [place, is_new] = places.emplace(kind_of(pace), chosen.size());
    if (is_new) chosen.push_back(&run.spec);
    const RunSpec*& largest = chosen[place->second];
    if (pace.batch.size > doctor::pace_spec(*largest).batch.size) largest = &run.spec;
    probes.of_run.push_back(place->second);
  }
  // Runs are probed at the same time if each has its own core, otherwise one after the other.
  const bool at_once = chosen.size() <= static_cast<std::size_t>(machine.cores);
  std::vector<std::future<Result<launch::StepCost>>> costs;
  for (const RunSpec* spec : chosen) {
    doctor::PaceRequest request{*spec};
    request.cancelled = cancelled;
    costs.push_back(
        std::async(at_once ? std::launch::async : std::launch::deferred,
                   [&machine, request] { return doctor::measure_pace(machine, request); }));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto cost = RINGSIDE_TRY(costs[i].get());
    probes.found.push_back(
        {messages::precision_text(*chosen[i]), doctor::pace_spec(*chosen[i]).batch.size, cost});
  }
  return probes;
}

double step_s(const QuickProbe& probe) {
  return probe.cost.step_s + static_cast<double>(probe.batch) * probe.cost.sample_s;
}

/// Step time such as "540 ms in fp32" or "5 ms to 6 ms in fp32", over all probes in the first one's
/// precision.
std::string step_words(std::span<const QuickProbe> probes) {
  const std::string& precision = probes.front().precision;
  const QuickProbe* least = probes.data();
  const QuickProbe* most = least;
  for (const QuickProbe& probe : probes) {
    if (probe.precision != precision) continue;
    if (step_s(probe) < step_s(*least)) least = &probe;
    if (step_s(probe) > step_s(*most)) most = &probe;
  }
  const std::string from = view::age_text(step_s(*least));
  const std::string to = view::age_text(step_s(*most));
  const bool about = least->cost.at_least || most->cost.at_least;
  return (about ? "about " : "") + from + (from == to ? "" : " to " + to) + " in " + precision;
}

std::string probe_words(const std::vector<QuickProbe>& probes, double probe_s) {
  std::string text;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto same = [&](const QuickProbe& one) { return one.precision == probes[i].precision; };
    if (std::any_of(probes.data(), probes.data() + i, same)) continue;
    add_listed(text, step_words(std::span(probes).subspan(i)));
  }
  return "a step of " + view::count_text(probes.front().batch) + " on one core takes " + text +
         ", by a probe of " + view::rough_duration_text(probe_s);
}

std::string left_out_line(const QuickFitRequest& request, const QuickSize& size, std::size_t run) {
  return request.keys[run] + " is left out: by itself it would take about " +
         view::rough_duration_text(size.seconds[run]) +
         " or more. Named as a variant it is measured all the same.";
}

}  // namespace

std::vector<std::string> quick_lines(const QuickSize& size, std::int64_t planned_samples,
                                     const std::vector<QuickProbe>& probes,
                                     const QuickFitRequest& request, double probe_s) {
  std::vector<std::string> lines;
  const auto runs = static_cast<std::int64_t>(size.seconds.size() - size.left_out.size());
  const std::string first = std::string("Estimated: ") + (size.at_least ? "at least " : "about ") +
                            view::rough_duration_text(size.total_s()) + " on this machine, " +
                            view::plural(runs, "run", "runs") + ": " + probe_words(probes, probe_s);
  lines.push_back(first + ".");
  if (size.train_samples < planned_samples) {
    lines.push_back(
        "Trains with " + view::count_text(size.train_samples) + " samples instead of " +
        view::count_text(planned_samples) + (runs > 1 ? ", the same in every run" : "") +
        ", to take less time; --set data.train_samples=" + std::to_string(planned_samples) +
        " trains with all.");
  }
  for (const std::size_t run : size.left_out) {
    std::string line = left_out_line(request, size, run);
    if (std::ranges::count(lines, line) == 0) lines.push_back(std::move(line));
  }
  return lines;
}

bool chooses_size(std::span<const std::string> environment, std::span<const std::string> sets) {
  constexpr std::string_view kSizes[] = {"data.train_samples", "train.epochs", "train.max_steps",
                                         "batch.size", "batch.meaning"};
  const auto any = [](std::span<const std::string> list, const std::string& begin) {
    return std::ranges::any_of(list, [&](const auto& one) { return one.starts_with(begin); });
  };
  return std::ranges::any_of(kSizes, [&](std::string_view key) {
    std::string variable = "RINGSIDE_SET_";
    for (const char c : key) {
      const auto letter = static_cast<unsigned char>(c);
      variable += c == '.' ? '_' : static_cast<char>(std::toupper(letter));
    }
    return any(sets, std::string(key) + "=") || any(environment, variable + "=");
  });
}

Result<QuickFit> fit_quick(const launch::Plan& plan, const QuickFitRequest& request,
                           const launch::Machine& machine) {
  QuickFit fit;
  const bool can = !plan.runs.empty() &&
                   std::ranges::all_of(plan.runs, [](const auto& r) { return can_fit(r.spec); });
  if (!can) return fit;
  if (!launch::inspect_host(machine).tickets.empty()) {
    fit.lines.emplace_back("How long it takes is not known: other runs compute on this machine.");
    return fit;
  }
  const std::int64_t begin_ns = mono_now_ns();
  if (request.probing) request.probing();
  const auto probes = probe_runs(plan.runs, machine, request.cancelled);
  if (request.cancelled && request.cancelled()) return failure("it was cancelled");
  if (!probes) {
    fit.lines.push_back("How long it takes is not known: " + probes.error().message + ".");
    return fit;
  }
  std::vector<launch::QuickRun> runs;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    runs.push_back({run.spec, probes->found[probes->of_run[i]].cost,
                    request.may_leave_out && is_variant(request.keys[i])});
  }
  const QuickSize size = launch::quick_size(runs, machine.cores, request.time, request.may_resize);
  const std::int64_t planned = plan.runs.front().spec.data.train_samples;
  fit.probed = true;
  if (size.train_samples != planned) fit.train_samples = size.train_samples;
  for (const std::size_t run : size.left_out) {
    if (std::ranges::count(fit.left_out, request.keys[run]) == 0)
      fit.left_out.push_back(request.keys[run]);
  }
  for (std::size_t i = 0; i < size.seconds.size(); ++i) {
    if (std::ranges::count(size.left_out, i) == 0) fit.seconds.push_back(size.seconds[i]);
  }
  const double probe_s = static_cast<double>(mono_now_ns() - begin_ns) * 1e-9;
  fit.lines = quick_lines(size, planned, probes->found, request, probe_s);
  return fit;
}

void expect_seconds(const QuickFit& fit, launch::Plan& plan) {
  if (fit.seconds.size() != plan.runs.size()) return;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) plan.runs[i].expected_s = fit.seconds[i];
}

}  // namespace ringside::session
