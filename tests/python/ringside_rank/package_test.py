"""The package without torch: outside of a run, with a fake library, and with a fake device. No torch."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
PRODUCT = HERE.parents[2] / "trainer" / "python"
sys.path[:0] = [str(HERE), str(PRODUCT)]

import made_up_device  # noqa: E402
import ranks  # noqa: E402
import recorder  # noqa: E402
from ringside_rank import _clock, _ddp, _flight, _pending, _ras, _records, _session, _speaker  # noqa: E402


def python(code, *flags, **environment):
    """Output of a Python that finds our folders as a rank does."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(PRODUCT / "inject"), str(PRODUCT)]), **environment)
    for name in ("RANK", "RINGSIDE_RUN_DIR", "RINGSIDE_INSTRUMENT"):
        if name not in environment:
            env.pop(name, None)
    done = subprocess.run([sys.executable, *flags, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    return done.stdout.strip(), done.stderr.strip()


class Standing(unittest.TestCase):
    """A rank whose steps do not end."""

    def setUp(self):
        self.posted = []

        class Library:
            post = staticmethod(lambda kind, at_ns, body, size: self.posted.append(recorder.decode(kind, body)))

        self.speaker = _speaker.Speaker(Library, 1, 0)
        self.session = types.SimpleNamespace(speaker=self.speaker, steps=types.SimpleNamespace(number=7))
        self.watch = _pending.Watch(self.session)

    def training(self):
        self.speaker.hello(_records.pack(_records.HELLO, **{name: {"text": "", "indices": ()}.get(kind, 0)
                                                            for name, kind in _records.FIELDS[_records.HELLO]}))
        self.speaker.state(_records.TRAINING, 6)
        del self.posted[:]

    def test_it_says_once_which_collective_it_has_entered_last(self):
        self.training()
        for now in range(20):
            self.watch.look(float(now))
        self.assertEqual(self.posted, [])  # no collective was entered
        self.session.steps.number = 8
        for bucket in (0, 1):
            self.speaker.entered(f"all-reduce of gradient bucket {bucket}")
        for now in range(20, 25):
            self.watch.look(float(now))
        self.assertEqual(self.posted, [])
        for now in range(25, 40):
            self.watch.look(float(now))
        (said,) = self.posted
        self.assertEqual((said["state"], said["last_step"], said["last_collective"]),
                         (_records.TRAINING, 7, "all-reduce of gradient bucket 1, number 2"))

    def test_after_long_silence_it_keeps_the_flight_recorder_of_pytorch_once(self):
        entries = [{"profiling_name": "nccl:all_reduce", "collective_seq_id": 40, "process_group": ["0", "default_pg"], "retired": True},
                   {"profiling_name": "nccl:all_gather", "collective_seq_id": 41, "process_group": ["1", "mesh_dp"], "retired": False,
                    "state": "started"}]
        torch = types.SimpleNamespace(
            distributed=types.SimpleNamespace(is_initialized=lambda: True, get_backend=lambda: "gloo"),
            _C=types.SimpleNamespace(_distributed_c10d=types.SimpleNamespace(
                _dump_fr_trace_json=lambda *_: b'{"entries": []}',
                _dump_nccl_trace_json=lambda *_: json.dumps({"entries": entries}).encode())))
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, torch=torch), \
                mock.patch.dict(os.environ, RINGSIDE_RUN_DIR=folder, RINGSIDE_ATTEMPT="2"):
            self.training()
            self.speaker.entered("all-gather")
            kept = Path(folder) / "attempt_2" / "rank_1" / "flight_recorder.json"
            kept.parent.mkdir(parents=True)
            for now in range(29):
                self.watch.look(float(now))
            self.assertFalse(kept.exists())
            for now in range(29, 60):
                self.watch.look(float(now))
            self.assertEqual(json.loads(kept.read_text()), {"entries": entries})
            self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        (said,) = [one for one in self.posted if one.get("code") == "flight_recorder"]
        self.assertIn("nccl:all_gather 41 of mesh_dp is started, 1 of 2", said["text"])
        self.assertTrue(said["text"].endswith("flight_recorder.json"))

    def test_it_keeps_what_ras_of_nccl_answers_and_says_its_errors_and_warnings(self):
        answer = """NCCL version 2.28.9 compiled with CUDA 13.0

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      1          2            1          2        2

Errors
======

#0-0 (27a079b828ff1a75) ERROR
  Rank 1 has reported an asynchronous error

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  1 ranks have launched up to operation 41
  1 ranks have launched up to operation 40
"""
        asked = []

        def serve(listener):
            one, _ = listener.accept()
            with one:
                asked.append(one.recv(100))
                for line in answer.splitlines(keepends=True):
                    one.sendall(line.encode())

        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            server = threading.Thread(target=serve, args=(listener,))
            server.start()
            self.training()
            kept = Path(folder) / "attempt_2" / "rank_1" / "nccl_ras.txt"
            kept.parent.mkdir(parents=True)
            with mock.patch.dict(os.environ, RINGSIDE_RUN_DIR=folder, RINGSIDE_ATTEMPT="2", NCCL_RAS_ADDR=address):
                _ras.keep(self.speaker)
                server.join()
                listener.close()
                _ras.keep(self.speaker)  # nothing answers
            self.assertEqual(kept.read_text(), answer)
            self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.assertEqual(asked, [b"verbose status\n"])
        (said,) = [one for one in self.posted if one.get("code") == "nccl_ras"]
        self.assertIn(f"NCCL's RAS at {address}: #0-0 (27a079b828ff1a75) ERROR, Rank 1 has reported an asynchronous error, #0-0 "
                      "(27a079b828ff1a75) MISMATCH, Communicator ranks have different collective operation counts, ...; all of it is in "
                      "attempt_2/rank_1/nccl_ras.txt", said["text"])
        self.assertEqual(_ras.words(answer.split("Errors")[0]), "no errors and no warnings")

    def test_only_the_first_rank_of_a_node_with_nccl_asks_ras(self):
        for backend, local_rank, asked in (("nccl", "0", 1), ("cpu:gloo,cuda:nccl", "0", 1), ("nccl", "1", 0), ("gloo", "0", 0)):
            torch = types.SimpleNamespace(distributed=types.SimpleNamespace(is_initialized=lambda: True, get_backend=lambda: backend),
                                          _C=types.SimpleNamespace(_distributed_c10d=types.SimpleNamespace()))
            with mock.patch.dict(sys.modules, torch=torch), mock.patch.dict(os.environ, LOCAL_RANK=local_rank), \
                    mock.patch.object(_ras, "keep") as keep, mock.patch.object(_flight._library, "start_thread", lambda run, *of: run(*of)):
                _flight.keep(self.speaker, 30.0)
                self.assertEqual(keep.call_count, asked, (backend, local_rank))

    def test_a_port_where_another_job_listens_too_is_not_taken_for_ours(self):
        code = ("import os, socket, sys; one = socket.socket(); one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); "
                "one.bind(('127.0.0.1', int(sys.argv[1]))); one.listen(); print(one.getsockname()[1], flush=True); sys.stdin.read()")

        def listening(run, port):
            process = subprocess.Popen([sys.executable, "-c", code, str(port)], env=dict(os.environ, RINGSIDE_RUN_DIR=run), text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(process.wait)
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.stdin.close)
            return int(process.stdout.readline())

        with mock.patch.dict(os.environ, RINGSIDE_RUN_DIR="/runs/ours"):
            port = listening("/runs/ours", 0)
            self.assertTrue(_ras.only_this_run_listens(port))
            listening("/runs/ours", port)
            self.assertTrue(_ras.only_this_run_listens(port))
            listening("/runs/theirs", port)
            self.assertFalse(_ras.only_this_run_listens(port))

    def test_it_is_quiet_before_its_hello_and_while_it_evaluates(self):
        self.speaker.entered("all-reduce of gradient bucket 0")
        self.speaker.stands(3)
        self.training()
        self.speaker.state(_records.EVALUATING, 6)
        del self.posted[:]
        self.speaker.stands(3)
        self.assertEqual(self.posted, [])

    def test_it_never_says_again_what_a_newer_state_has_replaced(self):
        self.training()
        self.speaker.entered("all-reduce of gradient bucket 0")
        record, others = self.posted.append, []

        def slowly(kind, at_ns, body, size):
            if not others:
                others.append(threading.Thread(target=self.speaker.state, args=(_records.EVALUATING, 6)))
                others[0].start()
                others[0].join(0.2)
            record(recorder.decode(kind, body))

        self.speaker._send = slowly
        self.speaker.stands(6)
        others[0].join()
        self.assertEqual([said["state"] for said in self.posted], [_records.TRAINING, _records.EVALUATING])

    def test_a_bucket_counts_whether_it_is_measured_or_not(self):
        self.training()
        self.speaker.failed("buckets")
        bucket = types.SimpleNamespace(index=lambda: 0)
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            for step in (None, types.SimpleNamespace(buckets=[])):
                _ddp.learning = step
                self.assertIsNone(_ddp._ready(bucket))
        _ddp.learning = None
        self.assertEqual(self.speaker.collective, 2)


class Outside(unittest.TestCase):
    CALLS = """
import ringside_rank as rs
rs.log(step=1, loss=2.0, a=object()); rs.step(loss=1); rs.resumed(3)
with rs.evaluating(0) as result: result.add(1.0, 2, 3); result.set(accuracy=0.5, count=4)
print(rs.active(), rs.stop_requested())
"""

    def test_every_call_does_nothing(self):
        self.assertEqual(python(self.CALLS), ("False False", ""))

    def test_a_library_that_is_not_there_is_told_once_and_changes_nothing(self):
        output, errors = python(self.CALLS, RANK="0", RINGSIDE_RUN_DIR="/none", RINGSIDE_RANK_LIBRARY="/none/x.so", RINGSIDE_INSTRUMENT="1")
        self.assertEqual(output, "False False")
        self.assertRegex(errors, r"^ringside_rank: this rank reports nothing: cannot connect to the agent of /none: [^\n]+$")

    def test_ranks_of_a_launcher_inside_a_rank_say_nothing_but_how_many_they_are(self):
        with tempfile.TemporaryDirectory() as run:
            folder = Path(run) / "attempt_0" / "rank_1"
            folder.mkdir(parents=True)
            given = {"RINGSIDE_RUN_DIR": run, "RINGSIDE_RANK": "1/2", "RANK": "1", "WORLD_SIZE": "2", "RINGSIDE_INSTRUMENT": "1",
                     "TORCHELASTIC_RUN_ID": Path(run).name, "RINGSIDE_RANK_LIBRARY": "/none/x.so"}
            self.assertIn("reports nothing", python(self.CALLS, **given)[1])  # this rank would report if it had a library
            self.assertEqual(list(folder.iterdir()), [])
            for other in ({"RANK": "0"}, {"WORLD_SIZE": "4"}, {"TORCHELASTIC_RUN_ID": "none"}):
                with self.subTest(other):
                    self.assertEqual(python(self.CALLS, **{**given, **other}), ("False False", ""))
                    (left,) = folder.iterdir()
                    self.assertEqual((left.name, left.read_text()), ("nested_ranks", {**given, **other}["WORLD_SIZE"] + "\n"))
                    left.unlink()

    def test_a_process_that_is_no_rank_sees_nothing_of_us(self):
        code = "import sys; print([m for m in sys.modules if 'ringside' in m or 'sitecustomize' in m], len(sys.meta_path))"
        bare = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"}).stdout.strip()
        self.assertEqual(python(code), (bare, ""))
        self.assertEqual(python("import sys; print([f for f in sys.path if 'inject' in f])")[0], "[]")

    def test_an_isolated_python_knows_nothing_of_us_until_it_imports_the_package(self):
        code = "import sys; print([m for m in sys.modules if 'ringside' in m])"
        self.assertEqual(python(code, "-I", RANK="0", RINGSIDE_INSTRUMENT="1"), ("[]", ""))
        code = f"import sys; sys.path.append({str(PRODUCT)!r}); import ringside_rank; print('ringside_rank._imports' in sys.modules)"
        self.assertEqual(python(code, "-I", RANK="0", RINGSIDE_INSTRUMENT="1"), ("True", ""))


class Imports(unittest.TestCase):
    def fails(self, body, **environment):
        """Output of Python if a module that we hook cannot be imported."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "torch").mkdir()
            (Path(folder) / "torch" / "__init__.py").write_text(body)
            (Path(folder) / "script.py").write_text("import torch\n")
            env = {k: v for k, v in os.environ.items() if not k.startswith("RINGSIDE")}
            env.update(PYTHONPATH=os.pathsep.join([str(PRODUCT / "inject"), str(PRODUCT), folder]), **environment)
            done = subprocess.run([sys.executable, "-B", "script.py"], cwd=folder, env=env, capture_output=True, text=True)
            return done.returncode, done.stderr.replace(folder, "")

    def test_a_failing_import_looks_the_same(self):
        for body in ("import no_such_module\n", "def f():\n    raise ImportError('broken')\nf()\n"):
            with self.subTest(body):
                bare = self.fails(body)
                self.assertEqual(bare[0], 1)
                self.assertEqual(self.fails(body, RANK="0", RINGSIDE_INSTRUMENT="1"), bare)

    def test_a_torch_that_is_none_is_imported_all_the_same(self):
        self.assertEqual(self.fails("x = 1\n", RANK="0", RINGSIDE_INSTRUMENT="1"), (0, ""))


class Told(unittest.TestCase):
    """A loop that reports its steps with rs.step()."""

    @classmethod
    def setUpClass(cls):
        cls.rank = ranks.run("told.py", world=1)[0]

    def test_it_ran(self):
        self.assertEqual((self.rank.code, self.rank.errors), (0, ""))
        self.assertIn("active True False", self.rank.output)

    def test_steps_are_numbered_and_have_the_logged_values(self):
        steps = self.rank.said["step"]
        self.assertEqual([step["step"] for step in steps], list(range(6)))
        self.assertAlmostEqual(steps[2]["loss"], 0.729, 6)
        self.assertEqual({(step["samples"], step["correct"], step["lr"], step["forward_ns"]) for step in steps}, {(4, 3, 0.1, -1)})
        self.assertEqual(steps[0]["step_ns"], -1)
        self.assertTrue(all(step["step_ns"] >= 0 for step in steps[1:]))

    def test_scalars_of_every_thread_but_of_no_child(self):
        scalars = [(one["name"], one["step"]) for one in self.rank.said["scalar"]]
        self.assertEqual(scalars, [("weight", step) for step in range(6)] + [("elsewhere", 9)])

    def test_an_evaluation_has_what_was_added(self):
        (one,) = self.rank.said["epoch"]
        self.assertEqual((one["epoch"], one["phase"], one["loss_sum"], one["correct"], one["counted"], one["last_step"]), (0, 1, 6.0, 4, 8, 2))
        self.assertEqual([state["state"] for state in self.rank.said["state"]], [2, 3, 2])

    def test_the_hello_comes_first_and_the_goodbye_last(self):
        places = {name: [one["place"] for one in all_of] for name, all_of in self.rank.said.items()}
        self.assertEqual(places["hello"], [0])
        self.assertEqual(places["goodbye"], [max(sum(places.values(), []))])


class Odd(unittest.TestCase):
    """A loop that passes values of wrong types to every call."""

    @classmethod
    def setUpClass(cls):
        cls.rank = ranks.run("odd_values.py", world=1)[0]
        cls.left_out = [one["text"].split(" is left out ")[0] for one in cls.rank.said["notice"] if one["code"] == "value_left_out"]

    def test_nothing_raises_and_nothing_else_is_left_out(self):
        self.assertEqual((self.rank.code, self.rank.errors, self.rank.output), (0, "", "END\n"))
        self.assertEqual([one["code"] for one in self.rank.said["notice"]], ["value_left_out"] * len(self.left_out))
        steps = self.rank.said["step"]
        self.assertEqual([step["step"] for step in steps], list(range(5, 5 + len(steps))))
        self.assertEqual((steps[-1]["loss"], steps[-1]["samples"], steps[-1]["epoch"]), (0.5, 4, 3))
        self.assertEqual(self.rank.said["scalar"][-1]["value"], 0.25)
        self.assertEqual({one["name"] for one in self.rank.said["scalar"]}, {"weight", "step_of_this_is_odd", "curve", "accuracy"})  # nan and inf are numbers

    def test_each_is_said_once_by_its_name(self):
        self.assertEqual(sorted(self.left_out), sorted(set(self.left_out)))
        self.assertEqual(set(self.left_out), {
            "the step that is resumed from", "step", "loss", "lr", "samples", "correct", "grad_norm", "curve", "epoch", "count",
            "accuracy", "the loss_sum of an evaluation", "the correct of an evaluation", "the accuracy of an evaluation"})

    def test_an_evaluation_that_was_told_wrong_is_there_with_what_is_known(self):
        first, *_, last = self.rank.said["epoch"]
        self.assertEqual((first["counted"], first["correct"]), (4, -1))
        self.assertNotEqual(first["loss_sum"], first["loss_sum"])
        self.assertEqual((last["loss_sum"], last["correct"], last["counted"], last["epoch"]), (2.0, 3, 4, 3))

    def test_a_number_beyond_its_field_is_infinite(self):
        self.assertIn(float("inf"), [step["loss"] for step in self.rank.said["step"]])


class FakeLibrary:
    def __init__(self):
        self.said = []

    def post(self, kind, at_ns, body, size):
        self.said.append((kind, body))
        return 0


class SpeakerTest(unittest.TestCase):
    def test_what_is_said_before_the_hello_follows_it(self):
        library = FakeLibrary()
        speaker = _speaker.Speaker(library, 0, 0)
        speaker.notice(0, "a", "b")
        self.assertEqual(library.said, [])
        speaker.hello(b"")
        speaker.hello(b"")
        self.assertEqual([kind for kind, _ in library.said], [1, 11])

    def test_a_source_that_fails_is_switched_off_and_told_once(self):
        library = FakeLibrary()
        speaker = _speaker.Speaker(library, 0, 0)
        speaker.hello(b"")
        for _ in range(2):
            try:
                raise ValueError("x")
            except ValueError:
                speaker.failed("buckets")
        self.assertEqual([kind for kind, _ in library.said], [1, 11])
        self.assertIn(b"buckets is not measured any more: ValueError: x", library.said[1][1])
        self.assertFalse(speaker.works("buckets"))
        self.assertTrue(speaker.works("backward"))


def train(device, clock, step_ns, ahead, seconds, pause_at=-1):
    """(dated time, true time, uncertainty by the clock) for ends of steps, with the host this many steps ahead of its
    device; it pauses once for ten of them."""
    waiting, found = [], []
    for number in range(int(seconds * 1e9 / step_ns)):
        true_ns = device.work(step_ns)
        waiting.append((clock.end_mark(), true_ns))
        if number == pause_at:
            device.host_ns += 10 * step_ns
        if len(waiting) > ahead:
            device.host_ns = max(device.host_ns, waiting[-1 - ahead][1]) + 40_000
        while waiting and clock.at(waiting[0][0]) is not None:
            moment, true_ns = waiting.pop(0)
            found.append((clock.at(moment), true_ns, clock.uncertainty_ns()))
    return found


class DeviceClockTest(unittest.TestCase):
    def clock(self, device):
        return _clock.DeviceClock(device.event, device.aside, lambda: device.capturing, device.now)

    def check_steps(self, found, share):
        for (begin, true_begin, _), (end, true_end, _) in zip(found, found[1:]):
            self.assertLessEqual(abs((end - begin) - (true_end - true_begin)), share * (true_end - true_begin))

    def test_step_times_are_those_of_the_device_however_far_the_host_is_ahead(self):
        for step_ns in (2_000_000, 200_000_000):
            for ahead in (0, 1, 2, 3):
                for drift in (50.0, -50.0):
                    with self.subTest(step_ns=step_ns, ahead=ahead, drift=drift):
                        device = made_up_device.Device(drift)
                        found = train(device, self.clock(device), step_ns, ahead, 40 * step_ns / 1e9 + 1, pause_at=30)
                        self.assertGreater(len(found), 40)
                        self.check_steps(found, 0.02)

    def test_for_minutes_moments_are_dated_to_some_microseconds(self):
        for drift in (50.0, -50.0):
            device = made_up_device.Device(drift)
            clock = self.clock(device)
            found = train(device, clock, 100_000_000, 1, 300)
            self.assertLess(max(abs(dated - true) for dated, true, _ in found), 30_000)
            self.assertLess(clock.uncertainty_ns(), 1 << 17)

    def test_where_no_comparison_comes_forward_the_uncertainty_says_so(self):
        device = made_up_device.Device(50.0)
        device.aside_starves = True
        device.work(1_000_000_000)
        clock = self.clock(device)
        for dated, true_ns, said_ns in train(device, clock, 100_000_000, 1, 30):
            self.assertLessEqual(abs(dated - true_ns), said_ns)
        self.assertGreater(clock.uncertainty_ns(), 1_000_000)

    def test_it_is_the_clock_of_the_trainer(self):
        """Results of this clock and of trainer/cuda/device_clock.h for the same events of the fake device."""
        offset = _clock.Offset()
        for line in (HERE.parents[1] / "trainer" / "cuda" / "clock_cases.txt").read_text().splitlines():
            device_ns, recorded_ns, seen_ns, host_ns, uncertainty_ns = map(int, line.split())
            offset.observe(device_ns, recorded_ns, seen_ns)
            self.assertEqual((offset.to_host(device_ns), offset.uncertainty_ns(seen_ns + 250_000_000)), (host_ns, uncertainty_ns))

    def test_a_moment_is_dated_once_and_one_of_the_host_is_what_it_was(self):
        device = made_up_device.Device()
        clock = self.clock(device)
        device.work(3_000_000_000)
        moment, before_ns = clock.end_mark(), device.host_ns
        self.assertIsNone(clock.at(moment))
        self.assertLess(device.host_ns - before_ns, 200_000)
        device.host_ns += 4_000_000_000
        dated = clock.at(moment)
        device.host_ns += 4_000_000_000
        self.assertEqual((clock.at(moment), clock.at(123)), (dated, 123))

    def test_while_a_graph_is_captured_events_are_neither_made_nor_asked(self):
        device = made_up_device.Device()
        clock = self.clock(device)
        before = clock.end_mark()
        device.host_ns += 1_000_000_000
        made, device.capturing = device.events, True
        self.assertEqual((clock.at(before), clock.mark(), clock.end_mark()), (None, device.host_ns, device.host_ns))
        device.capturing = False
        self.assertEqual(device.events, made)
        self.assertIsNotNone(clock.at(before))

    def test_short_steps_are_measured_in_parts_now_and_then(self):
        clock = self.clock(made_up_device.Device())
        measured = []
        for number in range(20):
            clock.begin_step(number, 1_000_000)
            measured.append(clock.mark() is not None)
            self.assertIsNotNone(clock.end_mark())
        self.assertEqual(sum(measured), 2)
        self.assertTrue(clock.sampled)


if __name__ == "__main__":
    unittest.main()
