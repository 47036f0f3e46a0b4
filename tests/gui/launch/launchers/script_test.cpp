// Command lines as people type them, and the resulting settings.
#include "gui/launch/launchers/script.h"

#include <algorithm>

#include "tests/gui/launch/launch_lines.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;
using support::command_of;
using support::refused_with;

namespace {

using Words = std::vector<std::string>;

Words script_words_of(const std::string& line) {
  Words words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool script_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A command without a launcher is taken unchanged") {
  for (const char* line :
       {"python train.py --lr 0.1", "./train.sh", "python -m pkg.train", "python train.py torchrun",
        "uv run train", "env -i A=1 python train.py", "conda run -n deepspeed python train.py"})
    CHECK(command_of(line).argv == script_words_of(line));
  CHECK_FALSE(command_of("python train.py").ranks);
  CHECK(script_has(refused_with(""), "-- python train.py"));
}

TEST_CASE("A Python file alone gets a Python, and an executable one is kept") {
  CHECK(command_of("train.py --lr 0.1").argv == script_words_of("python3 -u train.py --lr 0.1"));
  const TempFolder folder;
  folder.write("train.py", "print()");
  const std::string file = (folder.path() / "train.py").string();
  CHECK(command_of(file).argv == Words{"python3", "-u", file});
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  CHECK(command_of(file).argv == Words{file});
}

TEST_CASE("torch's launcher is removed and its number of ranks is used, in every form") {
  for (const char* options :
       {"--nproc-per-node 4", "--nproc_per_node=4", "--nproc-per-node=4", "--nproc 4",
        "--nnodes 1 --nproc_per_node 4", "--nnodes=1:1 --nproc-per-node 4"}) {
    const std::string tail = std::string(options) + " train.py --lr 0.1";
    const ScriptCommand run = command_of("python3.11 -m torch.distributed.run " + tail);
    CHECK(run.argv == script_words_of("python3.11 -u train.py --lr 0.1"));
    CHECK(run.ranks == 4);
    CHECK(command_of("torchrun " + tail).ranks == 4);
  }
  CHECK(command_of("torchrun train.py").ranks == 1);
  CHECK(command_of("python -W ignore -m torch.distributed.run train.py").argv ==
        script_words_of("python -W ignore -u train.py"));
  CHECK(command_of("uv run torchrun --nproc-per-node 2 train.py").argv ==
        script_words_of("uv run python -u train.py"));
  CHECK(command_of("python -m torch.distributed.launch --use_env train.py").argv ==
        script_words_of("python -u train.py"));
  CHECK(command_of("torchrun --shutdown-timeout 3 --log-line-prefix-template T train.py").ranks ==
        1);
}

TEST_CASE("The Python of an installed torchrun is read from its first line") {
  const TempFolder folder;
  folder.write("torchrun", "#!/opt/env/bin/python3.12\nimport sys\n");
  const std::string launcher = (folder.path() / "torchrun").string();
  CHECK(command_of(launcher + " train.py").argv ==
        script_words_of("/opt/env/bin/python3.12 -u train.py"));
  folder.write("torchrun", "#!/bin/sh\n");
  CHECK(command_of(launcher + " train.py").argv == script_words_of("python3 -u train.py"));
}

TEST_CASE("Modules, programs that are not Python, and words that are counted are understood") {
  const std::string run = "python -m torch.distributed.run ";
  CHECK(command_of(run + "-m pkg.train --x 1").argv ==
        script_words_of("python -u -m pkg.train --x 1"));
  CHECK(command_of(run + "--module pkg.train").argv == script_words_of("python -u -m pkg.train"));
  CHECK(command_of(run + "--no-python ./train.sh a").argv == script_words_of("./train.sh a"));
  for (const char* word : {"gpu", "cpu", "auto"}) {
    const ScriptCommand command = command_of(run + "--nproc-per-node " + word + " train.py");
    CHECK(command.counted == word);
    CHECK_FALSE(command.ranks);
  }
  CHECK(command_of(run + "--max-restarts=3 train.py").restarts == 3);
}

TEST_CASE("Options that Ringside handles itself are left out and reported, each reason once") {
  const ScriptCommand command = command_of(
      "torchrun --standalone --rdzv-backend=c10d --rdzv_endpoint h:1 --master-port 29500 "
      "--log-dir /l train.py --standalone");
  CHECK(command.argv.back() == "--standalone");
  REQUIRE(command.notes.size() == 3);
  CHECK(script_has(command.notes[0], "--standalone, --rdzv-backend, --rdzv_endpoint was left out"));
  CHECK(script_has(command.notes[1], "--master-port was left out: the agent reserves a port"));
  CHECK(script_has(command.notes[2], "output of every rank"));
}

TEST_CASE("Unsupported options are refused with what to do") {
  CHECK(script_has(refused_with("torchrun --nnodes 2 train.py"), "on this machine only"));
  CHECK(script_has(refused_with("torchrun --nnodes 1:4 train.py"), "on this machine only"));
  CHECK(script_has(refused_with("torchrun --node-rank 1 train.py"), "one node"));
  CHECK(script_has(refused_with("torchrun --nproc-per-node many train.py"), "a number of ranks"));
  CHECK(script_has(refused_with("torchrun --nproc-per-node 0 train.py"), "a number of ranks"));
  CHECK(script_has(refused_with("torchrun --nproc-per-node"), "needs a value"));
  CHECK(script_has(refused_with("torchrun --nproc-per-node 2"), "names no program"));
  CHECK(script_has(refused_with("torchrun --nproc-per-nose 2 train.py"),
                   "did you mean --nproc-per-node?"));
  CHECK(script_has(refused_with("torchrun --standalone=1 train.py"), "takes no value"));
  CHECK(script_has(refused_with("torchrun -m --no-python train"), "not both"));
  CHECK(script_has(refused_with("torchrun --print-completion bash train.py"), "starts nothing"));
  CHECK(script_has(refused_with("accelerate launch --config_file c.yaml train.py"),
                   "cannot be read"));
  CHECK(script_has(refused_with("accelerate launch --use_fsdp train.py"), "torchrun"));
  CHECK(script_has(refused_with("accelerate launch --num_machines 2 train.py"),
                   "on this machine only"));
}

TEST_CASE("accelerate launch gives ranks, precision and the variables it would set") {
  const ScriptCommand command = command_of(
      "accelerate launch --multi_gpu --num_processes 2 --mixed_precision bf16 "
      "--dynamo_backend inductor --gpu_ids 0,1 train.py --a");
  CHECK(command.ranks == 2);
  CHECK(command.argv.back() == "--a");
  CHECK(command.devices == Words{"0", "1"});
  CHECK(command.environment ==
        Words{"ACCELERATE_MIXED_PRECISION=bf16", "ACCELERATE_DYNAMO_BACKEND=INDUCTOR"});
  const ScriptCommand cpu = command_of("python -m accelerate.commands.launch --cpu train.py");
  CHECK(cpu.argv == script_words_of("python -u train.py"));
  CHECK(cpu.counted == "any");
  CHECK(cpu.devices == Words{"cpu"});
  CHECK(cpu.environment == Words{"ACCELERATE_USE_CPU=true"});
  CHECK(cpu.notes.empty());
}

TEST_CASE("The request overrides the command, and defaults come last") {
  ScriptRequest request;
  request.command = script_words_of("torchrun --nproc-per-node 4 --max-restarts 1 train.py");
  Words notes;
  auto spec = script_spec(request, notes);
  REQUIRE(spec);
  CHECK(spec->name == "train.py");
  CHECK(spec->devices.world_size == 4);
  CHECK(spec->limits.restarts == 1);
  CHECK(spec->baseline.mode == "none");
  CHECK(spec->program.instrument);
  request.ranks = 2;
  request.restarts = 0;
  request.baseline = "#12";
  request.name = "mine";
  request.devices = {"cpu"};
  request.cwd = "/w";
  request.environment = {"A=b=c"};
  request.instrument = false;
  spec = script_spec(request, notes);
  REQUIRE(spec);
  CHECK(spec->name == "mine");
  CHECK(spec->devices.world_size == 2);
  CHECK(spec->devices.kind == "cpu");
  CHECK(spec->limits.restarts == 0);
  CHECK(spec->baseline.mode == "reuse");
  CHECK(spec->baseline.run == "#12");
  CHECK(spec->program.cwd == "/w");
  CHECK(spec->program.environment == Words{"A=b=c"});
  CHECK_FALSE(spec->program.instrument);
  REQUIRE(notes.size() == 1);
  CHECK(script_has(notes[0], "--ranks goes before it"));
}

TEST_CASE("Devices that a launcher counts are counted on this machine") {
  ScriptRequest request;
  request.command = script_words_of("torchrun --nproc-per-node gpu train.py");
  Words notes;
  CHECK(script_has(script_spec(request, notes).error().message, "use --ranks N"));
  request.gpus = 0;
  request.cores = 6;
  CHECK(script_has(script_spec(request, notes).error().message, "there is none"));
  request.gpus = 3;
  CHECK(script_spec(request, notes)->devices.world_size == 3);
  request.gpus = 0;
  request.command[2] = "auto";
  CHECK(script_spec(request, notes)->devices.world_size == 6);
  request.environment = {"HF_HOME=/nowhere"};
  request.command = script_words_of("accelerate launch train.py");
  CHECK(script_spec(request, notes)->devices.world_size == 1);
}

TEST_CASE("Devices and variables that contradict each other are refused") {
  ScriptRequest request;
  request.command = {"python", "train.py"};
  request.devices = {"0", "1"};
  Words notes;
  CHECK(script_spec(request, notes)->devices.world_size == 2);
  request.ranks = 1;
  CHECK(script_spec(request, notes)->devices.ids == Words{"0"});
  request.ranks = 3;
  CHECK(script_has(script_spec(request, notes).error().message, "2 devices are named"));
  request.ranks.reset();
  request.devices = {"0", "0"};
  CHECK(script_has(script_spec(request, notes).error().message, "twice"));
  for (const std::string word : {"cuda", "gpu", ""}) {
    request.devices = {word};
    CHECK(script_has(script_spec(request, notes).error().message,
                     "numbers or UUIDs of GPUs, or cpu"));
  }
  request.devices = {"0", "cpu"};
  CHECK_FALSE(script_spec(request, notes));
  request.devices.clear();
  request.environment = {"RANK=1"};
  CHECK(script_has(script_spec(request, notes).error().message, "for each rank"));
  request.environment = {"novalue"};
  CHECK(script_has(script_spec(request, notes).error().message, "NAME=value"));
}
