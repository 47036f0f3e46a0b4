"""Profiles a few steps with torch's own profiler during a run, on request: a file in the run folder has the first step and the
number of steps, so that all ranks profile the same ones. It begins and ends between two steps on the training thread, since
torch crashes if a profile ends on another thread or is active at the end of the program. Those steps take longer but compute the
same, and the time to begin and to write belongs to no step."""

import atexit
import json
import os
import threading
import time
from typing import Any, Dict, Optional, Tuple

from . import _library, _records

_PATH = os.environ["RINGSIDE_RUN_DIR"] + "/profile_request" if os.environ.get("RINGSIDE_RUN_DIR") else ""
_ATTEMPT = int(os.environ.get("RINGSIDE_ATTEMPT", "0"))
_MOST_STEPS = 1000
_MOST_BYTES = 64

wanted: Optional[Tuple[int, int]] = None  # the first step, and one after the last
_asked: Any = None  # modification time of the last request
_profile: Any = None


def look() -> None:
    """Reads the request. A missing file means that it was withdrawn; an incomplete one is read again."""
    global wanted, _asked
    if _profile is not None:
        return
    try:
        with open(_PATH, "rb") as file:
            about = os.fstat(file.fileno())
            attempt, first, steps = map(int, file.read(_MOST_BYTES).split())
    except OSError:
        wanted = None
        return
    except ValueError:
        return
    asked = about.st_ino, about.st_mtime_ns
    if asked != _asked and attempt == _ATTEMPT and 0 < steps <= _MOST_STEPS:
        wanted = first, first + steps
    _asked = asked


def between(session: Any) -> None:
    """Called between two steps: the time that a profile takes here belongs to neither."""
    global wanted, _profile
    asked, steps = wanted, session.steps
    if _profile is not None:
        asked = _profile.asked
    if asked is None or steps.number < asked[_profile is not None]:
        return
    try:
        if _profile is None:
            if steps.number > asked[0]:
                raise RuntimeError(f"step {asked[0]} was over before it was asked for")
            _profile = _Profile(asked, bool(session.clock.patience_ns))
        elif _profile.ended_here():
            profile, _profile, wanted = _profile, None, None
            profile.keep(session.speaker)
    except Exception as error:
        profile, _profile, wanted = _profile, None, None
        if profile is not None:
            profile.drop()
        session.speaker.notice(_records.WARNING, "profile", f"steps {asked[0]} to {asked[1] - 1} are not profiled: {error}")
    steps.follows = steps.follows and session.clock.end_mark()


class _Profile:
    def __init__(self, asked: Tuple[int, int], on_gpu: bool) -> None:
        import torch
        from torch.autograd import profiler
        from torch.profiler import ProfilerActivity, profile

        if torch.autograd._profiler_enabled():
            raise RuntimeError("the program profiles itself")
        self.asked = asked
        self._thread = threading.current_thread()
        self._given_up = False
        self._replaced: Dict[str, Any] = {}
        self._module = profiler
        kinds = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
        try:
            self._torchs = profile(activities=kinds, acc_events=True)  # newer versions warn without acc_events
        except TypeError:
            self._torchs = profile(activities=kinds)
        self._torchs.start()
        self._runs = True
        atexit.register(self.drop)
        try:
            for name in ("_prepare_profiler", "_enable_profiler"):
                self._replaced[name] = getattr(profiler, name)
                setattr(profiler, name, self._giving_way(self._replaced[name]))
            since = time.time_ns() - time.monotonic_ns()
            self._torchs.add_metadata_json("ringside", json.dumps({"first_step": asked[0], "wall_minus_mono_ns": since}))
        except BaseException:
            self.drop()
            raise

    def _giving_way(self, original: Any) -> Any:
        def begin(*args: Any, **kwargs: Any) -> Any:
            """Ends our profile, since two profiles would cancel each other: the program's own takes precedence."""
            self._given_up = True
            self.drop()
            return original(*args, **kwargs)

        return begin

    def ended_here(self) -> bool:
        """Whether it can be ended on this thread, now."""
        if self._given_up:
            raise RuntimeError("the program began a profile of its own")
        if self._thread is not threading.current_thread():
            if self._thread.is_alive():
                return False
            raise RuntimeError("the thread that trained has ended")
        return True

    def keep(self, speaker: Any) -> None:
        first, last = self.asked[0], self.asked[1] - 1
        path = os.path.join(_library.rank_folder(speaker.rank), f"profile_{first}.json")
        made = os.path.join(os.path.dirname(path), f".profile_{first}.json")  # renamed when complete, so that readers only see a whole file
        self._stop()
        self._torchs.export_chrome_trace(made)
        os.chmod(made, 0o600)
        os.replace(made, path)
        speaker.notice(_records.INFO, "profile", f"Steps {first} to {last} were profiled and took longer for it: "
                       f"{os.sep.join(path.split(os.sep)[-3:])}")

    def drop(self) -> None:
        try:
            self._stop()
        except Exception:
            pass

    def _stop(self) -> None:
        if not self._runs:
            return
        self._runs = False
        atexit.unregister(self.drop)
        for name, original in self._replaced.items():
            setattr(self._module, name, original)
        self._torchs.stop()
