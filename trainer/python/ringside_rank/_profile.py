"""Profiles a few steps with torch's own profiler while a run goes on, where a person asks for it: a file in the run's folder says from
which step on, and how many, so that all ranks profile the same ones. Begins and ends where an optimizer has stepped, in the thread that
trains, since torch crashes where a profile ends in another thread. Those steps take longer; they learn the same."""

import json
import os
import threading
import time
from typing import Any, Optional, Tuple

from . import _library, _records

FILE = "profile_request"
_MOST_STEPS = 1000
_MOST_BYTES = 64

wanted: Optional[Tuple[int, int]] = None  # the first step, and the one behind the last
_asked: Any = None  # the file that was read last
_profile: Any = None


def look(session: Any) -> None:
    """Reads what is asked for. Any thread."""
    global wanted, _asked
    try:
        with open(os.path.join(os.environ["RINGSIDE_RUN_DIR"], FILE), "rb") as file:
            about = os.fstat(file.fileno())
            asked = about.st_ino, about.st_mtime_ns
            if asked == _asked:
                return
            _asked = asked
            first, steps = map(int, file.read(_MOST_BYTES).split())
            if _profile is None and 0 < steps <= _MOST_STEPS:
                wanted = first, first + steps
    except FileNotFoundError:
        return
    except Exception:
        session.speaker.failed("profile")


def step(session: Any, which: int) -> None:
    """An optimizer has stepped."""
    global wanted, _profile
    steps, asked = session.steps, wanted
    if asked is None or steps.is_other(which) or not steps.ended:
        return
    try:
        first, behind = asked
        if _profile is not None and _profile.thread != threading.get_ident():
            return
        if _profile is None and steps.number >= first - 1:
            if steps.number >= first:
                raise RuntimeError(f"step {first} was over before it was asked for")
            _profile = _begun(first)
        elif _profile is not None and steps.number >= behind - 1:
            profile, _profile, wanted = _profile, None, None
            if profile.given_up:
                raise RuntimeError("the program began a profile of its own")
            profile.stop()
            _kept(session.speaker, profile, first, behind - 1)
    except Exception as error:
        _profile = wanted = None
        session.speaker.notice(_records.WARNING, "profile", f"steps {asked[0]} to {asked[1] - 1} are not profiled: {error}")


def _begun(first: int) -> Any:
    import torch
    from torch.autograd import profiler
    from torch.profiler import ProfilerActivity, profile

    if torch.autograd._profiler_enabled():
        raise RuntimeError("the program profiles itself")
    kinds = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * torch.cuda.is_available()
    made = profile(activities=kinds)
    made.given_up, made.thread = False, threading.get_ident()
    made.start()
    made.add_metadata_json("ringside", json.dumps({"first_step": first, "wall_minus_mono_ns": time.time_ns() - time.monotonic_ns()}))
    theirs = profiler.profile._prepare_trace

    def prepare(one: Any) -> Any:
        """Two profiles would cancel each other: the program's own is the one that stays."""
        if not made.given_up and one is not made.profiler and _profile is made:
            made.given_up = True
            made.stop()
        return theirs(one)

    profiler.profile._prepare_trace = prepare
    stop = made.stop

    def stopped() -> None:
        profiler.profile._prepare_trace = theirs
        stop()

    made.stop = stopped
    return made


def _kept(speaker: Any, profile: Any, first: int, last: int) -> None:
    folder = _library.rank_folder(speaker.rank)
    path = os.path.join(folder, f"profile_{first}.json")
    made = os.path.join(folder, f".profile_{first}.json")  # whoever waits for the file finds it whole
    profile.export_chrome_trace(made)
    os.chmod(made, 0o600)
    os.replace(made, path)
    speaker.notice(_records.INFO, "profile", f"Steps {first} to {last} were profiled and took longer for it: "
                   f"{os.sep.join(path.split(os.sep)[-3:])}")
