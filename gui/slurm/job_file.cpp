#include "gui/slurm/job_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "protocol/host/files.h"

namespace ringside::slurm {
namespace {

using Json = nlohmann::json;

constexpr const char* kKind = "slurm";

std::filesystem::path path_of(const runlog::RunFolder& folder) {
  return folder.path() / launch::kPlaceFile;
}

std::filesystem::path old_path_of(const runlog::RunFolder& folder) {
  return folder.path() / "slurm.json";
}

const char* as_what(const JobFile& file) {
  if (!file.is_step) return "job";
  return file.srun_step.empty() ? "step" : "tasks";
}

}  // namespace

std::string to_text(const JobFile& file) {
  Json json = {{"version", 1},
               {"kind", kKind},
               {"as", as_what(file)},
               {"job", file.job},
               {"submitted_wall_ns", file.submitted_wall_ns},
               {"options", launch::to_json(kOptions, typed_of(file.options))}};
  if (file.is_elsewhere) json["imported"] = true;
  if (!file.srun_step.empty()) json["srun_step"] = file.srun_step;
  if (file.end)
    json["end"] = {
        {"state", file.end->state}, {"reason", file.end->reason}, {"nodes", file.end->nodes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<JobFile> parse_job_file(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.value("kind", std::string(kKind)) != kKind) return std::nullopt;
    JobFile file;
    file.job = json.value("job", "");
    if (!file.job.empty() && !is_job_number(file.job)) return std::nullopt;
    file.submitted_wall_ns = json.value("submitted_wall_ns", std::int64_t{0});
    file.is_step = json.value("as", std::string("job")) != "job" || json.value("step", false);
    file.is_elsewhere = json.value("imported", false) || json.value("elsewhere", false);
    file.srun_step = json.value("srun_step", "");
    if (!file.srun_step.empty() && !is_step_number(file.srun_step)) return std::nullopt;
    if (json.contains("options")) {
      auto options = read_options(launch::read_typed(kOptions, json.at("options")));
      file.options = std::move(options).value_or(Options());
    }
    if (json.contains("end")) {
      const Json& end = json.at("end");
      file.end = JobReport{end.value("state", ""), end.value("reason", ""), end.value("nodes", "")};
    }
    return file;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<JobFile> read_job_file(const runlog::RunFolder& folder) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  auto text = read_text(path_of(folder), kMostBytes);
  if (!text) text = read_text(old_path_of(folder), kMostBytes);
  return text ? parse_job_file(*text) : std::nullopt;
}

Result<void> write_job_file(const runlog::RunFolder& folder, const JobFile& file) {
  RINGSIDE_TRY(write_text_atomically(path_of(folder), to_text(file)));
  std::error_code ignored;
  std::filesystem::remove(old_path_of(folder), ignored);
  return {};
}

Result<void> remove_job_file(const runlog::RunFolder& folder) {
  for (const auto& path : {path_of(folder), old_path_of(folder)}) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) return failure(path.string() + " cannot be removed: " + error.message());
  }
  return {};
}

}  // namespace ringside::slurm
