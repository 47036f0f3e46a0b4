#!/usr/bin/env python3
"""A frame of pyqtgraph with the values of frame_bench: sets all series again, draws them, and waits for the X server.

Run by frame_bench.py under a display, with a Python that has pyqtgraph and PyQt5. Prints one line of JSON: milliseconds of
wall time and of processor time of a frame, by case. With --try it only opens the display.
"""

import json
import statistics
import sys
import time

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt import QtWidgets

WIDTH, HEIGHT = 1920, 1000
CASES = [("8x3800", 8, 3800, 15), ("64x3800", 64, 3800, 9), ("8x1M", 8, 1_000_000, 7)]


def values(series, points):
    at = np.arange(points) / points
    noise = ((np.arange(points, dtype=np.int64) * 7919 + series * 104729) % 997) / 997.0 - 0.5
    return (2 * np.exp(-3 * at) + 0.1 * (series % 8) + 0.15 * noise).astype(np.float32)


def main():
    application = QtWidgets.QApplication(sys.argv[:1])
    if "--try" in sys.argv:
        return
    measured = {}
    for name, count, points, rounds in CASES:
        widget = pg.PlotWidget()
        widget.resize(WIDTH, HEIGHT)
        # This is its fastest way to draw long lines: reduced to the peaks of the visible part.
        widget.setDownsampling(auto=True, mode="peak")
        widget.setClipToView(True)
        data = [values(s, points) for s in range(count)]
        x = np.arange(points, dtype=np.float32)
        curves = [widget.plot(x, y, pen=pg.mkPen(pg.intColor(s, count), width=1)) for s, y in enumerate(data)]
        widget.show()
        application.processEvents()
        wall, cpu = [], []
        for _ in range(rounds + 1):
            begin, begin_cpu = time.perf_counter(), time.process_time()
            for curve, y in zip(curves, data):
                curve.setData(x, y)
            widget.viewport().repaint()
            application.processEvents()
            wall.append((time.perf_counter() - begin) * 1e3)
            cpu.append((time.process_time() - begin_cpu) * 1e3)
        measured[name] = {"ms": statistics.median(wall[1:]), "cpu_ms": statistics.median(cpu[1:])}
        widget.close()
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
