"""Profiles requested by a file: the same steps on each rank, and unchanged training results. Exit code 77: this Python
has no torch."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

import ranks  # noqa: E402

STEPS = 14  # in two epochs of 97 samples, with batches of 8 on two ranks


def trained(asked, *arguments, script="plain.py"):
    """Results of two ranks that find `asked` in the run's folder, and their profiles, by rank and first step."""
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        for rank in range(2):
            os.makedirs(f"{folder}/attempt_0/rank_{rank}")
        if asked is not None:
            Path(folder, "profile_request").write_text(asked, encoding="utf-8")
        results = ranks.run(script, "--delay", "forward:0.05", *arguments, RINGSIDE_RUN_DIR=folder)
        left = {}
        for rank in range(2):
            for file in Path(folder, "attempt_0", f"rank_{rank}").glob("profile_*.json"):
                left[rank, file.name] = json.loads(file.read_text(encoding="utf-8"))
                assert file.stat().st_mode & 0o77 == 0, file
        return results, left


class Profiles(unittest.TestCase):
    def notices(self, results, code="profile"):
        for result in results:
            self.assertEqual(result.code, 0, result.errors[-2000:])
        return [[one["text"] for one in result.said["notice"] if one["code"] == code] for result in results]

    def test_the_steps_that_are_asked_for_are_profiled_on_each_rank_and_learn_the_same(self):
        weights = []
        for asked in (None, "0 8 3\n"):
            with tempfile.TemporaryDirectory() as folder:
                results, left = trained(asked, "--out", folder + "/w")
                weights.append([torch.load(f"{folder}/w.{rank}") for rank in range(2)])
            self.assertEqual([[step["step"] for step in result.said["step"]] for result in results], [list(range(STEPS))] * 2)
            if asked is None:
                self.assertEqual((left, self.notices(results)), ({}, [[], []]))
        self.assertEqual(set(left), {(0, "profile_8.json"), (1, "profile_8.json")})
        for rank, said in enumerate(self.notices(results)):
            self.assertEqual(said, [f"Steps 8 to 10 were profiled and took longer for it: attempt_0/rank_{rank}/profile_8.json"])
            profile = left[rank, "profile_8.json"]
            self.assertEqual(profile["ringside"]["first_step"], 8)
            forwards = [one for one in profile["traceEvents"] if one.get("name") == "DistributedDataParallel.forward"]
            self.assertEqual(len(forwards), 3)
            base = profile["baseTimeNanoseconds"] - profile["ringside"]["wall_minus_mono_ns"]
            steps = {one["step"]: one for one in results[rank].said["step"]}
            for number, event in zip((8, 9, 10), forwards):  # on the clock of the records
                at_ns = base + event["ts"] * 1e3
                self.assertTrue(steps[number]["at_ns"] - steps[number]["step_ns"] <= at_ns <= steps[number]["at_ns"] + 1e6, number)
        for one, other in zip(weights[0], weights[1]):
            for name, value in one.items():
                self.assertTrue(torch.equal(value, other[name]), name)

    def test_steps_that_are_over_are_not_profiled_and_it_is_said(self):
        results, left = trained("0 0 1\n")
        self.assertEqual(left, {})
        self.assertEqual(self.notices(results), [["steps 0 to 0 are not profiled: step 0 was over before it was asked for"]] * 2)

    def test_a_file_that_says_something_else_ends_nothing(self):
        for asked in ("", "{", "0 8", "0 8 3 1", "0 8 1000000000", "1 8 3"):
            results, left = trained(asked)
            self.assertEqual(left, {})
            self.assertEqual([len(result.said["step"]) for result in results], [STEPS] * 2)

    def test_a_program_that_ends_while_it_is_profiled_ends_as_it_would(self):
        results, left = trained("0 8 100\n")
        self.assertEqual((left, self.notices(results)), ({}, [[], []]))
        for result in trained("0 8 100\n", "--raise-at", "10")[0]:
            self.assertEqual((result.code, "RuntimeError: as asked" in result.errors), (1, True), result.errors[-500:])

    def test_a_program_that_profiles_itself_has_its_own_profile(self):
        for way in ("kineto", "itt"):
            with self.subTest(way):
                results, left = trained("0 8 3\n", "--way", way, script="profiles_itself.py")
                self.assertEqual(self.notices(results), [["steps 8 to 10 are not profiled: the program began a profile of its own"]] * 2)
                self.assertEqual(left, {})
                self.assertEqual([result.lines("PROFILED") for result in results], [[["PROFILED", "4"]]] * 2)


if __name__ == "__main__":
    unittest.main()
