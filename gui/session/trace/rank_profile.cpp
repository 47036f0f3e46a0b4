#include "gui/session/trace/rank_profile.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "gui/remote/json_text.h"

namespace ringside::session {
namespace {

using nlohmann::json;

/// Kineto numbers GPUs as processes from 0. In a run's trace ranks have these numbers.
constexpr std::int64_t kFirstGpuProcess = 1'000'000, kMostGpus = 64;
/// Each profile numbers its flows independently.
constexpr std::int64_t kFlowsPerRank = 1'000'000'000;

/// Kineto marks a span that had not ended when the profile did.
bool is_unfinished(const json& event) {
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return false;
  const auto finished = args->find("finished");
  return finished != args->end() && (*finished == false || *finished == "false");
}

class Reader {
 public:
  Reader(Rank rank, double shift_us) : shift_us_(shift_us) { profile_.rank = rank; }

  /// Collects GPUs by their labels; in a container a host process may have the same number as a
  /// GPU.
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
    profile_.events.push_back(remote::json_text(event));
  }

  RankProfile take() { return std::move(profile_); }

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

  RankProfile profile_;
  double shift_us_;
  std::set<std::int64_t> gpus_;
  std::set<std::int64_t> named_;  ///< processes already named in the trace
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

}  // namespace ringside::session
