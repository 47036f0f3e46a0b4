"""The stages of a day on a GPU (day.py), most important first: a function per stage, with its time limit and its
criteria."""

import collections
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rig import LeftOut, until

HERE = Path(__file__).resolve().parent

Stage = collections.namedtuple("Stage", "name limit_s rule")
STAGES = [
    Stage("host", 20, "torch 2.11.0, driver 580 or newer"),
    Stage("bundle", 30, "no library is missing, each program says its version, the trainer has code for this GPU"),
    Stage("first", 90, "LeNet and ResNet-18 finish on the GPU, losses fall, its memory is as before"),
    Stage("nccl1", 90, "a group of one forms over NCCL each time, ours and PyTorch's"),
    Stage("doctor_quick", 120, "each check as judged by `ringside doctor --gpu --quick`"),
    Stage("bench", 200, "ours is not below 0.95 of PyTorch's eager steps in the same setting"),
    Stage("graph", 60, "a recorded step gives the losses of eager ones to the bit, and has phases"),
    Stage("amp", 60, "losses of bf16 and fp16 are within 2 % of fp32's"),
    Stage("telemetry", 60, "a step with an agent takes at most 3 % longer than without"),
    Stage("trajectory", 60, "from the same weights ours and PyTorch's steps have the same losses, within 1e-5 in the first five"),
    Stage("bits", 90, "scripts end with the same weights bare and instrumented"),
    Stage("times", 90, "step times are within 2 % of the script's own events; instrumented steps take 0.1 ms more at most"),
    Stage("capture", 40, "a script that records its whole step lives"),
    Stage("compile", 120, "a script with torch.compile trains, with the weights of its bare run"),
    Stage("fsdp2", 60, "a sharded script trains and is reported"),
    Stage("share", 60, "two ranks of a script on one GPU train over Gloo"),
    Stage("doctor", 300, "each check as judged by `ringside doctor --gpu`"),
    Stage("oom", 60, "too large a batch ends with code 1 and says what to lower; its memory is free within 3 s"),
    Stage("kill", 60, "a killed rank ends the run with code 1 and leaves no process"),
    Stage("stop", 60, "stop saves, and resume goes on with the next step"),
    Stage("queue", 60, "a second run on the same devices is refused where it is told not to wait"),
    Stage("visible", 60, "CUDA_VISIBLE_DEVICES that hides the GPU is a wrong request, its UUID is served"),
    Stage("nvml_load", 60, "memory, temperature and power are those of nvidia-smi"),
    Stage("sanitizer", 120, "compute-sanitizer finds nothing in LeNet's steps, eager and recorded"),
]


def host(day):
    facts = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__, torch.version.cuda, "
                            "torch.backends.cudnn.version(), torch.cuda.is_available() and torch.cuda.nccl.version())"],
                           capture_output=True, text=True)
    version = facts.stdout.split("+")[0].split()[0] if facts.stdout else "none"
    day.check("torch", version, "2.11.0", version == "2.11.0")
    day.note("versions", facts.stdout.strip())
    day.note("machine", f"{platform.release()}, glibc {platform.libc_ver()[1]}, Python {platform.python_version()}, "
                        f"{os.cpu_count()} cores")
    said = day.smi("name,driver_version,memory.total,compute_cap")
    day.note("gpu", ", ".join(said) or "none")
    if day.on == "gpu":
        driver = int(said[1].split(".")[0]) if said else 0
        day.check("driver", driver, "580 or newer", driver >= 580)


def bundle(day):
    torch = Path(day.torch)
    libraries = ":".join(str(torch.parent / path) for path in ("torch/lib", "nvidia/cu13/lib", "nvidia/nccl/lib", "nvidia/cudnn/lib"))
    programs = [path for folder in ("bin", "libexec/*") for path in sorted(day.bundle.glob(f"{folder}/*")) if path.is_file()]
    missing = []
    for program in programs:
        said = subprocess.run(["ldd", program], env={**os.environ, "LD_LIBRARY_PATH": libraries}, capture_output=True, text=True)
        missing += [line.strip() for line in said.stdout.splitlines() if "not found" in line]
    day.check("missing libraries", missing, "none", not missing)
    for program in programs:
        if program.parent.name == "bin":
            day.note(program.name, day.command(program, "--version").stdout.splitlines()[0])
    if day.on == "gpu":
        wanted = "sm_" + day.smi("compute_cap")[0].replace(".", "")
        code = day.command(day.bundle / "bin/ringside-trainer", "--cuda-code").stdout.split()
        day.check("code for GPUs", code, f"with {wanted}", any(wanted in name for name in code))


def first(day):
    before = day.smi("memory.used")
    for network, many in (("lenet", 200), ("resnet18", 60)):
        steps = day.steps(many, 8)
        run = day.trained(f"model.name={network}", f"train.max_steps={steps}", "train.epochs=100")
        day.check(f"{network} ended", run["state"], "finished", run["state"] == "finished")
        losses = day.losses()
        day.check(f"{network} steps", len(losses), str(steps), len(losses) == steps)
        fell = sum(losses[-5:]) < sum(losses[:5])
        day.check(f"{network} losses", [round(losses[0], 4), round(losses[-1], 4)], "falling", fell or day.on == "fake" or day.small)
        day.note(f"{network} step ms", round(day.step_times(), 3))
    devices = {row["device_uuid"] for row in day.rig.table("ranks") if row["device_uuid"]}
    if day.on != "cpu":
        day.check("device", sorted(devices), "a GPU's UUID", devices and all(uuid.startswith("GPU-") for uuid in devices))
    if before:
        time.sleep(1)
        used = int(day.smi("memory.used")[0]) - int(before[0])
        day.check("memory left in use, MiB", used, "within 64", abs(used) <= 64)


def nccl1(day):
    day.needs_cuda()
    own = ("import os, torch, torch.distributed as dist; os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='0', RANK='0', "
           "WORLD_SIZE='1'); torch.cuda.set_device(0); dist.init_process_group('nccl'); x = torch.ones(1, device='cuda'); "
           "dist.all_reduce(x); torch.cuda.synchronize(); dist.destroy_process_group()")
    for name, times, call in (("PyTorch's", day.steps(6, 1), lambda: day.command(sys.executable, "-c", own, timeout=20)),
                              ("ours", day.steps(4, 1), lambda: judged(day, "--only", "ddp", "--quick"))):
        began = time.monotonic()
        for _ in range(times):
            call()
        day.note(f"{name}: seconds each", round((time.monotonic() - began) / times, 2))


def judged(day, *options):
    way = "--train" if day.on == "cpu" else "--gpu"
    said = day.rig.ringside("doctor", way, "--json", *options, code=None).stdout
    checks = json.loads(said)["checks"]
    for check in checks:
        # A simulated GPU computes nothing and has no nvidia-smi, so only the end of the checks is tested there.
        good = check["outcome"] in ("pass", "skipped") or day.on == "fake"
        day.check(check["name"], check["outcome"], "pass or skipped", good)
        for one in check["measures"]:
            day.note(f"{check['name']}: {one['what']}", one["measured"])


def doctor_quick(day):
    judged(day, "--quick", *(["--only", "ddp", "--limit", "60"] if day.small else ["--limit", "30"]))


def doctor(day):
    judged(day, *(["--quick", "--only", "sums", "--limit", "60"] if day.small else ["--limit", "60"]))


SETTINGS = {
    "torch": [],
    "bf16": ["train.precision=bf16"],
    "bf16 nhwc": ["train.precision=bf16", "train.channels_last=true"],
    "bf16 nhwc benchmark": ["train.precision=bf16", "train.channels_last=true", "train.cudnn_benchmark=true"],
    "bf16 nhwc benchmark graph": ["train.precision=bf16", "train.channels_last=true", "train.cudnn_benchmark=true",
                                  "train.cuda_graph=true"],
}


def bench(day):
    cpu_has_not = ("benchmark", "graph")
    for network, batch in [("resnet18", 32), ("resnet18", 128), ("resnet18", 512), ("resnet50", 128)][:day.steps(4, 1)]:
        ours = {}
        for name, settings in SETTINGS.items():
            if day.on == "cpu" and any(word in name for word in cpu_has_not):
                continue
            steps = day.steps(60, 16)
            day.trained("train.precision=torch", *settings, f"model.name={network}", f"batch.size={batch if not day.small else 4}",
                        f"train.max_steps={steps}", "train.epochs=1000", "evaluate.mode=none", "checkpoint.every_epochs=0",
                        f"data.train_samples={max(4096, batch * 8) if not day.small else 64}")
            ours[name] = day.step_times()
            day.note(f"{network} {batch} {name}: images/s", round(1e3 * batch / ours[name]))
        for name in ("eager",) if day.on != "gpu" else ("eager", "bf16 nhwc benchmark", "compile"):
            peer = json.loads(day.command(sys.executable, "-B", HERE / "peer.py", "lenet" if day.small else network,
                                          4 if day.small else batch, name, day.steps(60, 6)).stdout)
            day.note(f"{network} {batch} PyTorch's {name}: images/s", round(1e3 * batch / peer["step_ms"]))
            same = {"eager": "torch", "bf16 nhwc benchmark": "bf16 nhwc benchmark"}.get(name)
            if same:
                ratio = peer["step_ms"] / ours[same]
                day.timed(f"{network} {batch} ours over PyTorch's {name}", round(ratio, 3), "0.95 or more", ratio >= 0.95)


def graph(day):
    day.needs_cuda()
    losses = []
    for recorded in ("false", "true"):
        day.trained("train.deterministic=true", f"train.cuda_graph={recorded}", f"train.max_steps={day.steps(60, 16)}",
                    "train.epochs=100", "optimizer.lr=0.0078125", "schedule.name=constant")
        losses.append(day.losses())
        day.note(f"step ms, recorded {recorded}", round(day.step_times(), 3))
    day.check("losses that differ", sum(a != b for a, b in zip(*losses)), "none", losses[0] == losses[1])
    row = day.rig.table("steps")[-1]
    phases = [int(row[name]) for name in ("forward_ns", "backward_ns", "optimizer_ns")]
    day.check("phases of a recorded step, us", [round(phase / 1e3) for phase in phases], "measured", min(phases) >= 0)


def amp(day):
    last = {}
    for precision in ("fp32", "bf16", "fp16")[:day.steps(3, 2)]:
        day.trained(f"train.precision={precision}", f"train.max_steps={day.steps(200, 6)}", "train.epochs=100")
        last[precision] = statistics.mean(day.losses()[-20:])
        day.note(f"{precision}: step ms", round(day.step_times(), 3))
    for precision, loss in last.items():
        off = abs(loss - last["fp32"]) / max(abs(last["fp32"]), 1e-9)
        day.check(f"{precision}: loss off by", round(off, 5), "within 0.02", off < 0.02 or day.on == "fake" or day.small)


def telemetry(day):
    settings = ["model.name=lenet", f"train.max_steps={day.steps(2000, 30)}", "train.epochs=1000", "evaluate.mode=none",
                "checkpoint.every_epochs=0"]
    day.trained(*settings)
    spec = max(day.work.glob("runs/*/spec.toml"))
    times = {"with": [], "without": []}
    for _ in range(day.steps(2, 1)):
        day.trained(*settings)
        times["with"].append(day.step_times())
        day.command(day.bundle / "bin/ringside-trainer", "--spec", spec, "--dump-losses", day.work / "losses", RANK="0", LOCAL_RANK="0",
                    WORLD_SIZE="1", LOCAL_WORLD_SIZE="1")
        rows = next(day.work.glob("losses*")).read_text().splitlines()
        times["without"].append(statistics.median(int(row.split()[2]) / 1e6 for row in rows[len(rows) // 2:]))
    ratio = min(times["with"]) / min(times["without"])
    day.note("step ms with an agent, and without", [[round(one, 4) for one in kind] for kind in times.values()])
    day.timed("with an agent over without", round(ratio, 4), "at most 1.03", ratio <= 1.03)


TRAJECTORY = """[devices]
kind = "{kind}"
world_size = 1
[model]
name = "resnet18"
[data]
name = "shapes"
root = "{root}"
train_samples = 640
test_samples = 100
mean = [0.5, 0.5, 0.5]
std = [0.5, 0.5, 0.5]
[batch]
size = 16
[train]
seed = 42
max_steps = {steps}
epochs = 100
precision = "fp32"
deterministic = true
[optimizer]
lr = 0.01
momentum = 0.9
[evaluate]
mode = "none"
[checkpoint]
every_epochs = 0
"""


def trajectory(day):
    import reference
    import torch
    steps, folder = day.steps(30, 5), day.work / "trajectory"
    (folder / "attempt_0/rank_0").mkdir(parents=True)
    (folder / "spec.toml").write_text(TRAJECTORY.format(kind=day.kind, root=day.work / "set", steps=steps))
    made = day.command(day.bundle / "bin/ringside-data", "make", "shapes", "--root", day.work / "set", "--samples", 640, "--test-samples", 100)
    torch.manual_seed(7)
    torch.save(reference.make_model("resnet18").state_dict(), folder / "weights.pt")
    alone = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1", "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    day.command(day.bundle / "bin/ringside-trainer", "--run-dir", folder, "--weights-in", folder / "weights.pt", "--dump-losses",
                folder / "ours", RINGSIDE_ATTEMPT="0", **alone)
    day.command(sys.executable, "-B", HERE / "reference.py", "--model", "resnet18", "--data", made.stdout.strip(), "--weights",
                folder / "weights.pt", "--batch", 16, "--steps", steps, "--losses", folder / "theirs", "--device", day.kind, "--tuned", **alone)
    ours, theirs = ([float(line.split()[1]) for line in (folder / f"{name}.rank0").read_text().splitlines()] for name in ("ours", "theirs"))
    off = [abs(a - b) / max(1.0, abs(b)) for a, b in zip(ours, theirs)]
    day.check("steps", [len(ours), len(theirs)], str(steps), len(ours) == len(theirs) == steps)
    worst = max(off[:5])
    day.check("first five losses off by", worst, "at most 1e-5", worst <= 1e-5 or day.on == "fake")
    day.note(f"{steps} losses off by", max(off))


def weights_of(printed):
    return re.findall(r"^weights (\w+)$", printed, re.MULTILINE)


def bits(day):
    for way in ("plain", "scaler")[:day.steps(2, 1)]:
        bare, seen = weights_of(day.script(way, bare=True)), weights_of(day.script(way))
        day.check(f"{way}: weights bare and instrumented", [bare[0][:8], seen[0][:8]], "equal", bare == seen)


def times(day):
    for way in ("plain", "paused"):
        bare, seen = (json.loads(day.script(way, bare=bare).split("times ")[1].splitlines()[0]) for bare in (True, False))
        more = statistics.median(seen) - statistics.median(bare)
        day.timed(f"{way}: an instrumented step takes more, ms", round(more, 4), "at most 0.1", more <= 0.1)
        said = [float(row["step_ns"]) / 1e6 for row in day.rig.table("steps") if row["step_ns"] != "-1"]
        # Ringside's steps end with the optimizer, the script's with the beginning of the next, so its first step has no
        # beginning.
        off = sum(said[:-1]) / sum(seen[1:]) - 1
        day.timed(f"{way}: step times off by", round(off, 4), "within 0.02", abs(off) < 0.02)


def ends_well(day, way, ranks):
    printed = day.script(way, ranks)
    day.check(f"{way} on {ranks}", printed.strip().splitlines()[-1], "rank 0 done", "rank 0 done" in printed)


def capture(day):
    day.needs_cuda()
    ends_well(day, "graph", 1)


def compile(day):
    day.needs_gpu("a compiler for its kernels here")
    bare, seen = weights_of(day.script("compile", bare=True)), weights_of(day.script("compile"))
    day.check("weights bare and instrumented", [bare[0][:8], seen[0][:8]], "equal", bare == seen)


def fsdp2(day):
    ends_well(day, "fsdp2", 1)
    day.check("steps reported", len(day.rig.table("steps")), "40", len(day.rig.table("steps")) == 40)


def share(day):
    ends_well(day, "share", 2)
    day.check("steps reported", len(day.rig.table("steps")), "80", len(day.rig.table("steps")) == 80)
    day.check("buckets reported", len(day.rig.table("buckets")), "some", day.rig.table("buckets"))


def oom(day):
    day.needs_cuda()
    # The memory that another process leaves free is too small for this batch.
    hog = None
    if day.on == "gpu":
        hog = subprocess.Popen([sys.executable, "-c", "import torch, sys; free, _ = torch.cuda.mem_get_info(); "
                                "x = torch.empty(free - (1600 << 20), dtype=torch.uint8, device='cuda'); print('here', flush=True); "
                                "sys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        hog.stdout.readline()
    before = day.smi("memory.used")
    try:
        said = day.rig.ringside(*day.rig.train(1, "model.name=resnet18", "batch.size=2048", "data.train_samples=4096"), code=1, FAKE_MEMORY=str(400 << 20))
        ended = time.monotonic()
        day.check("advice", "batch.size" in said.stdout + said.stderr, "names batch.size", "batch.size" in said.stdout + said.stderr)
        if before:
            until("memory as before", lambda: abs(int(day.smi("memory.used")[0]) - int(before[0])) <= 64)
            seconds = time.monotonic() - ended
            day.check("seconds until its memory is free", round(seconds, 1), "at most 3", seconds <= 3)
    finally:
        if hog:
            hog.stdin.close()
            hog.wait(30)


def kill(day):
    run = day.rig.start_long(1, kind=day.kind)
    rank = int(next(row["pid"] for row in day.rig.table("ranks") if row["pid"]))
    os.kill(rank, signal.SIGKILL)
    code = run.wait(30)
    day.check("exit code", code, "1", code == 1)
    folder = str(day.work)
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid() and folder in commands(pid)]
    day.check("processes left", left, "none", not left)


def commands(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def stop(day):
    def steps():
        return sorted(int(row["step"]) for row in day.rig.table("steps"))
    run = day.rig.start_long(1, kind=day.kind)
    day.rig.ringside("stop", "last")
    run.wait(30)
    before = steps()[-1]
    resumed = day.rig.start("resume", "last")
    until("step after it", lambda: steps()[-1] > before + 2)
    day.rig.ringside("stop", "last", "--now")
    resumed.wait(30)
    done = steps()
    day.check("steps lost or done twice", len(set(range(done[0], done[-1] + 1)) ^ set(done)) + len(done) - len(set(done)), "0",
              done == list(range(done[0], done[0] + len(done))))


def queue(day):
    day.needs_cuda()
    run = day.rig.start_long(1, kind=day.kind)
    said = day.rig.ringside(*day.rig.train(1, kind=day.kind), "--no-wait", code=None)
    day.check("exit code of the second", said.returncode, "not 0", said.returncode != 0)
    day.note("it said", said.stderr.strip()[-300:])
    day.rig.ringside("stop", "last", "--now")
    run.wait(30)


def visible(day):
    day.needs_cuda()
    uuid = next((word for word in day.smi("uuid")), "0")
    for value, code in (("", 2), ("-1", 2), ("GPU-none", 2), ("0", 0), (uuid, 0)):
        said = day.rig.ringside(*day.rig.train(1, "model.name=lenet"), code=None, CUDA_VISIBLE_DEVICES=value)
        day.check(f"exit code with \"{value[:8]}\"", said.returncode, str(code), said.returncode == code)


def nvml_load(day):
    day.needs_gpu("nvidia-smi beside it")
    run = day.rig.start_long(1)
    told = []
    for _ in range(20):
        told.append([float(word) for word in day.smi("memory.used,temperature.gpu,power.draw")])
        time.sleep(0.4)
    day.rig.ringside("stop", "last")
    run.wait(30)
    ours = day.rig.table("devices")[-20:]
    names = [name for name in ours[0] if name.startswith(("memory_used", "temperature", "power"))]
    day.note("our columns", names)
    for place, (start, scale, allowed) in enumerate((("memory_used", 1 << 20, 64), ("temperature", 1, 2), ("power", 1, 0))):
        name = next(one for one in names if one.startswith(start))
        own = statistics.median(float(row[name]) for row in ours) / scale
        if own > 10000 and start == "power":
            own /= 1000
        theirs = statistics.median(one[place] for one in told)
        most = allowed or 0.1 * theirs
        day.check(f"{name}: ours and nvidia-smi's", [round(own, 1), round(theirs, 1)], f"within {most:.1f}", abs(own - theirs) <= most)


def sanitizer(day):
    tool = shutil.which("compute-sanitizer")
    if day.on != "gpu" or not tool:
        raise LeftOut("there is no compute-sanitizer")
    for recorded in ("false", "true"):
        day.trained("model.name=lenet", "train.max_steps=16", f"train.cuda_graph={recorded}")
        spec = max(day.work.glob("runs/*/spec.toml"))
        said = day.command(tool, "--tool", "memcheck", *day.bundle.glob("libexec/*/ringside-trainer"), "--spec", spec, timeout=110, RANK="0",
                           LOCAL_RANK="0", WORLD_SIZE="1", LOCAL_WORLD_SIZE="1", LD_LIBRARY_PATH=f"{day.torch}/lib")
        summary = re.search(r"ERROR SUMMARY: (\d+)", said.stdout + said.stderr)
        day.check(f"errors, recorded {recorded}", summary and summary.group(1), "0", summary and summary.group(1) == "0")
