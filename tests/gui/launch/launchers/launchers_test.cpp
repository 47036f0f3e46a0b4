// Launchers behind other programs, launchers that start their ranks themselves, and Accelerate's
// configuration file.
#include "gui/launch/launchers/launchers.h"

#include <utility>

#include "tests/gui/launch/launch_lines.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;
using support::command_of;
using support::refused_with;
using support::request_of;

namespace {

using Words = std::vector<std::string>;

void says(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("Behind other programs the Python that was named is used") {
  const TempFolder folder;
  const std::string quotes(3, '\'');
  folder.write("bin/torchrun", "#!/opt/env/bin/python3.12\n");
  folder.write("bin/accelerate",
               "#!/bin/sh\n" + quotes + "exec' \"/opt/a long way/bin/python3\" \"$0\" \"$@\"\n");
  const std::string bin = (folder.path() / "bin").string();
  const std::string torchrun = bin + "/torchrun";
  const ScriptCommand set = command_of("env FOO=1 BAR=2 " + torchrun + " --nproc-per-node 2 t.py");
  CHECK(set.argv == *split_words("/opt/env/bin/python3.12 -u t.py"));
  CHECK(set.environment == Words{"FOO=1", "BAR=2"});
  CHECK(set.ranks == 2);
  for (const std::string before :
       {"nice -n 5 ", "numactl -m 0 ", "taskset -c 0,1 ", "nohup ", "uv run ",
        "conda run -n deepspeed ", "poetry run ", "env -u X "}) {
    CHECK(command_of(before + torchrun + " t.py").argv ==
          *split_words(before + "/opt/env/bin/python3.12 -u t.py"));
  }
  CHECK(command_of(bin + "/accelerate launch --num_processes 2 t.py").argv[0] ==
        "/opt/a long way/bin/python3");
  CHECK(command_of("singularity exec x.sif /in/it/bin/torchrun t.py").argv ==
        *split_words("singularity exec x.sif /in/it/bin/python -u t.py"));
  CHECK(command_of("env PATH=/x torchrun t.py").argv == *split_words("python -u t.py"));
  const ScriptCommand shell =
      command_of("bash -c \"exec " + torchrun + " --nproc_per_node=2 t.py 'a b'\"");
  CHECK(shell.argv == Words{"/opt/env/bin/python3.12", "-u", "t.py", "a b"});
  CHECK(shell.ranks == 2);
}

TEST_CASE(
    "Variables in front of a program go to its environment, and those of a rank are reported") {
  const ScriptCommand plain = command_of("FOO=1 python t.py A=1");
  CHECK(plain.argv == *split_words("python t.py A=1"));
  CHECK(plain.environment == Words{"FOO=1"});
  CHECK(command_of("CUDA_VISIBLE_DEVICES=1 python t.py").devices == Words{"1"});
  CHECK(command_of("CUDA_VISIBLE_DEVICES= python t.py").devices == Words{"cpu"});
  says(command_of("MASTER_PORT=1 python t.py").notes.at(0), "MASTER_PORT was left out");
  says(refused_with("RANK=0 WORLD_SIZE=2 python t.py"), "use --ranks");
  Words notes;
  says(script_spec(request_of("CUDA_VISIBLE_DEVICES=0,1 python t.py"), notes).error().message,
       "use --devices");
  const auto threads = script_spec(request_of("OMP_NUM_THREADS=3 A=1 python t.py"), notes);
  REQUIRE(threads);
  CHECK(threads->devices.threads == 3);
  CHECK(threads->program.environment == Words{"HF_HOME=/nowhere", "A=1"});
  const std::string two = "CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc-per-node 2 t.py";
  CHECK(script_spec(request_of(two), notes)->devices.ids == Words{"2", "3"});
}

TEST_CASE("deepspeed, composer and fabric are understood, and a rank gets its number") {
  Words notes;
  const auto spec = script_spec(
      request_of("deepspeed --num_gpus 2 --master_port=1 t.py --deepspeed c.json"), notes);
  REQUIRE(spec);
  CHECK(spec->devices.world_size == 2);
  CHECK(spec->name == "t.py");
  CHECK(spec->program.argv == Words{"sh", "-c",
                                    "exec python3 -u t.py --local_rank=\"$LOCAL_RANK\" \"$@\"",
                                    "t.py", "--deepspeed", "c.json"});
  CHECK(command_of("python -m deepspeed.launcher.runner --no_local_rank t.py").argv ==
        *split_words("python -u t.py"));
  CHECK(command_of("deepspeed --include localhost:1,3 t.py").devices == Words{"1", "3"});
  says(refused_with("deepspeed --include worker-0:1 t.py"), "this machine only");
  says(refused_with("deepspeed --hostfile h t.py"), "this machine only");
  says(command_of("python -m torch.distributed.launch t.py").argv.at(2),
       "t.py --local-rank=\"$LOCAL_RANK\"");
  const ScriptCommand composer = command_of("composer -n 2 t.py -n 3");
  CHECK(composer.argv == *split_words("python3 -u t.py -n 3"));
  CHECK(composer.ranks == 2);
  CHECK(composer.environment == Words{"NODE_RANK=0"});
  const ScriptCommand fabric =
      command_of("fabric run t.py --devices=2 --accelerator cpu --strategy ddp --lr 1");
  CHECK(fabric.argv == *split_words("python3 -u t.py --lr 1"));
  CHECK(fabric.ranks == 2);
  CHECK(fabric.devices == Words{"cpu"});
  CHECK(fabric.environment == Words{"LT_CLI_USED=1", "LT_NUM_NODES=1", "LT_DEVICES=2",
                                    "LT_ACCELERATOR=cpu", "LT_STRATEGY=ddp"});
  CHECK(command_of("lightning run model t.py").environment.back() == "LT_DEVICES=1");
}

TEST_CASE("Commands that start ranks in another way are refused, also behind other programs") {
  for (const char* line : {"mpirun -n 2 python train.py", "env X=1 mpirun -n 2 python train.py",
                           "nice horovodrun -np 2 python train.py", "sh -c 'mpiexec python a.py'",
                           "uv run mpirun python train.py"})
    says(refused_with(line), "ranks of its own");
  says(refused_with("nohup srun -n 2 python train.py"), "srun --ntasks=N ringside run");
}

TEST_CASE("A command that starts its ranks itself is reported before the start") {
  const auto said = [](const std::string& line) { return command_of(line).starts_ranks; };
  says(said("llamafactory-cli train a.yaml"), "python -m llamafactory.launcher a.yaml");
  says(said("uv run axolotl train a.yaml"), "python -m axolotl.cli.train a.yaml");
  says(said("tune run --nproc_per_node 2 full --config a"), "tune cp");
  CHECK(said("tune run full_single --config a").empty());
  says(said("yolo train model=a.pt device=0,1"), "leave --ranks out");
  CHECK(said("yolo train model=a.pt").empty());
  says(said("./my_launcher --n 2"), "may be a launcher");
  says(said("flashrun t.py"), "may be a launcher");
  CHECK(said("python t.py").empty());
  says(said("sh -c 'cd x && torchrun t.py'"), "sh -c starts torchrun itself");
  const TempFolder folder;
  folder.write("go.sh", "#!/bin/sh\n# torchrun a\nset -e\nexec torchrun --nproc-per-node 2 t.py\n");
  const std::string script = (folder.path() / "go.sh").string();
  says(said("bash " + script), "exec torchrun --nproc-per-node 2 t.py");
  says(said(script), "exec torchrun");
  ScriptRequest request = request_of("bash " + script);
  Words notes;
  REQUIRE(script_spec(request, notes));
  CHECK(notes.size() == 1);
  request.ranks = 2;
  says(script_spec(request, notes).error().message, "each rank would do so");
  // A plain script is one process on any number of devices.
  request.environment.emplace_back("RINGSIDE_AS=script");
  REQUIRE(script_spec(request, notes));
  CHECK(script_spec(request, notes)->devices.world_size == 2);
}

TEST_CASE("Arguments of a program are not taken for launchers, and a login shell is kept") {
  for (const char* line :
       {"make torchrun", "bash train.sh deepspeed", "./tool --strategy deepspeed",
        "./train.sh composer", "bash --norc train.sh", "bash -lc 'python train.py'"}) {
    CHECK(command_of(line).argv == *split_words(line));
  }
  CHECK(command_of("./tool axolotl train").starts_ranks.empty());
  CHECK(command_of("nsys profile torchrun --nproc-per-node 2 t.py").ranks == 2);
  CHECK(command_of("CUDA_VISIBLE_DEVICES=0, python t.py").devices == Words{"0"});
  Words notes;
  for (const char* threads : {"abc", "4,2", "99999999999"}) {
    const auto spec =
        script_spec(request_of(std::string("OMP_NUM_THREADS=") + threads + " python t.py"), notes);
    REQUIRE_FALSE(spec);
    says(spec.error().message, "write a number of threads");
  }
}

TEST_CASE("accelerate launch reads its configuration file if Accelerate is not asked") {
  const TempFolder folder;
  folder.write("accelerate/default_config.yaml",
               "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nnum_processes: 2\n"
               "mixed_precision: bf16\ntpu_env: []\nuse_cpu: true\ndebug: false\n");
  ScriptRequest request = request_of("accelerate launch t.py");
  request.environment = {"HF_HOME=" + folder.path().string()};
  auto command = understand(request);
  REQUIRE(command);
  CHECK(command->ranks == 2);
  CHECK(command->devices == Words{"cpu"});
  CHECK(command->environment ==
        Words{"ACCELERATE_MIXED_PRECISION=bf16", "ACCELERATE_USE_CPU=true"});
  says(command->notes.at(0), "default_config.yaml was read");
  request.command = *split_words("accelerate launch --num_processes 3 --cpu t.py");
  command = understand(request);
  REQUIRE(command);
  CHECK(command->ranks == 3);
  CHECK(command->notes.empty());  // with --cpu the file is not read
  folder.write("c.yaml", "num_processes: 2\n");
  request.cwd = folder.path().string();
  request.command = *split_words("accelerate launch --config_file c.yaml t.py");
  CHECK(understand(request)->notes.size() == 1);
  folder.write("c.yaml", "distributed_type: FSDP\nnum_processes: 2\n");
  says(understand(request).error().message, "sets distributed_type: FSDP");
  folder.write("c.yaml", "num_processes: 2\ndynamo_config:\n  dynamo_backend: INDUCTOR\n");
  says(understand(request).error().message, "sets dynamo_config");
}

TEST_CASE("accelerate launch follows the answer of the person's Accelerate if that can be asked") {
  const TempFolder folder;
  folder.write("accelerate/default_config.yaml", "num_processes: 2\nmixed_precision: bf16\n");
  AccelerateQuestion asked;
  AccelerateAnswer told;
  Result<AccelerateAnswer> answer = told;
  ScriptRequest request =
      request_of("nice /v/bin/python -m accelerate.commands.accelerate_cli launch t.py --a");
  request.environment = {"HF_HOME=" + folder.path().string()};
  request.ask = [&](const AccelerateQuestion& question) {
    asked = question;
    return answer;
  };
  told.ranks = 4;
  told.environment = {"FSDP_VERSION=2"};
  told.program = {"t.py", "--a"};
  answer = told;
  auto command = understand(request);
  REQUIRE(command);
  CHECK(asked.python == Words{"nice", "/v/bin/python"});
  CHECK(asked.arguments == Words{"t.py", "--a"});
  CHECK(asked.environment == request.environment);
  CHECK(command->ranks == 4);
  CHECK(command->argv == *split_words("nice /v/bin/python -u t.py --a"));
  CHECK(command->environment == Words{"FSDP_VERSION=2"});
  told.refused = "Megatron-LM";
  answer = told;
  says(understand(request).error().message, "is for Megatron-LM");
  answer = bad_request("accelerate: unrecognized arguments: --x");
  says(understand(request).error().message, "--x");
  answer = failure("No module named 'accelerate'");
  command = understand(request);
  REQUIRE(command);
  CHECK(command->ranks == 2);
  CHECK(command->environment == Words{"ACCELERATE_MIXED_PRECISION=bf16"});
  says(command->notes.at(0), "could not be asked (No module named 'accelerate')");
  // Accelerate is not asked about options that our table covers completely.
  asked = {};
  request.environment = {"HF_HOME=/nowhere"};
  request.command = *split_words("accelerate launch --num_processes 2 t.py");
  CHECK(understand(request)->ranks == 2);
  CHECK(asked.python.empty());
  request.command = *split_words("accelerate launch --use_fsdp t.py");
  says(understand(request).error().message, "Accelerate could not be asked: No module");
  CHECK_FALSE(asked.python.empty());
}

TEST_CASE(
    "Accelerate is asked through its Python, which may not answer or may refuse the options") {
  const TempFolder folder;
  const auto answered_by = [&](const std::string& body) {
    folder.write("python", "#!/bin/sh\n" + body);
    const auto file = folder.path() / "python";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return ask_accelerate({{file.string()}, {"t.py"}, {"X=7"}, {}});
  };
  const auto answer = answered_by(
      "echo talk\nprintf '%s' '{\"ranks\": 2, \"cpu\": false, \"gpus\": \"1,3\", \"environment\": "
      "[\"A='$X'\"], \"restarts\": 1, \"module\": true, \"no_python\": false, \"program\": "
      "[\"'$4'\"], \"refused\": \"\"}'\n");
  REQUIRE(answer);
  CHECK(answer->ranks == 2);
  CHECK(answer->devices == Words{"1", "3"});
  CHECK(answer->environment == Words{"A=7"});
  CHECK(answer->program == Words{"t.py"});
  CHECK(answer->module);
  const auto not_taken = answered_by("echo 'usage: x\nerror: no such option' >&2; exit 3\n");
  CHECK(not_taken.error().kind == ErrorKind::kRequest);
  says(not_taken.error().message, "accelerate: error: no such option");
  const auto broken = answered_by("echo 'ModuleNotFoundError: no accelerate' >&2; exit 1\n");
  CHECK_FALSE(broken.error().kind == ErrorKind::kRequest);
  says(broken.error().message, "no accelerate");
  CHECK_FALSE(answered_by("echo hello"));
}
