"""Saves PyTorch's flight recorder of this rank in its output folder when no step ends: every collective that c10d recorded, with
its state. This is evidence independent of our records. Reading it holds the GIL for up to 80 ms, so it is done at most once per
step, and only after a long silence."""

import json
import os
import sys
from typing import Any, Dict, List

from . import _library, _ras, _records

FILE = "flight_recorder.json"


def keep(speaker: Any, seconds: float) -> None:
    """Saves what PyTorch and NCCL know about this rank's position; only the first rank of a node queries NCCL."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_initialized():
        return
    _keep_recorder(torch, speaker, seconds)
    if "nccl" in str(torch.distributed.get_backend()) and os.environ.get("LOCAL_RANK", "0") == "0":
        _library.start_thread(_ras.keep, speaker)


def _keep_recorder(torch: Any, speaker: Any, seconds: float) -> None:
    """Writes the file and posts a notice about its last entries. Does nothing if this torch has no recorder, or if that is
    empty."""
    text, entries = b"", []
    for name in ("_dump_nccl_trace_json", "_dump_fr_trace_json"):  # the second one has only Gloo's collectives
        dump = getattr(torch._C._distributed_c10d, name, None)
        if dump is not None and not entries:
            text = bytes(dump(True, False))
            entries = json.loads(text).get("entries") or []
    if not entries:
        return
    path = os.path.join(_library.rank_folder(speaker.rank), FILE)
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    speaker.notice(_records.INFO, "flight_recorder",
                   f"PyTorch's flight recorder, after {seconds:.0f} s without a step: {_words(entries)}; all of it is in {os.sep.join(path.split(os.sep)[-3:])}")


def _words(entries: List[Dict[str, Any]]) -> str:
    """Describes the first incomplete collective, else the last one. Gloo's always stay "scheduled", so that state is not shown."""
    under_way = [one for one in entries if not one.get("retired")]
    entry = under_way[0] if under_way else entries[-1]
    name, group = entry.get("profiling_name", "a collective"), (entry.get("process_group") or ["", ""])
    number = entry.get("p2p_seq_id" if entry.get("is_p2p") else "collective_seq_id")
    state = entry.get("state", "unknown") if under_way and not str(name).startswith("gloo") else "under way" if under_way else "done"
    return f"{name} {number} of {group[-1] or group[0]} is {state}, {len(under_way)} of {len(entries)} that it holds are under way"
