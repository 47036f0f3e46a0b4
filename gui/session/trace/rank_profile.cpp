#include "gui/session/trace/rank_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "gui/remote/json_text.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "gui/view/words.h"

namespace ringside::session {
namespace {

using nlohmann::json;

/// Kineto writes GPUs as processes that are numbered from 0. Here ranks have these numbers.
constexpr std::int64_t kFirstGpuProcess = 1'000'000, kMostGpus = 64;
/// Flows are numbered by each profile for itself.
constexpr std::int64_t kFlowsPerRank = 1'000'000'000;

/// A span of an operator on one thread.
struct OperatorSpan {
  double begin_us = 0;
  double end_us = 0;
  std::string name;
};

/// Adds the time of each that is not that of one inside of it.
void add_own_times(std::vector<OperatorSpan> spans, std::map<std::string, double>& spent_us) {
  std::ranges::sort(spans, {},
                    [](const OperatorSpan& one) { return std::pair(one.begin_us, -one.end_us); });
  std::vector<const OperatorSpan*> open;
  for (const OperatorSpan& span : spans) {
    while (!open.empty() && open.back()->end_us <= span.begin_us) open.pop_back();
    const double took_us = span.end_us - span.begin_us;
    spent_us[span.name] += took_us;
    if (!open.empty()) spent_us[open.back()->name] -= took_us;
    open.push_back(&span);
  }
}

/// Such a span lasts into the end of the profile.
bool is_unfinished(const json& event) {
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return false;
  const auto finished = args->find("finished");
  return finished != args->end() && (*finished == false || *finished == "false");
}

/// Reads the events of one profile.
class Reader {
 public:
  Reader(Rank rank, double shift_us) : shift_us_(shift_us) { profile_.rank = rank; }

  /// GPUs are labelled; a process of the host may have the same number as one, in a container.
  void name_gpus(const json& events) {
    for (const json& event : events) {
      if (event.value("name", "") != "process_labels" || !event["pid"].is_number_integer())
        continue;
      if (event.at("args").value("labels", "").starts_with("GPU"))
        gpus_.insert(event["pid"].get<std::int64_t>());
    }
  }

  void add(json event) {
    const std::string kind = event.value("ph", "");
    const bool names = kind == "M";
    if (!event.contains("pid") || !event["pid"].is_number_integer()) return;  // the profiler's own
    if (names ? !names_thread(event) : !event.contains("ts")) return;
    if (is_unfinished(event)) return;
    const auto process = event["pid"].get<std::int64_t>();
    event["pid"] = on_gpu(process, event) ? gpu_process(process) : profile_.rank;
    if (event.contains("ts")) event["ts"] = event["ts"].get<double>() + shift_us_;
    if (event.contains("id") && event["id"].is_number_integer())
      event["id"] = event["id"].get<std::int64_t>() + kFlowsPerRank * (profile_.rank + 1);
    if (kind == "X") note(event);
    profile_.events.push_back(remote::json_text(event));
  }

  RankProfile take() {
    for (auto& [thread, spans] : operators_) add_own_times(std::move(spans), profile_.spent_us);
    return std::move(profile_);
  }

 private:
  static bool names_thread(const json& event) {
    return event.value("name", "") == "thread_name" ||
           event.value("name", "") == "thread_sort_index";
  }

  bool on_gpu(std::int64_t process, const json& event) const {
    static const std::set<std::string> kHosts{"cpu_op",       "user_annotation", "python_function",
                                              "cuda_runtime", "cuda_driver",     "fwdbwd"};
    return gpus_.contains(process) && !kHosts.contains(event.value("cat", ""));
  }

  std::int64_t gpu_process(std::int64_t gpu) {
    const std::int64_t process = kFirstGpuProcess + profile_.rank * kMostGpus + gpu;
    if (!named_.insert(gpu).second) return process;
    const json place{{"ph", "M"},
                     {"name", "process_sort_index"},
                     {"pid", process},
                     {"args", {{"sort_index", profile_.rank}}}};
    const json name{{"ph", "M"},
                    {"name", "process_name"},
                    {"pid", process},
                    {"args", {{"name", fmt::format("rank {}, GPU {}", profile_.rank, gpu)}}}};
    profile_.events.push_back(remote::json_text(place));
    profile_.events.push_back(remote::json_text(name));
    return process;
  }

  void note(const json& event) {
    const std::string kind = event.value("cat", "");
    const double begin_us = event["ts"], took_us = event.value("dur", 0.0);
    const std::string name = event.value("name", "");
    if (kind == "cpu_op")
      operators_[remote::json_text(event["tid"])].push_back({begin_us, begin_us + took_us, name});
    if (kind == "kernel" || kind == "gpu_memcpy" || kind == "gpu_memset")
      profile_.spent_us[name] += took_us;
  }

  RankProfile profile_;
  double shift_us_;
  std::set<std::int64_t> gpus_;
  std::set<std::int64_t> named_;                                ///< in the trace
  std::map<std::string, std::vector<OperatorSpan>> operators_;  ///< by thread
};

}  // namespace

Result<RankProfile> rank_profile(Rank rank, const std::string& text,
                                 const std::function<double(std::int64_t)>& at_us) {
  try {
    json profile = json::parse(text);
    const std::int64_t base_ns =
        profile.at("baseTimeNanoseconds").get<std::int64_t>() -
        profile.at("ringside").at("wall_minus_mono_ns").get<std::int64_t>();
    Reader reader(rank, at_us(base_ns));
    reader.name_gpus(profile.at("traceEvents"));
    for (json& event : profile.at("traceEvents")) reader.add(std::move(event));
    return reader.take();
  } catch (const json::exception& error) {
    return failure(fmt::format("the profile of rank {} cannot be read: {}", rank, error.what()));
  }
}

view::Table operations_table(const std::vector<RankProfile>& profiles, Step steps,
                             std::size_t most) {
  std::map<std::string, std::vector<double>> spent;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    for (const auto& [name, us] : profiles[i].spent_us) {
      auto& times = spent[name];
      times.resize(profiles.size());
      times[i] = us / 1e3 / static_cast<double>(std::max<Step>(1, steps));
    }
  }
  std::vector<std::tuple<double, std::string, std::vector<double>>> rows;
  for (auto& [name, times] : spent) {
    const auto [least, largest] = std::ranges::minmax(times);
    rows.emplace_back(profiles.size() > 1 ? least - largest : -largest, name, std::move(times));
  }
  std::ranges::sort(rows);
  view::Table table{"operations", "Operations by how much ranks differ, ms in a step"};
  for (const auto& [order, name, times] : rows) {
    if (table.rows.size() == most) break;
    std::vector<view::Entry> cells{{{"operation", "operation"}, view::word_cell(name)}};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string key = "rank_" + std::to_string(profiles[i].rank) + "_ms";
      cells.push_back(
          {view::number_column(key, view::rank_name(profiles[i].rank)),
           view::number_cell(times[i], [](double v) { return view::decimal_text(v, 3); })});
    }
    view::add_entries(table, std::move(cells));
  }
  return table;
}

}  // namespace ringside::session
