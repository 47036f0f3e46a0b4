"""Contents and build tools of one of our packages, as CycloneDX 1.6, from `ringside --version --json` and from the lock files. The same
input gives the same bytes.

sbom.py PROGRAM LOCK... prints it for a package with all libraries of the build; PROGRAM is its `ringside`, a LOCK the name of a lock
file. Components that are not in the package, such as build tools, have the scope `excluded`."""

import json
import re
import subprocess
import sys
from pathlib import Path

CMAKE = Path(__file__).resolve().parents[1]


def facts_of(program):
    return json.loads(subprocess.run([program, "--version", "--json"], check=True, capture_output=True, text=True).stdout)


def locked(name):
    """(package, version, its Python versions, its hashes) of each entry."""
    text = (CMAKE / "lock" / f"{name}.txt").read_text().replace("\\\n", " ")
    for match in re.finditer(r"^([\w.-]+)==([\w.+]+)(?: *; *(.*?))? +(--hash.*)$", text, re.M):
        yield match[1], match[2], match[3] or "", re.findall(r"sha256:([0-9a-f]{64})", match[4])


def imgui():
    version, digest = re.findall(r"^set\(imgui_(?:version|sha256) (\S+)\)", (CMAKE / "imgui_parts.cmake").read_text(), re.M)
    return "imgui-bundle", version, "", [digest]


def licences(text):
    return [{"license": {"id" if re.fullmatch(r"[A-Za-z0-9.+-]+", text) and not text.endswith("-like") else "name": text}}]


def library(fact):
    return {"type": "library", "bom-ref": f"ringside:{fact['name']}", "name": fact["name"], "version": fact["version"],
            "scope": "required", "licenses": licences(fact["licence"])}


def package(entry, scope):
    name, version, pythons, digests = entry
    address = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
    found = {"type": "library", "bom-ref": address, "name": name, "version": version, "scope": scope, "purl": address,
             "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests]}
    return found | ({"properties": [{"name": "ringside:pythons", "value": pythons}]} if pythons else {})


def bill(name, facts, locks, inside=()):
    """Components of the package `name`; `inside`: the locked packages that contribute parts."""
    entries = sorted({entry[:2]: entry for lock in locks for entry in locked(lock)}.values())
    parts = [library(fact) for fact in facts["libraries"]]
    if any(part["name"] == "Dear ImGui" for part in parts):
        parts.append(package(imgui(), "required"))
    parts += [package(entry, "required" if entry[0] in inside else "excluded") for entry in entries]
    about = {"type": "application", "bom-ref": name, "name": name, "version": facts["version"], "licenses": licences("MIT"),
             "properties": [{"name": f"ringside:{key}", "value": facts[key]} for key in ("commit", "compiler") if facts[key]]}
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": about}, "components": parts},
                      indent=1) + "\n"


if __name__ == "__main__":
    print(bill("ringside", facts_of(sys.argv[1]), sys.argv[2:]), end="")
