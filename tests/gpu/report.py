"""Results of a day on a GPU as Markdown: report.py FOLDER [--into RESULTS.md], where they replace the previous
section."""

import argparse
import json
import re
from pathlib import Path

HEADING = "## On a GPU"


def text_of(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def section(results):
    gpu = next((one["value"] for result in results for one in result["measures"] if one["name"] == "gpu"), "unknown")
    lines = [HEADING, "", f"GPU, driver, MiB, compute capability: {gpu}. Made by `./dev gpu-day report`.", "",
             "| Stage | Outcome | s | Passes where | Measured |", "|---|---|---|---|---|"]
    for result in results:
        measured = [f"{one['name']}: {text_of(one['value'])}" for one in result["measures"]]
        cells = [f"`{result['stage']}`", result["outcome"], str(result["seconds"]), result["rule"],
                 "; ".join(([result["why"]] if result["why"] else []) + measured)]
        lines.append("| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with results.jsonl, or with folders that have one")
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    files = sorted(options.folder.rglob("results.jsonl"))
    if not files:
        parser.error(f"no results.jsonl in {options.folder}")
    results = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    text = section(results)
    if not options.into:
        print(text, end="")
        return
    if rehearsed := sorted({result["on"] for result in results} - {"gpu"}):
        parser.error(f"{options.folder} has results of a rehearsal ({', '.join(rehearsed)}), which say nothing of a GPU")
    before = options.into.read_text()
    start = before.find(HEADING + "\n")
    if start < 0:
        options.into.write_text(before.rstrip("\n") + "\n\n" + text)
        return
    following = re.search(r"^## ", before[start + len(HEADING):], re.MULTILINE)
    end = start + len(HEADING) + following.start() if following else len(before)
    options.into.write_text(before[:start] + text + ("\n" if following else "") + before[end:])


if __name__ == "__main__":
    main()
