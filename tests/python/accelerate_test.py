"""`ringside run` starts `accelerate launch` with a configuration file, which the installed Accelerate reads. Only under
RINGSIDE_SCRIPTS=1; exit code 77: skipped, or Accelerate is missing."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

if os.environ.get("RINGSIDE_SCRIPTS") != "1":
    print("SKIPPED: ./dev test --scripts runs these")
    sys.exit(77)
if importlib.util.find_spec("accelerate") is None:
    print("SKIPPED: this Python has no accelerate")
    sys.exit(77)

SCRIPTS = Path(__file__).resolve().parent / "scripts"
RINGSIDE = sys.argv[sys.argv.index("--ringside") + 1] if "--ringside" in sys.argv else ""
COMMON = "num_processes: 2\nmixed_precision: 'no'\nuse_cpu: true\n"
FSDP = COMMON + "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
DEEPSPEED = COMMON + "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  gradient_clipping: 1.0\n"


class Files(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def ringside(self, *words):
        done = subprocess.run([RINGSIDE, *words], capture_output=True, text=True, timeout=300, env={
            **os.environ, "RINGSIDE_RUNS_DIR": str(self.folder / "runs"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

    def launch(self, file, *options):
        """Command line of accelerate launch with such a file."""
        path = self.folder / "file.yaml"
        path.write_text("compute_environment: LOCAL_MACHINE\n" + file)
        return ["--", sys.executable, "-m", "accelerate.commands.launch", "--config_file", str(path), *options]

    def settings(self, file, *options):
        """World size, command and Accelerate's variables that result from such a command line."""
        lines = self.ringside("run", "--dry-run", *self.launch(file, *options), "train.py").splitlines()
        told = {name: json.loads(value) for name, found, value in (line.partition(" = ") for line in lines)
                if name in ("world_size", "argv", "environment")}
        variables = dict(one.split("=", 1) for one in told["environment"])
        return told["world_size"], told["argv"], {name[11:]: value for name, value in variables.items() if name.startswith("ACCELERATE_")}

    def test_deepspeed_gets_what_accelerate_gives_it(self):
        world, argv, variables = self.settings(DEEPSPEED)
        self.assertEqual((world, argv[-1]), (2, "train.py"))
        for name, value in (("USE_DEEPSPEED", "true"), ("DEEPSPEED_ZERO_STAGE", "2"), ("GRADIENT_CLIPPING", "1.0"),
                            ("CONFIG_DS_FIELDS", "zero_stage,gradient_clipping,mixed_precision")):
            self.assertEqual(variables[name], value)

    def test_an_option_for_the_cpu_leaves_out_the_rest_as_accelerate_does(self):
        for file in (FSDP, DEEPSPEED):
            _, _, variables = self.settings(file, "--cpu")
            self.assertEqual(variables["USE_CPU"], "True")
            self.assertFalse({"USE_FSDP", "USE_DEEPSPEED"} & set(variables))
        self.assertEqual(self.settings(FSDP)[2]["USE_FSDP"], "true")

    def test_fsdp_that_is_left_out_is_shown_and_that_of_torch_is_not(self):
        script = str(SCRIPTS / "accelerate_fsdp.py")
        self.ringside("run", "--name", "file", *self.launch(FSDP), script, "file")
        shown = self.ringside("show", "last")
        self.assertIn("Accelerate was asked for FSDP and leaves it out on a CPU: each rank has the whole model, in Distrib", shown)
        self.ringside("run", "--ranks", "2", "--devices", "cpu", "--", sys.executable, str(SCRIPTS / "fsdp2.py"))
        shown = self.ringside("show", "last")
        self.assertNotIn("Accelerate", shown)
        self.assertIn("reduce-scatter", shown)


if __name__ == "__main__":
    if not RINGSIDE:
        sys.exit("usage: accelerate_test.py --ringside PROGRAM")
    unittest.main(argv=sys.argv[:1])
