#include "gui/slurm/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gui/slurm/send_job.h"
#include "gui/slurm/time_limit.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::slurm {
namespace {

/// Options that would take control of the job from us, or remove our values from its environment.
constexpr std::array<std::string_view, 14> kOurs{
    "array",  "chdir",    "error",  "export",    "export-file", "nodes", "ntasks-per-node",
    "output", "parsable", "signal", "open-mode", "wrap",        "wait",  "test-only"};

/// Options that Ringside reads as well as passing them on.
constexpr std::array<std::string_view, 3> kRead{"dependency", "no-requeue", "time"};

/// Whether getopt accepts the name as an abbreviation of the whole: "arra" for "array".
bool is_short_for(std::string_view name, std::string_view whole) {
  return name.size() < whole.size() && whole.starts_with(name);
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

Result<void> check_text(const std::string& what, const std::string& text) {
  if (!has_control(text) && is_utf8(text)) return {};
  return bad_request(what + " must be one line of plain text: \"" + printable_line(text) + "\"");
}

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

bool is_option_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

Result<void> check_name(const std::string& name) {
  const std::string what = "--sbatch-option " + name;
  constexpr std::string_view kClusters = "clusters";
  if (name == kClusters || is_short_for(name, kClusters)) {
    return bad_request(what +
                       ": Ringside follows the jobs of one cluster, that of the machine where it "
                       "runs; submit on a login node of the other, or set SLURM_CLUSTERS for it");
  }
  if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end())
    return bad_request(what + " is set by Ringside itself");
  for (const std::string_view ours : kOurs) {
    if (is_short_for(name, ours))
      return bad_request(what + ", short for " + std::string(ours) + ", is set by Ringside itself");
  }
  for (const std::string_view whole : kRead) {
    if (is_short_for(name, whole))
      return bad_request(what + " must be written as a whole: " + std::string(whole));
  }
  return {};
}

Result<void> check_more(const std::string& option) {
  if (const auto plain = check_text("--sbatch-option", option); !plain) return plain;
  const std::string_view name = name_of(option);
  if (!is_option_name(name)) {
    return bad_request("--sbatch-option \"" + printable_line(option) +
                       "\" is not NAME=VALUE with the long name of an option of sbatch, such as "
                       "mem=8G or exclusive");
  }
  return check_name(std::string(name));
}

/// The time limit that sbatch uses, which is the last one given.
std::string time_asked(const Options& options) {
  constexpr std::string_view kTime = "time=";
  std::string time = options.time;
  for (const std::string& option : options.more) {
    if (option.starts_with(kTime)) time = option.substr(kTime.size());
  }
  return time;
}

/// Cores for the threads of each rank, and on a GPU one more for each data loader worker.
std::int64_t cores_per_node(const messages::RunSpec& spec) {
  const std::int64_t ranks = std::max<std::int64_t>(1, messages::ranks_of_node(spec, 0).count);
  const std::int64_t threads = std::max<std::int64_t>(1, spec.devices.threads);
  const std::int64_t loaders = spec.devices.kind == "cuda" ? spec.data.workers : 0;
  return ranks * (threads + loaders);
}

std::string text_of(const std::string& text) { return text; }
std::string text_of(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }
std::string text_of(const std::vector<std::string>& words) { return shell_words(words); }

void take(std::string& text, const std::string& value) { text = value; }
void take(std::int64_t& count, const std::string& value) {
  count = whole_number(value).value_or(0);
}
void take(std::vector<std::string>& words, const std::string& value) { words.push_back(value); }

/// Doubles each %, which sbatch would otherwise expand in a file name.
std::string file_pattern(std::string_view path) {
  std::string pattern;
  for (const char c : path) pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern;
}

}  // namespace

const char* const kScript = R"(#!/bin/sh
# What Ringside submits, the same for every run: an agent on each node of the job, which starts the ranks there. Options
# are those of sbatch; values come through the environment (RINGSIDE_SLURM_AGENT, _RUN, _REQUEUE). srun does not take
# over the cores of a task by itself. The agent of the first node leaves the file, and 75, where the run goes on later; srun
# answers with the highest code, 137 where another node's agent was killed. The step has the name of the run: inside an
# allocation, where the same script starts it, it is one of several.
again="$RINGSIDE_SLURM_RUN/slurm.again"
rm -f "$again"
srun --job-name="ringside-${RINGSIDE_SLURM_RUN##*/}" --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
  --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=0 \
  "$RINGSIDE_SLURM_AGENT" ${RINGSIDE_SLURM_REQUEUE:+"--requeue=$again"} "$RINGSIDE_SLURM_RUN"
code=$?
if [ "$code" -eq 75 ] || [ -e "$again" ]; then
  scontrol requeue "$SLURM_JOB_ID" || code=0
fi
exit "$code"
)";

launch::Typed typed_of(const Options& options) {
  launch::Typed typed;
  const auto* row = kOptions.begin();
  Options::fields(options, [&](std::string_view, const auto& value) {
    if (std::string text = text_of(value); !text.empty()) typed[row->key] = std::move(text);
    ++row;
  });
  return typed;
}

Result<Options> read_options(const launch::Typed& typed) {
  Options options;
  Result<void> fine;
  const auto* row = kOptions.begin();
  Options::fields(options, [&](std::string_view, auto& value) {
    const auto values = launch::values_of(*row++, typed);
    if (!values && fine) fine = pass(values);
    for (const std::string& one : values.value_or(std::vector<std::string>())) take(value, one);
  });
  RINGSIDE_TRY(fine);
  return options;
}

Result<void> check_options(const Options& options) {
  const auto typed = typed_of(options);
  for (const launch::PlaceOption& row : kOptions) {
    if (const auto text = typed.find(row.key); text != typed.end() && !row.several) {
      RINGSIDE_TRY(check_text(row.option, text->second));
    }
  }
  for (const std::string& option : options.more) {
    if (const auto fine = check_more(option); !fine) return fine;
  }
  return check_time_limit(time_asked(options));
}

messages::RunSpec on_cluster(messages::RunSpec spec, const Options& options) {
  auto& devices = spec.devices;
  if (options.nodes > 0) {
    const std::int64_t each = devices.ranks_per_node;
    devices.nodes = options.nodes;
    if (each > 0) devices.world_size = std::min(devices.world_size, options.nodes * each);
    devices.world_size = std::max(devices.world_size, options.nodes);
  }
  if (options.gpus_per_node > 0) {
    devices.kind = "cuda";
    devices.world_size = devices.nodes * options.gpus_per_node;
    devices.ranks_per_node = 0;
  } else if (devices.kind == "auto") {
    devices.kind = "cpu";
  }
  devices.ids.clear();
  devices.virtual_nodes = false;
  return spec;
}

bool requeues(const Options& options) {
  return std::none_of(options.more.begin(), options.more.end(),
                      [](const std::string& option) { return name_of(option) == "no-requeue"; });
}

std::vector<std::string> sbatch_argv(const JobPlaces& places, const Options& options,
                                     const messages::RunSpec& spec, const std::string& after) {
  const std::string folder = places.folder;
  std::vector<std::string> argv{places.sbatch,
                                "--parsable",
                                "--export=ALL",
                                "--job-name=" + job_name(folder.substr(folder.rfind('/') + 1)),
                                "--output=" + file_pattern(folder + "/" + kOutputFile),
                                "--open-mode=append",
                                "--signal=USR1@" + std::to_string(kWarnedS),
                                "--requeue",
                                "--nodes=" + std::to_string(spec.devices.nodes),
                                "--ntasks-per-node=1",
                                "--cpus-per-task=" + std::to_string(cores_per_node(spec))};
  if (spec.devices.kind == "cuda")
    argv.push_back("--gpus-per-node=" + std::to_string(messages::devices_of_node(spec, 0)));
  if (!after.empty()) argv.push_back("--dependency=afterany:" + after);
  const auto typed = typed_of(options);
  for (const launch::PlaceOption& row : kOptions) {
    const auto text = typed.find(row.key);
    if (text != typed.end() && row.most == 0 && !row.several)
      argv.push_back(std::string(row.option) + "=" + text->second);
  }
  for (const std::string& option : options.more) {
    // A person's own dependency is that of the first job, for which this one waits.
    if (after.empty() || name_of(option) != "dependency") argv.push_back("--" + option);
  }
  argv.push_back(folder + "/" + kScriptFile);
  return argv;
}

std::vector<std::string> job_environment(const JobPlaces& places, const Options& options) {
  return {"RINGSIDE_SLURM_AGENT=" + places.agent, "RINGSIDE_SLURM_RUN=" + places.folder,
          std::string("RINGSIDE_SLURM_REQUEUE=") + (requeues(options) ? "1" : "")};
}

Result<void> check_places(const JobPlaces& places) {
  if (const auto plain = check_text("the run folder", places.folder); !plain) return plain;
  return check_text("the path of ringside-agent", places.agent);
}

}  // namespace ringside::slurm
