#include "gui/slurm/allocation.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "gui/slurm/send_job.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::slurm {
namespace {

/// Variables of a person's own request that would change the one task per node that we ask srun for
/// (srun(1), input environment variables).
constexpr std::array<const char*, 8> kTaskVariables{"SLURM_GPUS",
                                                    "SLURM_GPUS_PER_TASK",
                                                    "SLURM_GPUS_PER_SOCKET",
                                                    "SLURM_CPU_BIND",
                                                    "SLURM_TRES_PER_TASK",
                                                    "SLURM_NTASKS_PER_GPU",
                                                    "SLURM_NTASKS_PER_CORE",
                                                    "SLURM_NTASKS_PER_SOCKET"};

/// Nothing if the text is not a positive number.
std::optional<std::int64_t> count_in(std::string_view text) {
  const auto count = whole_number(text);
  return count && *count >= 1 ? count : std::nullopt;
}

std::string_view take_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find(','));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

/// The smallest count of a list: 36 for "72(x2),36".
std::int64_t fewest(std::string_view text) {
  std::int64_t least = 0;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    const std::int64_t count = count_in(part.substr(0, part.find('('))).value_or(1);
    least = least == 0 ? count : std::min(least, count);
  }
  return std::max<std::int64_t>(1, least);
}

/// Number of GPUs: 4 for "4", "a100:4" and "a100:2,v100:2".
std::int64_t gpus_in(std::string_view text) {
  std::int64_t sum = 0;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    sum += count_in(part.substr(part.rfind(':') + 1)).value_or(0);
  }
  return sum;
}

Result<void> refuse_fixed(const Allocation& allocation, const Options& asked) {
  const auto typed = typed_of(asked);
  for (const launch::PlaceOption& row : kOptions) {
    if (row.most > 0 || !typed.contains(row.key)) continue;
    return bad_request(std::string(row.option) +
                       " cannot be chosen inside an allocation: this is " + name_of(allocation) +
                       " already; leave it out, or queue a job of its own with `env -u "
                       "SLURM_JOB_ID ringside ...`");
  }
  return {};
}

Result<void> refuse_more(const Allocation& allocation, const char* name, std::int64_t asked,
                         std::int64_t there) {
  if (asked <= there) return {};
  return bad_request(std::string(name) + " " + std::to_string(asked) + ": " + name_of(allocation) +
                     ", inside which this is, has " + std::to_string(there));
}

/// The step part of a step number: "0" for "12.0".
std::string_view step_of(std::string_view number) { return number.substr(number.rfind('.') + 1); }

/// Refused, because ranks would silently run on CPUs although there are GPUs.
Result<void> refuse_unknown(const Allocation& allocation, const Options& asked,
                            const std::string& kind) {
  if (allocation.gpus_unknown.empty() || asked.gpus_per_node > 0 || kind != "auto") return {};
  return failure("it is not known how many GPUs " + name_of(allocation) +
                 ", inside which this is, has (" + allocation.gpus_unknown +
                 "): try again, or say it with --gpus-per-node, or devices.kind=cpu");
}

}  // namespace

const char* const kSteps = R"(set -C
while [ "$#" -gt 1 ]; do
  {
    {
      SLURM_JOB_NUM_NODES="$1" RINGSIDE_SLURM_RUN="$2" /bin/sh "$2/slurm.sh" >>"$2/slurm.out" 2>&1 9>&-
      echo "$?" >&9
    } 9>"$2/slurm.exit"
  } 2>/dev/null
  shift 2
done
)";

std::string name_of(const Allocation& allocation) { return "Slurm job " + allocation.job; }

std::string nodes_of(const Allocation& allocation) {
  const auto several = [](std::int64_t count, const std::string& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
  };
  std::string words = allocation.node_list.empty() ? "" : allocation.node_list + ", ";
  words += several(allocation.nodes, "node");
  if (allocation.gpus_per_node == 0) return words;
  return words + " with " + several(allocation.gpus_per_node, "GPU") +
         (allocation.nodes > 1 ? " each" : "");
}

std::optional<Allocation> find_allocation(const Variables& variables) {
  const auto value = [&variables](const char* name) {
    const char* text = variables(name);
    return std::string(text == nullptr ? "" : text);
  };
  Allocation allocation;
  allocation.job = value("SLURM_JOB_ID");
  if (!count_in(allocation.job)) return std::nullopt;
  allocation.node_list = value("SLURM_JOB_NODELIST");
  allocation.nodes = count_in(value("SLURM_JOB_NUM_NODES")).value_or(1);
  allocation.cores_per_node = fewest(value("SLURM_JOB_CPUS_PER_NODE"));
  allocation.gpus_per_node = gpus_in(value("SLURM_GPUS_ON_NODE"));
  if (allocation.gpus_per_node == 0)
    allocation.gpus_per_node = gpus_in(value("SLURM_GPUS_PER_NODE"));
  if (allocation.gpus_per_node == 0)
    allocation.gpus_per_node = gpus_in(value("SLURM_GPUS")) / allocation.nodes;
  if (allocation.gpus_per_node == 0) allocation.gpus_unknown = "Slurm has not reported them yet";
  return allocation;
}

std::optional<Allocation> own_allocation() {
  return find_allocation([](const char* name) { return std::getenv(name); });
}

Allocation with_news(Allocation allocation, std::string_view scontrol) {
  const auto report = parse_scontrol(scontrol);
  if (report && is_over(phase_of(*report))) allocation.ended = words_of(*report);
  if (report) allocation.gpus_unknown.clear();
  if (allocation.gpus_per_node == 0) allocation.gpus_per_node = parse_gpus_per_node(scontrol);
  return allocation;
}

Allocation without_news(Allocation allocation, const std::string& complaint) {
  if (knows_no_job(complaint))
    return with_news(std::move(allocation), "JobState=" + std::string(kForgotten));
  if (!allocation.gpus_unknown.empty()) allocation.gpus_unknown = complaint;
  return allocation;
}

launch::Machine seen_inside(launch::Machine machine, const std::optional<Allocation>& allocation) {
  if (!allocation || allocation->gpus_per_node == 0 || !machine.gpus.empty()) return machine;
  machine.gpu_expected = true;
  machine.driver_problem =
      "no GPU is seen here, and " + name_of(*allocation) + ", inside which this is, has " +
      std::to_string(allocation->gpus_per_node) + (allocation->nodes > 1 ? " on each node" : "") +
      " for its steps: `ringside run --slurm` starts a step (in the window: Launch, \"Where it "
      "runs\")";
  return machine;
}

Result<void> refuse_ended(const Allocation& allocation) {
  if (allocation.ended.empty()) return {};
  return bad_request(name_of(allocation) + ", inside which this is, is over: " + allocation.ended +
                     "; `salloc` makes another");
}

Result<Options> within(const Allocation& allocation, const Options& asked,
                       const std::string& kind) {
  RINGSIDE_TRY(refuse_ended(allocation));
  RINGSIDE_TRY(refuse_fixed(allocation, asked));
  RINGSIDE_TRY(refuse_more(allocation, "--nodes", asked.nodes, allocation.nodes));
  // Where Slurm does not report the number of GPUs, the agents find out.
  const std::int64_t most =
      allocation.gpus_per_node > 0 ? allocation.gpus_per_node : asked.gpus_per_node;
  RINGSIDE_TRY(refuse_more(allocation, "--gpus-per-node", asked.gpus_per_node, most));
  RINGSIDE_TRY(refuse_unknown(allocation, asked, kind));
  Options options;
  options.nodes = asked.nodes > 0 ? asked.nodes : allocation.nodes;
  options.gpus_per_node = asked.gpus_per_node;
  if (options.gpus_per_node == 0 && kind != "cpu") options.gpus_per_node = allocation.gpus_per_node;
  return options;
}

std::vector<std::string> steps_words(const Allocation& allocation, const std::string& agent,
                                     const std::vector<Step>& steps) {
  std::vector<std::string> words;
  for (const char* name : kTaskVariables) words.insert(words.end(), {"-u", name});
  words.insert(words.end(), {"RINGSIDE_SLURM_AGENT=" + agent, "RINGSIDE_SLURM_REQUEUE=",
                             "SLURM_CPUS_PER_TASK=" + std::to_string(allocation.cores_per_node),
                             "SLURM_OVERLAP=1", "/bin/sh", "-c", kSteps, "ringside-steps"});
  for (const Step& step : steps)
    words.insert(words.end(), {std::to_string(step.nodes), step.folder});
  return words;
}

std::optional<JobReport> parse_exit(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  if (text == "0") return JobReport{"COMPLETED", {}, {}};
  if (count_in(text)) return JobReport{"FAILED", {}, {}};
  return JobReport{printable_line(text), {}, {}};
}

std::vector<std::string> steps_of_words(const std::string& job) {
  return {"--noheader", "--steps", "--jobs=" + job, "--format=%i|%j"};
}

std::string find_step(std::string_view squeue, std::string_view run, std::string_view srun_step) {
  const std::string name = "|" + job_name(run);
  while (!squeue.empty()) {
    std::string_view line = squeue.substr(0, squeue.find('\n'));
    squeue.remove_prefix(std::min(squeue.size(), line.size() + 1));
    while (line.ends_with(' ')) line.remove_suffix(1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    const std::string_view step = line.substr(0, line.find('|'));
    if (srun_step.empty() && line.ends_with(name)) return std::string(step);
    // All steps listed belong to one job, which in an array has another name here: "12_3.0" for
    // "15.0".
    if (!srun_step.empty() && step_of(step) == step_of(srun_step)) return std::string(srun_step);
  }
  return {};
}

}  // namespace ringside::slurm
