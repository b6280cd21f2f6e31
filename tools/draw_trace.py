#!/usr/bin/env python3
"""Draws a part of a trace (mpiexec --trace) as a picture for a page.

    tools/draw_trace.py TRACE.json FIRST LAST > picture.svg     microseconds since the first event

Above: which rank runs on which worker. Below: the calls of each rank (waits in a light colour), and messages as arrows.
"""
import json
import sys

RANKS, FIRST_WORKERS, THREADS = 1, 1000, 4096  # src/exec/observe/trace_file.cpp
WIDTH, LEFT, ROW, BAR = 900, 90, 34, 20
COLORS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d"]
GRAY, DARK = "#bbbbbb", "#555555"


def rows_of(events):
    """(pid, tid) -> its row, workers first."""
    tracks = {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}
    return {track: row for row, track in enumerate(sorted(tracks, key=lambda t: (t[0] == RANKS, t)))}


class Picture:
    def __init__(self, events, first, last):
        begin = min(e["ts"] for e in events if "ts" in e)
        self.first, self.last = begin + first, begin + last
        self.rows = rows_of(events)
        self.lines = []
        height = ROW * len(self.rows) + 40
        self.add(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
                 f'font-family="sans-serif" font-size="11"><rect width="{WIDTH}" height="{height}" fill="white"/>')
        self.add('<defs><marker id="tip" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">'
                 '<path d="M0,0 L6,3 L0,6 z"/></marker></defs>')

    def add(self, line):
        self.lines.append(line)

    def x(self, at):
        at = min(max(at, self.first), self.last)
        return LEFT + (at - self.first) / (self.last - self.first) * (WIDTH - LEFT - 10)

    def y(self, event):
        return 8 + ROW * self.rows[event["pid"], event["tid"]]

    def visible(self, event):
        return event["ts"] < self.last and event["ts"] + event.get("dur", 0) > self.first

    def bar(self, event, color, inset=0):
        left, right = self.x(event["ts"]), self.x(event["ts"] + event["dur"])
        self.add(f'<rect x="{left:.1f}" y="{self.y(event) + inset}" width="{max(right - left, 0.4):.1f}" '
                 f'height="{BAR - 2 * inset}" fill="{color}"/>')

    def name(self, event):
        left, right = self.x(event["ts"]), self.x(event["ts"] + event["dur"])
        name = event["name"].removeprefix("MPI_")
        if right - left > 6.5 * len(name):
            self.add(f'<text x="{(left + right) / 2:.1f}" y="{self.y(event) + 14}" text-anchor="middle">{name}</text>')

    def draw(self, events):
        for (pid, tid), row in self.rows.items():
            label = f"rank {tid // THREADS}" if pid == RANKS else f"worker {tid}"
            self.add(f'<text x="6" y="{22 + ROW * row}">{label}</text>')
        spans = [e for e in events if e["ph"] == "X" and self.visible(e)]
        for event in (e for e in spans if e["cat"] != "wait"):
            rank = int(event["name"].split()[1]) if event["cat"] == "run" else 0
            self.bar(event, COLORS[rank % len(COLORS)] if event["cat"] == "run" else DARK)
        for event in (e for e in spans if e["cat"] == "wait"):
            self.bar(event, GRAY, 4)
        for event in (e for e in spans if e["cat"] != "wait"):
            self.name(event)
        tails = {e["id"]: e for e in events if e["ph"] == "s"}
        for head in (e for e in events if e["ph"] == "f" and self.visible(e)):
            tail = tails.get(head["id"])
            if tail is None or not self.visible(tail):
                continue
            self.add(f'<line x1="{self.x(tail["ts"]):.1f}" y1="{self.y(tail) + BAR / 2}" x2="{self.x(head["ts"]):.1f}" '
                     f'y2="{self.y(head) + BAR / 2}" stroke="black" stroke-width="0.8" marker-end="url(#tip)"/>')
        bottom = 8 + ROW * len(self.rows) + 14
        self.add(f'<text x="{LEFT}" y="{bottom}">0</text><text x="{WIDTH - 10}" y="{bottom}" text-anchor="end">'
                 f'{self.last - self.first:.0f} us</text></svg>')
        return "\n".join(self.lines)


def main():
    with open(sys.argv[1]) as file:
        events = json.load(file)["traceEvents"]
    print(Picture(events, float(sys.argv[2]), float(sys.argv[3])).draw(events))


main()
