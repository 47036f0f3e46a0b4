#include "gui/slurm/queue_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "gui/slurm/job_file.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"
#include "protocol/runlog/copy_mark.h"

namespace ringside::slurm {
namespace {

using Json = nlohmann::json;

// Pause between two calls of squeue, doubled with each failure up to the limit.
constexpr std::int64_t kPauseNs = 30'000'000'000;
constexpr std::int64_t kLongestPauseNs = 600'000'000'000;
constexpr int kMostDoublings = 5;

/// Empty if there is no home folder: every program then calls squeue itself.
std::filesystem::path path_of_file() {
  const auto state = user_folder("XDG_STATE_HOME", ".local/state");
  return state ? *state / "ringside" / "slurm_queue.json" : std::filesystem::path();
}

std::filesystem::path copied_in(const std::filesystem::path& runs_dir) {
  return runs_dir / runlog::kCopiedQueueFile;
}

QueueFile read(const std::filesystem::path& path) {
  const auto text = path.empty() ? Result<std::string>(failure("no home folder")) : read_text(path);
  return text ? parse_queue_file(*text) : QueueFile{};
}

}  // namespace

bool is_due(const QueueFile& file, std::int64_t now_wall_ns) {
  const std::int64_t pause_ns = std::min(
      kLongestPauseNs, kPauseNs * (std::int64_t{1} << std::min(file.failures, kMostDoublings)));
  return now_wall_ns < file.asked_wall_ns || now_wall_ns - file.asked_wall_ns >= pause_ns;
}

QueueFile after_answer(std::string_view squeue, std::int64_t now_wall_ns) {
  return {now_wall_ns, now_wall_ns, 0, {}, parse_squeue(squeue)};
}

QueueFile after_failure(QueueFile file, std::string problem, std::int64_t now_wall_ns) {
  file.asked_wall_ns = now_wall_ns;
  ++file.failures;
  file.problem = std::move(problem);
  return file;
}

std::string to_text(const QueueFile& file) {
  Json jobs = Json::object();
  for (const auto& [job, report] : file.queue)
    jobs[job] = {report.state, report.reason, report.nodes};
  const Json json = {{"version", 1},
                     {"asked_wall_ns", file.asked_wall_ns},
                     {"answered_wall_ns", file.answered_wall_ns},
                     {"failures", file.failures},
                     {"problem", file.problem},
                     {"jobs", jobs}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

QueueFile parse_queue_file(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    QueueFile file;
    file.asked_wall_ns = json.value("asked_wall_ns", std::int64_t{0});
    file.answered_wall_ns = json.value("answered_wall_ns", file.asked_wall_ns);
    file.failures = std::max(0, json.value("failures", 0));
    file.problem = json.value("problem", "");
    for (const auto& [job, report] : json.at("jobs").items()) {
      file.queue[job] = {report.at(0).get<std::string>(), report.at(1).get<std::string>(),
                         report.at(2).get<std::string>()};
    }
    return file;
  } catch (const Json::exception&) {
    return {};
  }
}

QueueFile queue_of(const runlog::RunFolder& folder) {
  return runlog::is_copy(folder) ? read(copied_in(folder.path().parent_path())) : read_queue_file();
}

std::string queue_about(const std::filesystem::path& runs_dir) {
  std::optional<QueueFile> told;  // the same for all runs of a folder
  Queue named;
  std::error_code error;
  std::filesystem::directory_iterator it(runs_dir, error);
  for (const std::filesystem::directory_iterator end; !error && it != end; it.increment(error)) {
    const runlog::RunFolder folder(it->path());
    const auto file = read_job_file(folder);
    if (!file) continue;
    if (!told) told = queue_of(folder);
    const auto found = told->queue.find(file->job);
    if (found != told->queue.end()) named.insert(*found);
  }
  if (!told) return to_text(QueueFile{});
  told->queue = std::move(named);
  return to_text(*told);
}

Result<bool> keep_copied_queue(const std::filesystem::path& runs_dir, const std::string& text) {
  const auto path = copied_in(runs_dir);
  if (const auto before = read_text(path); before && *before == text) return false;
  const auto written = write_text_atomically(path, text);
  return written ? Result<bool>(true) : pass(written);
}

QueueFile read_queue_file() { return read(path_of_file()); }

void write_queue_file(const QueueFile& file) {
  const auto path = path_of_file();
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  // A failure to write is ignored: the next program only asks squeue again.
  (void)write_text_atomically(path, to_text(file));
}

void note_state(const std::string& job, JobReport report) {
  QueueFile file = read_queue_file();
  file.queue[job] = std::move(report);
  write_queue_file(file);
}

}  // namespace ringside::slurm
