"""Promise R8 for a script whose process has no thread, memory or file descriptor to spare, or loses them: it trains to
its end with its own exit code, and prints at most one line. With the real library and a fake agent. No torch."""

import argparse
import json
import os
import re
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PRODUCT = Path(__file__).resolve().parents[3] / "trainer" / "python"
SCRIPT = """
import atexit, os, resource, select, signal, socket, sys
import ringside_rank as rs
def spare(what, more):
    resource.setrlimit(what, (more, resource.getrlimit(what)[1]))
def look_into(pairs):
    for one in sum(pairs, ()):
        if select.select([one], [], [], 0)[0]: print(one.recv(99), flush=True)
{before}
for step in range(6):
    rs.step(loss=1.0, samples=4)
    rs.log(weight=2.0)
    if step == 2:
{between}
with rs.evaluating(0) as result:
    result.add(0.5, 3, 4)
print("END", rs.stop_requested())
sys.exit(7)
"""
HEAD = struct.Struct("<4sHHQiiQQIIiI")
HELLO, GOODBYE, GOODBYE_ACK = 1, 3, 4


class Agent:
    """Listens for ranks without ZeroMQ. `heard`: kinds of the received frames."""

    def __init__(self, run, answers=True, closes=False):
        (run / "attempt_0" / "rank_0").mkdir(parents=True)
        self.heard, self.answers, self.closes = [], answers, closes
        (run / "agent.json").write_text(json.dumps({
            "version": 1, "run_id": run.name, "run_token": "00000000000000aa", "agent_pid": os.getpid(), "agent_start_ticks": 1,
            "telemetry_endpoint": "tcp://127.0.0.1:9", "viewer_endpoint": "tcp://127.0.0.1:9",
            **{f"{name}_key": "0" * 40 for name in ("server_public", "client_public", "client_secret")}}))
        os.chdir(run)
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind("agent.sock")
        os.chdir("/")
        self.listening.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                one, _ = self.listening.accept()
            except OSError:
                return
            with one:
                self.listen_to(one)

    def listen_to(self, one):
        while True:
            head = one.recv(HEAD.size, socket.MSG_WAITALL)
            if len(head) < HEAD.size:
                return
            magic, _, kind, token, *rest, size, attempt, zero = HEAD.unpack(head)
            assert magic == b"RSWF" and token == 0xaa
            assert len(one.recv(size, socket.MSG_WAITALL)) == size
            self.heard.append(kind)
            if self.closes:
                return
            if kind == GOODBYE and self.answers:
                one.sendall(HEAD.pack(magic, 1, GOODBYE_ACK, token, *rest, 0, attempt, zero))

    def close(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.thread.join(20)
        self.listening.close()


class Want(unittest.TestCase):
    library = ""
    no_thread, no_file, left_behind = "no thread can be made: ", re.escape("agent.sock: No such file"), "unsent.log"

    def run_script(self, before="", between="pass", in_child=None, **agent):
        """Runs the script; returns its errors, the received frames, and the files of the rank."""
        with tempfile.TemporaryDirectory() as base:
            run = Path(base) / "run"
            one = Agent(run, **agent)
            env = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "TORCHELASTIC_"))}
            env.update(RANK="0", WORLD_SIZE="1", RINGSIDE_RUN_DIR=str(run), RINGSIDE_ATTEMPT="0", RINGSIDE_NODE="0", RINGSIDE_RANK="0/1",
                       RINGSIDE_RANK_LIBRARY=self.library, RINGSIDE_INSTRUMENT="1", PYTHONPATH=os.pathsep.join([str(PRODUCT / "inject"), str(PRODUCT)]))
            code = SCRIPT.format(before=before, between="        " + between)
            done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True, timeout=60,
                                  preexec_fn=in_child)
            one.close()
            self.assertEqual((done.returncode, done.stdout), (7, "END False\n"), done.stderr)
            return done.stderr, one.heard, sorted(path.name for path in (run / "attempt_0" / "rank_0").iterdir())

    def assert_untold(self, said, why):
        errors, heard, left = said
        self.assertRegex(errors, rf"\Aringside_rank: this rank reports nothing: [^\n]*{why}[^\n]*\n\Z")
        self.assertNotIn(GOODBYE, heard)
        self.assertNotIn("speaker", left)

    def assert_told(self, said):
        errors, heard, _ = said
        self.assertEqual(errors, "")
        self.assertEqual((heard[0], heard[-1]), (HELLO, GOODBYE))

    def test_with_all_it_needs_it_is_told_without_a_library_that_would_end_it(self):
        self.assert_told(self.run_script(between="assert 'libzmq' not in open('/proc/self/maps').read()"))

    def test_no_thread_can_be_made(self):
        # Each thread would get a stack of that size, for which there is no room.
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        said = self.run_script(in_child=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 46, hard)))
        self.assert_untold(said, self.no_thread)

    def test_memory_is_short_at_any_point(self):
        """Limits from too little for anything to enough for everything."""
        for more in (4, 8, 12, 16, 20, 32, 128, 512):
            with self.subTest(MB=more):
                size = "int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()"
                said = self.run_script(f"spare(resource.RLIMIT_AS, {size} + ({more} << 20))")
                self.assertLessEqual(said[0].count("\n"), 1)
        self.assert_told(said)

    def test_memory_becomes_short_later(self):
        size = "int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()"
        self.assertEqual(self.run_script(between=f"spare(resource.RLIMIT_AS, {size} + (1 << 20))")[0], "")

    def test_memory_becomes_short_before_a_thread_that_was_started_has_begun(self):
        """The thread begins as soon as the main thread releases the interpreter, but by itself only after that many
        seconds."""
        before = "sys.setswitchinterval(1000)"
        self.assertEqual(self.run_script(before, between="spare(resource.RLIMIT_AS, 1 << 20)")[0], "")

    def test_descriptors_are_short_at_any_point(self):
        for more in range(12):
            with self.subTest(more=more):
                said = self.run_script(f"spare(resource.RLIMIT_NOFILE, {more} + max(map(int, os.listdir('/proc/self/fd'))))")
                self.assertLessEqual(said[0].count("\n"), 1)
        self.assert_told(said)

    def test_descriptors_run_out_later(self):
        self.assert_told(self.run_script(between="spare(resource.RLIMIT_NOFILE, 3)"))

    def test_descriptors_have_run_out_when_the_interpreter_ends_a_thread(self):
        """The thread tries to continue while modules are finalized."""
        before = """
import time
from ringside_rank import _library
def turn():
    while True: time.sleep(0.001)
_library.start_thread(turn)
class Slow:
    def __del__(self, sleep=time.sleep): sleep(0.2)
slow = Slow()
"""
        self.assert_told(self.run_script(before, between="spare(resource.RLIMIT_NOFILE, 3)"))

    def test_it_forks_and_its_children_end_as_they_like(self):
        between = "children = [os.fork() for _ in range(2)]; 0 in children and (rs.step(loss=2.0), rs.log(a=1), sys.exit(0)); [os.waitpid(c, 0) for c in children]"
        self.assert_told(self.run_script(between=between))

    def test_it_closes_all_descriptors_and_opens_others_under_their_numbers(self):
        between = "os.closerange(3, 100); pairs += [socket.socketpair() for _ in range(20)]"
        errors, heard, left = self.run_script("pairs = []; atexit.register(look_into, pairs)", between)
        self.assertNotIn(GOODBYE, heard)
        self.assertEqual(errors, "")
        self.assertIn(self.left_behind, left)

    def test_the_agent_goes_and_SIGPIPE_would_end_the_script(self):
        errors, _, left = self.run_script("signal.signal(signal.SIGPIPE, signal.SIG_DFL)", closes=True)
        self.assertEqual(errors, "")
        self.assertIn(self.left_behind, left)

    def test_the_agent_does_not_answer(self):
        errors, heard, left = self.run_script(answers=False)
        self.assertEqual((errors, heard[-1]), ("", GOODBYE))
        self.assertIn(self.left_behind, left)

    def test_nobody_listens(self):
        said = self.run_script("os.unlink(os.environ['RINGSIDE_RUN_DIR'] + '/agent.sock')")
        self.assert_untold(said, self.no_file)


class WantInPython(Want):
    """Tests for a library that cannot be loaded."""

    no_thread, no_file, left_behind = "can't start new thread", "No such file", "speaker"

    def setUp(self):
        self.library = "/none/libringside_rank.so"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    given, rest = parser.parse_known_args()
    Want.library = os.path.abspath(given.library)
    unittest.main(argv=[sys.argv[0], *rest])
