#include "gui/slurm/send_job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gui/slurm/ask_program.h"
#include "gui/slurm/job_state.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::slurm {
namespace {

constexpr std::string_view kOurJobs = "ringside-";
/// From this exit code on, a signal ended the program, which may be ours.
constexpr int kSignalled = 128;

/// Whether this error of a Slurm program means that the answer was lost, so the request may have
/// been accepted.
bool is_uncertain(std::string_view error) {
  constexpr std::array<std::string_view, 2> kLost{"timed out", "Zero Bytes were transmitted"};
  return std::any_of(kLost.begin(), kLost.end(),
                     [error](std::string_view one) { return error.find(one) != error.npos; });
}

/// The job name among the arguments; sbatch uses the last one.
std::string name_in(const std::vector<std::string>& argv) {
  constexpr std::string_view kName = "--job-name=";
  std::string name;
  for (const std::string& word : argv)
    if (word.starts_with(kName)) name = word.substr(kName.size());
  return name;
}

}  // namespace

std::string job_name(std::string_view run) { return std::string(kOurJobs).append(run); }

Result<std::string> find_job(const std::string& name, const std::string& earlier,
                             const launch::Cancelled& cancelled) {
  auto words = squeue_words(std::to_string(::getuid()));
  words.push_back("--name=" + name);
  const auto told = RINGSIDE_TRY(ask_program("squeue", std::move(words), cancelled));
  const auto before = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  std::string newest = earlier;
  for (const auto& [job, report] : parse_squeue(told))
    if (before(newest, job)) newest = job;
  return newest == earlier ? std::string() : newest;
}

Result<std::string> send_job(std::vector<std::string> argv, std::vector<std::string> environment,
                             const std::string& earlier, std::int64_t limit_ns) {
  const std::string name = name_in(argv);
  const std::string sbatch = argv.front();
  argv.erase(argv.begin());
  // These would make sbatch wait for the end of the job, or submit it where squeue and scancel do
  // not look.
  environment.insert(environment.end(), {"SBATCH_WAIT", "SBATCH_CLUSTERS"});
  const auto told = RINGSIDE_TRY(call_program(sbatch, argv, {}, environment, limit_ns));
  const std::vector<std::string> said = parse_submitted(told.output);
  std::string complaint = complaint_of(sbatch, told);
  // A printed number is the job's number, however the program ended.
  if (said.size() == 1) return said.front();
  const bool uncertain =
      complaint.empty() || told.exit_code >= kSignalled || is_uncertain(complaint);
  if (said.empty() && !uncertain) return failure(std::move(complaint));
  // A name that a person chose may also be that of another job.
  const bool is_ours = name.starts_with(kOurJobs);
  if (auto job = is_ours ? find_job(name, earlier) : std::string(); job && !job->empty())
    return job;
  if (!said.empty()) return said.back();
  if (complaint.empty()) {
    complaint = "sbatch did not say the number of the job: \"" +
                printable_line(trimmed(told.output)) + "\"";
  }
  return failure(complaint + ". The job may be in the queue all the same: `squeue --me --name=" +
                 shell_word(name) + "` shows it, `scancel` with its number takes it out");
}

}  // namespace ringside::slurm
