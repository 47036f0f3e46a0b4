#include "gui/view/manual/terms.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "protocol/base/text.h"

namespace ringside::view {
namespace {

// The only table of explained terms. Tests open every section and check that every column has a
// text.
constexpr auto kTerms = std::to_array<Term>({
    // Ranks, devices and nodes.
    {"rank", "Rank",
     "One process of the run, numbered from 0 as in torch.distributed. Each has a device of its "
     "own.",
     "window", "live"},
    {"state", "State",
     "What it does now, or how it ended. \"Late\" is a rank that the others wait for.", "runs",
     "understand-its-state"},
    {"device|devices.uuid|ranks.uuid", "Device",
     "The GPU, or the part of the cores that a rank has where there is none. Indices are those of "
     "its node; a UUID is the same everywhere.",
     "window", "live"},
    {"nodes.devices", "", "The devices of its ranks.", "nodes", "watch-it"},
    {"step|shards.steps", "Step",
     "One update of the weights, with one batch on every rank. Here the newest that was reported.",
     "window", "live"},
    {"rate", "Samples/s|Throughput",
     "Samples trained per second over the recent steps; in the last row by all ranks together.",
     "window", "live"},
    {"p50", "Step p50|Step time",
     "The median step: half of the recent steps took less. With DDP all ranks have nearly the "
     "same, since they wait for each other.",
     "window", "live"},
    {"p95", "p95",
     "19 of 20 recent steps took less. Far above the median, some steps stall: look at data wait "
     "and at checkpoints.",
     "window", "live"},
    {"node", "Node", "The machine that the ranks are on, numbered from 0.", "nodes", "watch-it"},
    {"local", "Local rank", "The number of the rank on its node, from 0, as LOCAL_RANK says it.",
     "nodes", "watch-it"},
    {"last", "Last to arrive|Straggler",
     "How often the rank was the last one ready for the all-reduce, so that all others waited. One "
     "with a high share and long data or compute is a straggler.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"ranks.link|links.gpu", "Link to next|Link",
     "How the GPU reaches the next one in the ring: NV is NVLink, PIX and PXB are PCIe switches, "
     "NODE and SYS cross the processor. The slowest link sets the pace.",
     "window", "launch"},
    {"allocated", "Allocated memory",
     "Memory of tensors at the end of the step, by the allocator of PyTorch.", "scripts",
     "see-what-fills-a-gpus-memory"},
    {"peak", "Peak memory",
     "The most that tensors have taken so far. Near the size of the GPU, the next larger batch "
     "will not fit.",
     "scripts", "see-what-fills-a-gpus-memory"},
    {"utilisation", "Utilization|GPU utilization",
     "Share of time in which the device computed anything, of a CPU rank the share of its cores. "
     "100 % does not mean that it computes well.",
     "window", "live"},
    {"memory", "Memory",
     "Memory of the device in use, by all of its processes; of a CPU rank or a node, of the host.",
     "window", "live"},
    {"temperature", "Temperature",
     "Temperature of the GPU, as the driver reports it. A hot GPU lowers its clock.", "window",
     "live"},
    {"power", "Power", "Power that the GPU draws. At its limit the clock falls.", "window", "live"},
    {"clock", "Clock",
     "Clock of the multiprocessors. Below that of the other GPUs it makes a straggler.", "window",
     "live"},
    {"throttle", "Slowed by|Throttling",
     "Why the driver lowers the clock: heat, a power limit, or nothing to do.", "alerts",
     "read-the-banner"},
    {"nodes.host|host", "Host", "Name of the machine.", "nodes", "watch-it"},
    {"nodes.ranks", "", "Ranks of the node.", "nodes", "watch-it"},
    {"cpu", "CPU", "Share of all cores of the host that are busy, with all programs there.",
     "nodes", "watch-it"},
    {"disk", "Disk free", "Free space where the run folder is. A checkpoint needs some.", "nodes",
     "watch-it"},
    {"nodes.clock", "Clock offset",
     "How far the clock of the node is from that of node 0. Below its uncertainty no rank is "
     "called late.",
     "nodes", "watch-it"},
    // The board of machines, and the details of one machine.
    {"machines.machine|machines.contact", "Board of machines",
     "This machine, those of ~/.ssh/config and those used lately, with the partitions of their "
     "Slurm. One is asked over ssh only while its box is ticked; one that is silent is asked "
     "again.",
     "window", "machines"},
    {"machines.gpus|partitions.gpus|partitions.gpus_free", "",
     "GPUs that no run of yours holds and no process computes on; in a partition those that Slurm "
     "has not given away.",
     "window", "machines"},
    {"machines.used_by|gpus.used_by", "",
     "The run that has the GPU, else the users whose processes compute on it.", "window",
     "machines"},
    {"machines.cores|partitions.cores|partitions.cores_free|processes.cores", "",
     "Cores, and how many were kept busy: the load of the last minute, a process since the last "
     "look. In a partition those that Slurm has not given away.",
     "window", "machines"},
    {"machines.memory", "", "Memory of the host that programs can still have.", "window",
     "machines"},
    {"machines.queue|queue.state|partitions.waiting", "",
     "Runs that have their devices, and those that wait for them; in a partition jobs of all users "
     "that wait.",
     "window", "machines"},
    {"queue.seconds|queue.devices", "", "Which devices it has, or wants, and since when.", "window",
     "machines"},
    {"gpus.gpu|gpus.name|processes.gpus", "", "The GPU, as nvidia-smi counts.", "window",
     "machines"},
    {"gpus.links", "", "How it reaches the other GPUs, as in the table of links on Launch.",
     "window", "launch"},
    {"utilisation_percent|memory_used_bytes|memory_total_bytes|temperature_c|power_w", "",
     "What the driver says of the GPU: share of time in which it computes, memory, heat, power.",
     "window", "machines"},
    {"queue.run|processes.run", "", "The run of yours that it is part of.", "window", "machines"},
    {"processes.pid|processes.user|processes.command|processes.memory_bytes", "",
     "A process with its owner, its resident memory and its command line, secrets hidden.",
     "window", "machines"},
    {"partitions.partition|partitions.nodes", "", "A partition of Slurm and its nodes.", "slurm",
     ""},
    // The metrics of a step.
    {"loss", "Step loss|Loss",
     "Training loss of one step, of the batch of the rank alone. The ranks differ as their batches "
     "do.",
     "window", "live"},
    {"grad_norm", "Grad norm|Gradient norm",
     "Norm of all gradients after the all-reduce, the same on every rank. A jump comes before a "
     "loss that diverges.",
     "window", "live"},
    {"local_grad_norm", "Local grad norm",
     "Norm of the gradients of the rank before the all-reduce. One that stands out has other data, "
     "or broken ones.",
     "window", "live"},
    {"lr", "Learning rate|LR", "Step size of the optimizer in this step, after the schedule.",
     "window", "live"},
    {"samples", "Batch", "Samples that the rank trains in a step.", "window", "live"},
    {"data_wait", "Data wait|Data wait + copy",
     "Time in which the step waits for its batch. More loader workers, or data on a faster disk, "
     "make it shorter.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"host_to_device", "Copy|Copy to device",
     "Time in which the batch is copied to the device. Pinned memory and an asynchronous copy hide "
     "it.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"forward", "Forward", "Time of the forward pass and the loss.", "waterfall",
     "read-the-waterfall-from-top-to-bottom"},
    {"backward", "Backward",
     "Time of the backward pass. The all-reduce of finished buckets runs meanwhile.", "waterfall",
     "read-the-waterfall-from-top-to-bottom"},
    {"exposed_comm", "Exposed comm|Exposed communication|Communication",
     "Time in which a rank only waits for the all-reduce: for the slowest rank, then for the "
     "transfer that backward does not hide.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"optimizer", "Optimizer",
     "Time of the update of the weights, which every rank repeats in full.", "waterfall",
     "read-the-waterfall-from-top-to-bottom"},
    {"step_time", "Step mean", "Mean duration of the recent steps, everything included.", "window",
     "live"},
    {"own", "Data + compute|Own time",
     "Data wait, copy, forward and backward: what the rank does before it is ready for the others. "
     "The longest of all ranks sets the pace.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"loss_scale", "Loss scale",
     "Factor that keeps fp16 gradients from vanishing. It is halved when they overflow.", "window",
     "live"},
    {"skipped_steps", "Skipped steps",
     "Steps without an update, since a gradient was not finite. Some at the beginning of fp16 are "
     "usual.",
     "window", "live"},
    // Parts of a step and of the waterfall.
    {"", "Wait for slowest",
     "Time in which the rank is ready and waits for the last one. It is short on the straggler "
     "itself.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "All-reduce|Transfer",
     "Time of the sum of all gradients once every rank is ready, as far as backward does not hide "
     "it.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Other|Step overhead", "What no phase covers: the loop's own work between them.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Compute imbalance",
     "Time that ranks wait for the one that computes longest. Look at its GPU, at its cores, and "
     "whether its batches are larger.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Exposed transfer",
     "All-reduce that backward does not hide, counted from when all ranks are ready. A larger "
     "batch, gradient accumulation or a faster link make it smaller.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Baseline's exchange",
     "What a baseline of one device exchanged with itself. It makes the ideal too long and the "
     "speedup too high by this much.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Slower compute|Faster compute|Compute",
     "How much longer, or shorter, a sample computes than on the baseline. On one machine devices "
     "share memory, power and cores.",
     "waterfall", "measure-the-ceiling"},
    {"", "Evaluation", "Time of the validation pass beyond the share of the baseline.", "waterfall",
     "read-the-waterfall-from-top-to-bottom"},
    {"", "Checkpoint", "Time in which one rank writes a checkpoint and the others wait.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Not measured",
     "Time outside of all parts, or of a part that one of the two runs did not report.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    // Lines of charts.
    {"", "Mean",
     "The mean over the ranks. Where a pixel holds several steps, it is the mean of those too.",
     "window", "live"},
    {"", "Min-max",
     "The range from the lowest to the highest rank. A wide band of the loss is usual with small "
     "batches.",
     "window", "live"},
    {"", "Baseline",
     "The run that this one is measured against, often the same work on one device.", "start",
     "read-the-speedup-card"},
    {"", "injected",
     "Its settings ask for a fault, in the section [inject], to see how that shows. Its speed and "
     "results are not those of the recipe.",
     "runs", "list-and-look"},
    // The speedup.
    {"speedup", "Speedup",
     "The time of the baseline divided by that of this run, over the epochs that both have done. "
     "Start-up is in neither.",
     "start", "read-the-speedup-card"},
    {"efficiency", "Efficiency|Scaling efficiency",
     "Speedup divided by the number of devices: what each one brings of what it could. The "
     "waterfall shows what takes the rest.",
     "start", "read-the-speedup-card"},
    {"", "Ideal", "As many times the speed of the baseline as there are devices.", "start",
     "read-the-speedup-card"},
    {"time_cut", "Time saved|Time cut", "1 − the time of this run / the time of the baseline.",
     "start", "read-the-speedup-card"},
    {"val_accuracy|accuracy", "Val accuracy|Validation accuracy",
     "Share of the validation set that is classified right, each sample counted once, after the "
     "last epoch that was validated.",
     "start", "read-the-speedup-card"},
    {"best_val_accuracy", "", "The best validation accuracy of all epochs.", "start",
     "read-the-speedup-card"},
    {"accuracy_delta", "Against baseline|Δ acc",
     "Distance to the baseline's accuracy at the same epoch, in percentage points. Faster is worth "
     "little if it learns less.",
     "start", "read-the-speedup-card"},
    {"", "Fair comparison|Not fair",
     "Whether only the number of devices differs: the same settings and program, a quiet host, "
     "GPUs at the same clocks. An unfair pair is worth running again.",
     "waterfall", "is-the-comparison-fair"},
    {"ceiling", "Ceiling", "", "waterfall", "measure-the-ceiling"},
    // Studies.
    {"settings.setting", "Setting", "One recipe on so many devices, repeated.", "studies",
     "read-the-table"},
    {"settings.devices", "", "Devices that train together.", "studies", "read-the-table"},
    {"per_rank_batch|per_rank", "Batch per rank", "Samples that each rank trains in a step.",
     "studies", "read-the-table"},
    {"global_batch|global", "Global batch",
     "Samples that all ranks together train in a step, the batch of the optimizer. A larger one "
     "makes fewer updates per epoch.",
     "studies", "keep-the-batch-per-device-or-the-global-batch"},
    {"steps_per_epoch", "Steps per epoch",
     "Updates of the weights in an epoch: samples / global batch.", "studies", "read-the-table"},
    {"seconds|time", "Time",
     "From the first step to the end of the last epoch. Start-up is left out; of several runs it "
     "is the mean ± standard deviation.",
     "studies", "read-the-table"},
    {"images_per_s", "Images/s",
     "Samples per second over the whole run, evaluation and checkpoints included.", "studies",
     "read-the-table"},
    {"same_accuracy", "To same accuracy",
     "Speedup in time to the final accuracy of the baseline. It counts what a larger batch costs "
     "in epochs.",
     "studies", "read-the-table"},
    {"settings.gate|gate", "Gate",
     "Whether the setting reaches the goal that its recipe publishes.", "studies",
     "read-the-table"},
    {"note", "Note", "What happened to a run, or what else differs.", "studies", "read-the-table"},
    {"", "Weak scaling",
     "The batch of a rank stays the same, so the global batch grows with the devices.", "studies",
     "keep-the-batch-per-device-or-the-global-batch"},
    {"", "Strong scaling", "The global batch stays the same, so each rank has less of it.",
     "studies", "keep-the-batch-per-device-or-the-global-batch"},
    // The Sampler.
    {"padded", "Padded",
     "Right / counted as the ranks report it, with the samples that fill up the last batches of a "
     "padded sampler.",
     "window", "sampler"},
    {"padded_percent", "", "The accuracy with padded samples, in percent.", "window", "sampler"},
    {"exact", "Exact", "Right / counted with every sample once.", "window", "sampler"},
    {"exact_percent", "",
     "The accuracy with every sample once, in percent. All other pages show this one.", "window",
     "sampler"},
    {"validation.difference", "", "Padded − exact, in percentage points: what padding feigns.",
     "window", "sampler"},
    {"validation.repeats|padding", "Sampler padding",
     "Samples that are repeated so that all ranks get as many.", "window", "sampler"},
    {"rank_shards.samples", "Shard", "The samples that the rank drew in this epoch.", "window",
     "sampler"},
    {"unique", "Unique", "Different samples among them.", "window", "sampler"},
    {"twice", "Twice",
     "Samples that came more than once in the epoch. More than padding explains: a sampler that is "
     "not distributed.",
     "window", "sampler"},
    {"rank_shards.steps", "", "Steps of the rank in this epoch.", "window", "sampler"},
    {"last_batch", "Last batch", "Samples in the last batch of the epoch, which may be smaller.",
     "window", "sampler"},
    // Runs and Compare.
    {"runs.number", "Run", "Its number in this list. Scripts name it by its id.", "window", "runs"},
    {"runs.name", "", "Model and data set, or the name that you gave it.", "window", "runs"},
    {"runs.world_size", "", "Devices that it trained on.", "window", "runs"},
    {"runs.loss", "", "The training loss over the run. A red cross: it ended in NaN or Inf.",
     "window", "runs"},
    {"tags", "Tags", "Words of your own, to filter by.", "window", "runs"},
    {"started", "Started", "When it was started.", "window", "runs"},
    {"figure", "Figure",
     "What is compared: the final loss and accuracy, samples/s, time, and what the runs logged.",
     "exports", "compare-runs"},
    {"figures.run", "", "The run, with its letter in the charts.", "exports", "compare-runs"},
    {"value", "Value", "The figure of the run.", "exports", "compare-runs"},
    {"difference", "Difference", "Value − that of the baseline of the comparison.", "exports",
     "compare-runs"},
    {"ratio", "Ratio", "Value / that of the baseline of the comparison.", "exports",
     "compare-runs"},
    {"differences.setting", "",
     "A setting, a part of the program, or a fact of where the runs ran.", "exports",
     "compare-runs"},
    {"batch", "",
     "As it was asked for, and as the ranks will have it: a global batch is cut to whole samples "
     "per rank.",
     "studies", "keep-the-batch-per-device-or-the-global-batch"},
    {"published|published_value|published_per_rank|published_global|published_steps|published_"
     "seconds",
     "Published figure", "What the source of the recipe states.", "experiments",
     "read-the-comparison"},
    {"ours", "", "The same of this run or study, by the clock of the source.", "experiments",
     "read-the-comparison"},
    {"by_our_clock", "", "The published figure converted to our clock, which leaves start-up out.",
     "experiments", "read-the-comparison"},
    {"published.clock", "", "Which span of time the source measured.", "experiments",
     "read-the-comparison"},
    {"derived", "", "How the figure follows from what the source states.", "experiments",
     "read-the-comparison"},
    {"matches", "", "Whether ours agrees within the error of both, and what differs.",
     "experiments", "read-the-comparison"},
    {"published.what|published.figure", "", "What was published.", "experiments",
     "read-the-comparison"},
    {"published.ranks|goal_gate.devices", "", "Devices that the figure is of.", "experiments",
     "read-the-comparison"},
    {"recipe", "", "As the recipe has it.", "experiments", "read-the-comparison"},
    {"changed_settings.run", "", "As it was run here.", "experiments", "read-the-comparison"},
    {"published.setting|division.setting|goal_gate.setting|changed_settings.setting|study_setting|"
     "preset",
     "", "The setting that the row is about.", "experiments", "read-the-comparison"},
    {"division.nodes", "", "Nodes and devices of each.", "experiments", "read-the-comparison"},
    {"goal|wanted", "", "What the source sets as its goal.", "experiments", "read-the-comparison"},
    {"goal_gate.found", "", "What this run reached.", "experiments", "read-the-comparison"},
    {"passed", "", "Whether the goal was reached.", "experiments", "read-the-comparison"},
    {"why", "", "What the verdict is based on.", "experiments", "read-the-comparison"},
    // Groups of ranks, doctor, experiments.
    {"groups.group", "Process group", "", "scripts", "see-what-ranks-do-together"},
    {"groups.ranks|groups.operation|groups.calls_per_step|groups.size_bytes|groups.wait|groups."
     "transfer|groups.link|groups.last|groups.backend",
     "", "", "scripts", "see-what-ranks-do-together"},
    {"doctor.check", "", "What was checked.", "doctor", "see-what-is-missing"},
    {"doctor.result", "", "Pass, warning or failed.", "doctor", "see-what-is-missing"},
    {"doctor.found", "", "What it found, and what to do.", "doctor", "see-what-is-missing"},
    {"", "DDP|Distributed data parallel",
     "Every rank has the whole model and a part of the batch; gradients are summed over all ranks "
     "in every step.",
     "scripts", "see-what-ranks-do-together"},
    {"", "Gradient bucket",
     "A group of gradients that is summed in one all-reduce, as soon as backward has them all.",
     "scripts", "see-what-ranks-do-together"},
    {"", "Gradient accumulation",
     "Several backward passes before one update: a larger batch with the same memory and fewer "
     "exchanges.",
     "waterfall", "read-the-waterfall-from-top-to-bottom"},
    {"", "Mixed precision",
     "Matrix products in bf16, fp16 or tf32. It is faster on newer GPUs and changes results a "
     "little.",
     "settings", "make-it-fast-on-newer-gpus"},
    {"", "set_epoch", "Without sampler.set_epoch(epoch) every epoch has the same order of samples.",
     "window", "sampler"},
    {"", "Waterfall",
     "How many seconds each part of a run cost against its baseline. The seconds add up.",
     "waterfall", "show-it"},
    {"", "What-if", "The recorded steps replayed with one thing changed, such as a faster link.",
     "waterfall", "ask-what-would-help"},
    {"", "Diverged", "A loss that has lost most of what it had gained, or that leaped far out.",
     "alerts", "read-the-banner"},
});

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Returns whether one of the words, separated by "|", equals this one.
bool lists(std::string_view words, std::string_view one) {
  const auto parts = parts_of(words, '|');
  return !one.empty() &&
         std::ranges::any_of(parts, [&](std::string_view part) { return same_letters(part, one); });
}

const Term* find_term(std::string_view Term::*words, std::string_view one) {
  const auto found =
      std::ranges::find_if(kTerms, [&](const Term& term) { return lists(term.*words, one); });
  return found == kTerms.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Term> terms() { return kTerms; }

const Term* column_term(std::string_view table, std::string_view column) {
  const Term* const own = find_term(&Term::keys, std::string(table) + "." + std::string(column));
  return own != nullptr ? own : find_term(&Term::keys, column);
}

const Term* named_term(std::string_view name) { return find_term(&Term::names, name); }

std::vector<std::string> names_of(const Term& term) {
  std::vector<std::string> names;
  for (const std::string_view name : parts_of(term.names, '|')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

}  // namespace ringside::view
