#!/usr/bin/env python3
"""A fake `docker` for tests, without containers: a service starts each process with only the variables of --env, and so without an agent's marker.
FAKE_DOCKER is its socket. `fake_docker.py service` is the service; as `docker` the script supports `run` and `kill`."""

import array
import json
import os
import signal
import socket
import subprocess
import sys
import threading

WITH_VALUE = {"--env", "--volume", "--network", "--cidfile", "-w"}


def serve():
    running = {}
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.environ["FAKE_DOCKER"])
    listener.listen()
    print("listens", flush=True)

    def answer(peer):
        text, fds, _, _ = socket.recv_fds(peer, 1 << 20, 2)
        asked = json.loads(text)
        if "kill" in asked:
            if asked["kill"] in running:
                running[asked["kill"]].kill()
                running[asked["kill"]].wait()
            peer.sendall(b"0")
        else:
            child = subprocess.Popen(asked["argv"], env=asked["env"], stdin=subprocess.DEVNULL, stdout=fds[0], stderr=fds[1], start_new_session=True)
            running[asked["id"]] = child
            threading.Thread(target=pass_on, args=(peer, child), daemon=True).start()
            code = child.wait()
            for fd in fds:
                os.close(fd)
            try:
                peer.sendall(str(code).encode())
            except OSError:
                pass  # the command was killed
        peer.close()

    def pass_on(peer, child):
        while peer.recv(1):
            child.terminate()

    while True:
        peer, _ = listener.accept()
        threading.Thread(target=answer, args=(peer,), daemon=True).start()


def ask(what, fds=()):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(os.environ["FAKE_DOCKER"])
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    peer.sendmsg([json.dumps(what).encode()], ancillary)
    return peer


def run(words):
    values = {"PATH": "/usr/bin:/bin"}
    options = {}
    while words and words[0].startswith("-"):
        name = words.pop(0)
        value = words.pop(0) if name in WITH_VALUE else ""
        options.setdefault(name, []).append(value)
    for given in options.get("--env", []):
        name, equals, value = given.partition("=")
        if equals or name in os.environ:
            values[name] = value if equals else os.environ[name]
    values.pop("RINGSIDE_AGENT", None)
    values["FAKE_OPTIONS"] = json.dumps(options)
    own = f"c{os.getpid()}"
    for file in options.get("--cidfile", []):
        with open(file, "x", encoding="utf-8") as made:
            made.write(own)
    peer = ask({"id": own, "argv": words[1:], "env": values}, (1, 2))
    signal.signal(signal.SIGTERM, lambda *_: peer.sendall(b"t"))
    code = int(peer.recv(16) or b"125")
    sys.exit(code if code >= 0 else 128 - code)


if sys.argv[1] == "service":
    serve()
elif sys.argv[1] == "run":
    run(sys.argv[2:])
elif sys.argv[1] == "kill":
    ask({"kill": sys.argv[2]}).recv(1)
