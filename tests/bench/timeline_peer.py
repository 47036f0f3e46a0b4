#!/usr/bin/env python3
"""Opens the traces that `timeline_bench EVENTS FOLDER` left in FOLDER in Perfetto's page, in a browser on the same display,
and zooms and moves it as that bench does.

Run by timeline_bench.py with a Python that has viztracer, which brings Perfetto's page, and playwright. Prints one line of
JSON: seconds until the trace can be drawn, and milliseconds from one animation frame to the next.
"""

import functools
import http.server
import json
import os
import shutil
import statistics
import sys
import threading
import time
from pathlib import Path

import viztracer
from playwright.sync_api import sync_playwright

LONGEST_MS = 600_000

# Each step, as in timeline_bench, zooms in by a quarter around 0.4 of the width, then moves by 0.013 of it. A frame counts from
# the change to the next animation frame after the one in which it was drawn.
STEPS = """async () => {
  const next = () => new Promise(done => requestAnimationFrame(done));
  const timeline = app.trace.timeline;
  const took = [];
  const measure = async change => {
    await next();
    const begin = performance.now();
    change();
    await next();
    await next();
    took.push((performance.now() - begin) / 2);
  };
  for (let i = 0; i < 60; ++i) {
    await measure(() => timeline.zoomVisibleWindow(1 / 1.25, 0.4));
    await measure(() => timeline.panVisibleWindow(timeline.visibleWindow.duration * 0.013));
  }
  return took;
}"""


class Server(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_):
        pass


def join_traces(folder):
    """One file of all ranks, since the page opens one. Kernels have process 0 in each rank's file and get one of their own."""
    whole = folder / "all_ranks.json"
    with whole.open("wb") as out:
        out.write(b'{"traceEvents":[')
        for rank, path in enumerate(sorted(folder.glob("rank_*.json"))):
            with path.open("rb") as file:
                for line in file:
                    begin = line.find(b'"traceEvents":[')
                    line = line[begin + 15 :] if begin >= 0 else line
                    out.write(line.replace(b'"pid":0,', b'"pid":%d,' % (9000 + rank)).replace(b"{}]}", b""))
        out.write(b"{}]}")
    return whole


def measure(page, trace):
    page.wait_for_function("window.app !== undefined && document.querySelector('input.trace_file') !== null", timeout=LONGEST_MS)
    begin = time.perf_counter()
    page.set_input_files("input.trace_file", str(trace), timeout=LONGEST_MS)
    page.wait_for_function("app.trace !== undefined && !app.isLoadingTrace", timeout=LONGEST_MS)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    opened = time.perf_counter() - begin
    slices = page.evaluate("async () => Number((await app.trace.engine.query('select count(1) as n from slice')).firstRow({n: 0}).n)")
    frames = page.evaluate(STEPS)
    return {"open_s": opened, "events": slices, "frame_ms": statistics.median(frames), "worst_frame_ms": max(frames)}


def main():
    folder = Path(sys.argv[1])
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("neither chromium nor google-chrome is on the path", file=sys.stderr)
        return 2
    trace = join_traces(folder)
    handler = functools.partial(Server, directory=Path(viztracer.__file__).parent / "web_dist")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as tool:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        window = tool.chromium.launch(executable_path=browser, headless=False, args=arguments)
        page = window.new_page(viewport={"width": 1920, "height": 1000})
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        print(json.dumps(measure(page, trace)))
        if len(sys.argv) > 2:
            page.screenshot(path=sys.argv[2])
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
