// Parses what Slurm's programs print about a job, and words it for a person. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/place_report.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

/// A job's state and reason in Slurm's own words; both empty: nothing is known of the job.
struct JobReport {
  std::string state;   ///< "PENDING", "COMPLETED"
  std::string reason;  ///< "Resources", "Priority"; "None": there is none
  std::string nodes;   ///< "n[1-2]"; empty: none yet
  bool operator==(const JobReport&) const = default;
};

/// Our own state for a job that Slurm has forgotten.
inline constexpr const char* kForgotten = "FORGOTTEN";

/// Our own reason for a step that waits for the one before it.
inline constexpr const char* kNotBegun = "StepNotBegun";

/// News by the number of the job.
using Queue = std::map<std::string, JobReport>;

/// Whether the text is all digits, like every job number of ours; nothing else may go into a
/// command line.
bool is_job_number(std::string_view text);
/// Whether the text is the number of a step, such as "12.0".
bool is_step_number(std::string_view text);

/// Arguments of squeue; `user`: a name or a number. Asks for all states, because squeue still lists
/// jobs that ended minutes ago.
std::vector<std::string> squeue_words(const std::string& user);
/// Parses squeue's output; lines in another format are left out.
Queue parse_squeue(std::string_view text);

/// Arguments of sacct, used when the controller has forgotten a job, and the parser of its output:
/// the state of the job itself, not of its steps.
std::vector<std::string> sacct_words(const std::string& job);
std::optional<JobReport> parse_sacct(std::string_view text, std::string_view job);

/// Arguments of `scontrol show job`, and the parser of its output.
std::vector<std::string> scontrol_words(const std::string& job);
std::optional<JobReport> parse_scontrol(std::string_view text);
/// Whether this error of scontrol means that the job does not exist, or no longer does.
bool knows_no_job(std::string_view complaint);
/// GPUs on each node of the job, from the same output; 0: none, or not stated.
std::int64_t parse_gpus_per_node(std::string_view text);

/// Job numbers among the lines that `sbatch --parsable` and a site's wrapper print: "12",
/// "12;cluster", "Submitted batch job 12".
std::vector<std::string> parse_submitted(std::string_view text);

/// A job state that another machine reported. A user id in it is marked as a number, since it may
/// be another user on this machine.
JobReport of_elsewhere(JobReport report);

using JobPhase = launch::Phase;
using launch::is_over;
JobPhase phase_of(const JobReport& report);

/// "waiting for resources", "its time limit was reached", "cancelled by ada": what follows "job
/// 12:".
std::string words_of(const JobReport& report);

}  // namespace ringside::slurm
