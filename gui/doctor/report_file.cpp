#include "gui/doctor/report_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "protocol/base/calendar.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"

namespace ringside::doctor {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  if (from.size() < 2) return;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Replaces names of folders and of the host in an error text, since the report may be sent to
/// others.
std::string without_places(std::string text, const std::string& host) {
  if (const auto home = home_folder()) replace_all(text, home->string(), "~");
  std::error_code error;
  replace_all(text, fs::temp_directory_path(error).string(), "TMP");
  replace_all(text, host, "HOST");
  return printable_line(text);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

Json results_json(const std::vector<CheckResult>& results) {
  Json json = {{"healthy", healthy(results)}, {"checks", Json::array()}};
  for (const CheckResult& result : results) {
    Json check = {{"number", result.kind.number},
                  {"name", result.kind.name},
                  {"title", result.kind.title},
                  {"proves", result.kind.proves},
                  {"outcome", name_of(result.outcome)},
                  {"told", result_text(result)},
                  {"reason", result.reason},
                  {"seconds", result.seconds},
                  {"measures", Json::array()}};
    for (const Measure& measure : result.measures) {
      check["measures"].push_back({{"what", measure.what},
                                   {"measured", number(measure.measured)},
                                   {"against", number(measure.against)},
                                   {"limit", measure.limit},
                                   {"holds", measure.holds},
                                   {"sentence", measure.sentence}});
    }
    json["checks"].push_back(std::move(check));
  }
  return json;
}

std::string report_text(const launch::Machine& machine, const DoctorRequest& request,
                        const std::vector<CheckResult>& results, std::int64_t wall_ns) {
  Json json = {{"version", RINGSIDE_VERSION},
               {"when", utc_text(wall_ns)},
               {"kind", request.gpu ? "gpu" : "train"},
               {"quick", request.quick},
               {"cpu", machine.cpu_name},
               {"cores", machine.cores},
               {"memory_total_bytes", machine.memory_total_bytes},
               {"kernel", machine.kernel},
               {"driver", machine.driver},
               {"cuda", machine.cuda},
               {"gpus", Json::array()},
               {"links", Json::array()}};
  for (const launch::Gpu& gpu : machine.gpus) {
    json["gpus"].push_back({{"index", gpu.index},
                            {"name", gpu.name},
                            {"memory_total_bytes", gpu.memory_total_bytes},
                            {"in_use", !gpu.pids.empty()}});
  }
  for (const launch::Link& link : machine.links)
    json["links"].push_back({{"a", link.a}, {"b", link.b}, {"word", link.word}});
  std::vector<CheckResult> told_without = results;
  for (CheckResult& result : told_without) {
    result.reason = without_places(result.reason, machine.host);
    for (Measure& measure : result.measures)
      measure.sentence = without_places(measure.sentence, machine.host);
  }
  json.update(results_json(told_without));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<fs::path> write_report(const launch::Machine& machine, const DoctorRequest& request,
                              const std::vector<CheckResult>& results) {
  const auto state = RINGSIDE_TRY(user_folder("XDG_STATE_HOME", ".local/state"));
  const fs::path folder = state / "ringside";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure("cannot make " + folder.string() + ": " + error.message());
  const fs::path file = folder / (request.gpu ? "doctor-gpu.json" : "doctor-train.json");
  const SystemClock clock;
  const auto written =
      write_text_atomically(file, report_text(machine, request, results, clock.wall_ns()));
  if (!written) return pass(written);
  return file;
}

}  // namespace ringside::doctor
