// What Slurm says of a job, read from its own programs' output, and in a person's words. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/place_news.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

/// Slurm's own words for a state and its reason; both empty: nothing is known of the job.
struct JobNews {
  std::string state;   ///< "PENDING", "COMPLETED"
  std::string reason;  ///< "Resources", "Priority"; "None": there is none
  std::string nodes;   ///< "n[1-2]"; empty: none yet
  bool operator==(const JobNews&) const = default;
};

/// Our word where Slurm has none: it has forgotten the job.
inline constexpr const char* kForgotten = "FORGOTTEN";

/// Our reason where Slurm has none: a step that waits for the one before it.
inline constexpr const char* kNotBegun = "StepNotBegun";

/// News by the number of the job.
using Queue = std::map<std::string, JobNews>;

/// Digits alone, as all jobs of ours have it; nothing else may stand in a command line for one.
bool is_job_number(std::string_view text);
/// "12.0": a step of a job.
bool is_step_number(std::string_view text);

/// The words of squeue behind its name; `user`: as squeue takes it, a number too. All states,
/// because what ended minutes ago is known there still.
std::vector<std::string> squeue_words(const std::string& user);
/// Parses squeue's output; lines in another format are left out.
Queue parse_squeue(std::string_view text);

/// The words of sacct, where the controller has forgotten a job, and its output: the state of the
/// job itself, not of its steps.
std::vector<std::string> sacct_words(const std::string& job);
std::optional<JobNews> parse_sacct(std::string_view text, std::string_view job);

/// The words of `scontrol show job`, and its output.
std::vector<std::string> scontrol_words(const std::string& job);
std::optional<JobNews> parse_scontrol(std::string_view text);
/// Whether this error of scontrol means that there is no such job, or no longer.
bool knows_no_job(std::string_view complaint);
/// GPUs on each of its nodes, by the same output; 0: none, or it does not say.
std::int64_t parse_gpus_per_node(std::string_view text);

/// Numbers of jobs among the lines that `sbatch --parsable` and what a site has around it print:
/// "12", "12;cluster", "Submitted batch job 12".
std::vector<std::string> parse_submitted(std::string_view text);

/// A job state that another machine reported. A user id in it is marked as a number, since it may
/// be another user on this machine.
JobNews of_elsewhere(JobNews news);

using JobPhase = launch::Phase;
using launch::is_over;
JobPhase phase_of(const JobNews& news);

/// "waiting for resources", "its time limit was reached", "cancelled by ada": what follows "job
/// 12:".
std::string words_of(const JobNews& news);

}  // namespace ringside::slurm
