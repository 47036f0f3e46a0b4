#include "gui/slurm/job_state.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::slurm {
namespace {

constexpr std::string_view kCancelledBy = "CANCELLED by ";

struct StateWords {
  std::string_view state;
  JobPhase phase;
  std::string_view words;
};

// States are those of squeue(1) and sacct(1), "job state codes".
constexpr std::array<StateWords, 28> kStates{{
    {"PENDING", JobPhase::kWaiting, "waiting"},
    {"CONFIGURING", JobPhase::kRunning, "its nodes are being made ready"},
    {"POWER_UP_NODE", JobPhase::kRunning, "its nodes are being switched on"},
    {"RUNNING", JobPhase::kRunning, "running"},
    {"COMPLETING", JobPhase::kRunning, "ending"},
    {"STAGE_OUT", JobPhase::kRunning, "ending, its files are moved"},
    {"SIGNALING", JobPhase::kRunning, "being signalled"},
    {"SUSPENDED", JobPhase::kRunning, "suspended: its processes are paused"},
    {"STOPPED", JobPhase::kRunning, "stopped by a signal, its nodes are kept"},
    {"RESIZING", JobPhase::kRunning, "changing its size"},
    {"REQUEUED", JobPhase::kWaiting, "back in the queue"},
    {"REQUEUE_FED", JobPhase::kWaiting, "back in the queue of the federation"},
    {"REQUEUE_HOLD", JobPhase::kWaiting,
     "back in the queue and held: `scontrol release` lets it start"},
    {"RESV_DEL_HOLD", JobPhase::kWaiting, "held: the reservation that it waited for was deleted"},
    {"SPECIAL_EXIT", JobPhase::kWaiting, "back in the queue and held after a special exit"},
    {"COMPLETED", JobPhase::kFinished, "completed"},
    {"FAILED", JobPhase::kFailed, "failed"},
    {"OUT_OF_MEMORY", JobPhase::kFailed, "out of memory: Slurm's limit was reached"},
    {"LAUNCH_FAILED", JobPhase::kFailed, "its nodes could not start it"},
    {"RECONFIG_FAIL", JobPhase::kFailed, "its nodes could not be made ready"},
    {"CANCELLED", JobPhase::kCancelled, "cancelled"},
    {"REVOKED", JobPhase::kCut, "taken back here: another cluster of the federation has it"},
    {"TIMEOUT", JobPhase::kCut, "its time limit was reached"},
    {"DEADLINE", JobPhase::kCut, "its deadline passed"},
    {"NODE_FAIL", JobPhase::kCut, "one of its nodes failed"},
    {"BOOT_FAIL", JobPhase::kCut, "its nodes did not boot"},
    {"PREEMPTED", JobPhase::kCut, "preempted by a job that goes first"},
    {kForgotten, JobPhase::kCut, "Slurm does not know it any more"},
}};

struct ReasonWords {
  std::string_view reason;
  std::string_view words;
};

// Common reasons of squeue(1), "job reason codes". Other reasons are shown as Slurm names them.
constexpr std::array<ReasonWords, 20> kReasons{{
    {kNotBegun, "its step has not begun"},
    {"Resources", "waiting for resources"},
    {"Priority", "waiting, other jobs go first"},
    {"Dependency", "waiting for another job"},
    {"DependencyNeverSatisfied", "waiting for a job that will never be as wanted"},
    {"BeginTime", "waiting until it may begin"},
    {"JobHeldUser", "held by its owner: `scontrol release` lets it start"},
    {"JobHeldAdmin", "held by an administrator"},
    {"Licenses", "waiting for a licence"},
    {"Reservation", "waiting for its reservation"},
    {"PartitionDown", "its partition is down"},
    {"PartitionInactive", "its partition is not active"},
    {"PartitionNodeLimit", "it asks for more nodes than its partition allows"},
    {"PartitionTimeLimit", "it asks for more time than its partition allows"},
    {"NodeDown", "a node that it needs is down"},
    {"BadConstraints", "no node can ever be as it asks"},
    {"InvalidAccount", "its account is not valid"},
    {"InvalidQOS", "its quality of service is not valid"},
    {"JobArrayTaskLimit", "waiting, as many tasks of its array run as may"},
    {"Cleaning", "its last attempt is still being cleaned up"},
}};

/// Prefixes of reasons whose names end in a resource: "QOSMaxCpuPerUserLimit".
constexpr std::array<ReasonWords, 4> kReasonStarts{{
    {"ReqNodeNotAvail", "nodes that it needs are not available"},
    {"QOS", "waiting, a limit of its quality of service is reached"},
    {"Assoc", "waiting, a limit of its account is reached"},
    {"MaxMemPerLimit", "it asks for more memory than allowed"},
}};

std::string_view take_until(std::string_view& rest, char mark) {
  const std::string_view word = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

const StateWords* row_of(std::string_view state) {
  // Words behind the state as in "CANCELLED by 1003" are dropped; squeue may add a '+' to a
  // truncated name.
  state = state.substr(0, state.find_first_of(" +"));
  const auto row =
      std::ranges::find_if(kStates, [state](const StateWords& one) { return one.state == state; });
  return row == kStates.end() ? nullptr : &*row;
}

std::string user_name(std::string_view uid) {
  const auto number = whole_number<std::uint32_t>(uid);
  if (!number) return printable_line(uid);
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_name : "uid " + std::string(uid);
}

std::string waiting_words(const JobReport& report) {
  for (const ReasonWords& one : kReasons) {
    if (one.reason == report.reason) return std::string(one.words);
  }
  for (const ReasonWords& one : kReasonStarts) {
    if (report.reason.starts_with(one.reason))
      return std::string(one.words) + " (" + printable_line(report.reason) + ")";
  }
  if (report.reason.empty() || report.reason == "None") return "waiting";
  return "waiting (" + printable_line(report.reason) + ")";
}

/// The value behind "NAME=" at the start of a word of `scontrol show`; values have no spaces.
std::string value_of(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
    const std::string_view rest = text.substr(at + name.size());
    if (begins && rest.starts_with('=')) {
      const std::string value(rest.substr(1, rest.find_first_of(" \n") - 1));
      return value == "(null)" ? std::string() : value;
    }
  }
  return {};
}

/// Number of GPUs: 4 for "gres:gpu:a100:4", "gres/gpu:4" and "gpu:4", 1 for "gpu", 0 for anything
/// else. The format has changed from version to version.
std::int64_t gpus_of(std::string_view part) {
  for (const std::string_view begin : {"gres:", "gres/"}) {
    if (part.starts_with(begin)) part.remove_prefix(begin.size());
  }
  if (take_until(part, ':') != "gpu") return 0;
  return std::max<std::int64_t>(0, whole_number(part.substr(part.rfind(':') + 1)).value_or(1));
}

/// Sum over a list: 2 for "gres:gpu:2,gres:nvme:1".
std::int64_t sum_of_gpus(std::string_view text) {
  std::int64_t sum = 0;
  while (!text.empty()) sum += gpus_of(take_until(text, ','));
  return sum;
}

/// Total of a list: 4 for "cpu=2,node=2,gres/gpu=4,gres/gpu:a100=4", in which GPUs with a model are
/// listed twice.
std::int64_t total_gpus(std::string_view text) {
  while (!text.empty()) {
    std::string_view part = take_until(text, ',');
    if (take_until(part, '=') == "gres/gpu") return whole_number(part).value_or(0);
  }
  return 0;
}

}  // namespace

bool is_job_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_step_number(std::string_view text) {
  const auto dot = text.find('.');
  return dot != std::string_view::npos && is_job_number(text.substr(0, dot)) &&
         is_job_number(text.substr(dot + 1));
}

std::vector<std::string> squeue_words(const std::string& user) {
  return {"--noheader", "--states=all", "--user=" + user, "--format=%A|%T|%N|%r"};
}

Queue parse_squeue(std::string_view text) {
  Queue queue;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string_view job = trimmed(take_until(line, '|'));
    const std::string_view state = trimmed(take_until(line, '|'));
    const std::string_view nodes = trimmed(take_until(line, '|'));
    if (!is_job_number(job) || state.empty()) continue;
    queue[std::string(job)] = {std::string(state), std::string(trimmed(line)), std::string(nodes)};
  }
  return queue;
}

std::vector<std::string> sacct_words(const std::string& job) {
  return {"--jobs=" + job, "--allocations", "--noheader", "--parsable2",
          "--format=JobID,State,NodeList"};
}

std::optional<JobReport> parse_sacct(std::string_view text, std::string_view job) {
  std::optional<JobReport> report;
  // sacct prints one line for each time that the job was requeued, the newest last.
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (trimmed(take_until(line, '|')) != job) continue;
    const std::string_view state = trimmed(take_until(line, '|'));
    const std::string_view nodes = trimmed(line);
    if (!state.empty())
      report =
          JobReport{std::string(state), {}, nodes == "None assigned" ? "" : std::string(nodes)};
  }
  return report;
}

std::vector<std::string> scontrol_words(const std::string& job) {
  return {"--oneliner", "show", "job", job};
}

std::optional<JobReport> parse_scontrol(std::string_view text) {
  JobReport report{value_of(text, "JobState"), value_of(text, "Reason"),
                   value_of(text, "NodeList")};
  if (report.state.empty()) return std::nullopt;
  return report;
}

bool knows_no_job(std::string_view complaint) {
  return complaint.find("Invalid job id") != complaint.npos;
}

std::int64_t parse_gpus_per_node(std::string_view text) {
  if (const auto each = sum_of_gpus(value_of(text, "TresPerNode")); each > 0) return each;
  const std::int64_t nodes = whole_number(value_of(text, "NumNodes")).value_or(1);
  std::int64_t all = sum_of_gpus(value_of(text, "TresPerJob"));
  for (const std::string_view name : {"AllocTRES", "TRES"})
    if (all == 0) all = total_gpus(value_of(text, name));
  return all / std::max<std::int64_t>(1, nodes);
}

std::vector<std::string> parse_submitted(std::string_view text) {
  constexpr std::string_view kInWords = "Submitted batch job ";
  std::vector<std::string> jobs;
  while (!text.empty()) {
    std::string_view line = trimmed(take_until(text, '\n'));
    const bool in_words = line.starts_with(kInWords);
    if (in_words) line.remove_prefix(kInWords.size());
    const std::string_view job = trimmed(line.substr(0, line.find(in_words ? ' ' : ';')));
    const bool is_new = jobs.empty() || jobs.back() != job;
    if (is_job_number(job) && job.front() != '0' && is_new) jobs.emplace_back(job);
  }
  return jobs;
}

JobReport of_elsewhere(JobReport report) {
  const bool by = report.state.starts_with(kCancelledBy);
  if (by && is_job_number(std::string_view(report.state).substr(kCancelledBy.size())))
    report.state.insert(kCancelledBy.size(), "uid ");
  return report;
}

JobPhase phase_of(const JobReport& report) {
  const StateWords* row = row_of(report.state);
  return row == nullptr ? JobPhase::kUnknown : row->phase;
}

std::string words_of(const JobReport& report) {
  if (report.state.empty()) return "its state is not known yet";
  const StateWords* row = row_of(report.state);
  if (row == nullptr) return printable_line(report.state);
  if (row->state == "PENDING") return waiting_words(report);
  if (report.state.starts_with(kCancelledBy))
    return "cancelled by " + user_name(std::string_view(report.state).substr(kCancelledBy.size()));
  return std::string(row->words);
}

}  // namespace ringside::slurm
