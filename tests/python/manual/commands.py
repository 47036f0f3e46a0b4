"""Checks the commands in the manual against the help of the programs."""

import json
import re
import shlex
import subprocess
from collections import namedtuple

PLACEHOLDERS = {"RUN", "DIR", "RUN_FOLDER"}
FILES = {"train.py"}
HOSTS = {"ssh://box", "ssh://me@box"}
STUDIES = {"S-01"}
OTHERS = {"export", "cmake", "ssh", "ssh-add", "apt", "salloc", "srun", "python", "pip", "torchrun", "accelerate"}  # not our programs
RUN_NAMES = {"RUN", "last"}
# The kind of the positional arguments of a command; commands that are not listed have none.
WORDS = {"run": "recipe", "sweep": "study", "ab": "compared", "try": "compared", "show": "run", "tail": "run", "stop": "run", "resume": "run", "label": "run", "delete": "run", "rm": "run", "restore": "run",
         "stack": "run", "profile": "run", "timeline": "any", "export": "run", "report": "run", "compare": "run", "gate": "run", "what-if": "run", "reproduce": "run", "watch": "folder", "import": "imported", "attach": "host", "machines": "host",
         "help": "any", "completion": "any", "tag": "any", "rename": "any"}

Option = namedtuple("Option", "value")  # whether it has a value
Line = namedtuple("Line", "number words comment text")


class Programs:
    """The commands, options and names that the built programs list."""

    def __init__(self, folder, dev):
        self.folder, self.helps = folder, {}
        self.commands = set(re.findall(r"^  ([a-z][a-z-]*)(?:\s|$)", section(self.help("ringside"), "Subcommands"), re.M))
        self.data = set(re.findall(r"^  ([a-z]+)\s", section(self.help("ringside", "data"), "Subcommands"), re.M))
        presets = json.loads(self.output("ringside", "presets", "--json"))
        self.presets = {preset["name"] for preset in presets}
        self.settings = {one["key"] for one in json.loads(self.output("ringside", "presets", "--settings", "--json"))}
        self.studies = {path.stem for path in (dev.parent / "assets/studies").glob("*.toml")}
        told = subprocess.run([dev, "help"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.dev = set(re.findall(r"^  ([a-z]+)(?:\s|$)", told, re.M))

    def output(self, program, *words):
        done = subprocess.run([self.folder / program, *words], capture_output=True, text=True, timeout=60)
        return done.stdout

    def help(self, *words):
        if words not in self.helps:
            self.helps[words] = self.output(*words, "--help")
        return self.helps[words]

    def options(self, *words):
        """Options of a program and its commands, by name."""
        found = {}
        for names, rest in re.findall(r"^ {1,12}((?:-{1,2}[a-z][\w-]*,? *)*-{1,2}[a-z][\w-]*)(.*)$", self.help(*words), re.M):
            value = re.match(r" (?!Excludes:|Needs:|REQUIRED)\S", rest)
            found.update((name, Option(bool(value))) for name in re.split(r", *", names))
        return found

    def all_options(self):
        pages = [("ringside",), ("ringside-agent",), *(("ringside", one) for one in sorted(self.commands)),
                 *(("ringside", "data", one) for one in sorted(self.data))]
        return {name for words in pages for name in self.options(*words)}


def section(text, title):
    found = re.search(rf"^{title}:[^\n]*\n(.*?)(?=^\S|\Z)", text, re.M | re.S | re.I)
    return found[1] if found else ""


def read_line(number, text):
    """Parses a line of a `sh` block; None if it is empty. Raises ValueError if it cannot be parsed."""
    words = shlex.split(text, comments=True)
    comment = re.search(r"(?:^|\s)#\s(.*)$", text)
    return Line(number, words, comment[1] if comment else "", text) if words else None


def read_block(block):
    lines = (read_line(number, text) for number, text in block.lines)
    return [line for line in lines if line]


def placeholder_problems(words):
    for word in words:
        for host in re.findall(r"ssh://[^\s]+", word):
            if host not in HOSTS:
                yield f"{host} is not one of {sorted(HOSTS)}"
        for study in re.findall(r"\bS-\d+\b", word):
            if study not in STUDIES:
                yield f"{study} is not one of {sorted(STUDIES)}"
        if word.endswith(".py") and word not in FILES:
            yield f"{word} is not one of {sorted(FILES)}"
        # NAME in NAME=value is a variable, and so is $NAME.
        for name in re.findall(r"(?<![\w$-])[A-Z][A-Z_]+(?![\w=-])", word):
            if name not in PLACEHOLDERS:
                yield f"{name} is not one of {sorted(PLACEHOLDERS)}"


class Checker:
    def __init__(self, programs):
        self.programs = programs
        self.known = programs.all_options()

    def check(self, page):
        for block in page.blocks:
            if block.info != "sh":
                continue
            for number, text in block.lines:
                for problem in self.line_problems(number, text):
                    yield page.problem("command", number, f"{text.strip()}: {problem}")
        for number, code in page.inline_code():
            for problem in self.inline_problems(code):
                yield page.problem("command", number, f"`{code}`: {problem}")

    def line_problems(self, number, text):
        try:
            line = read_line(number, text)
        except ValueError as error:
            yield str(error)
            return
        if line is None:
            return
        if re.search(r"[;|&<>]", " ".join(line.words)) or text.endswith("\\"):
            yield "a line is one command"
        yield from placeholder_problems(line.words)
        yield from self.program_problems(line.words)

    def program_problems(self, words):
        program, *rest = words
        if program == "ringside":
            yield from self.ringside_problems(rest)
        elif program == "ringside-agent":
            yield from self.option_problems(rest, self.programs.options(program))
        elif program == "./dev":
            if not rest or rest[0] not in self.programs.dev:
                yield "./dev has no such command"
        elif program not in OTHERS:
            yield f"{program} is no program that a reader has"
        else:  # a launcher may start one of our commands
            ours = [at for at, word in enumerate(rest) if word in ("ringside", "ringside-agent")]
            if ours:
                yield from self.program_problems(rest[ours[0]:])

    def ringside_problems(self, words):
        if not words:
            return
        command, *rest = words
        if command.startswith("-"):
            yield from self.option_problems(words, self.programs.options("ringside"))
            return
        if command not in self.programs.commands:
            yield f"ringside has no command {command}"
            return
        named, kind = ["ringside", command], WORDS.get(command, "none")
        if command == "data":
            if not rest or rest[0] not in self.programs.data:
                yield "ringside data has no such command"
                return
            named.append(rest.pop(0))
            kind = "data"
        dashes = rest.index("--") if "--" in rest else len(rest)
        if rest[dashes + 1:]:
            yield from self.program_problems(rest[dashes + 1:])
        options = self.programs.options(*named)
        yield from self.option_problems(rest[:dashes], options, " ".join(rest[dashes + 1:]))
        for word in plain_words(rest[:dashes], options):
            problem = self.word_problem(kind, word, self.programs.help(*named))
            if problem:
                yield problem

    def option_problems(self, words, options, program=""):
        for at, word in enumerate(words):
            name = word.split("=")[0]
            if not re.match(r"-{1,2}[a-z]", name):
                continue
            if name not in options:
                yield f"there is no option {name}"
            value = words[at + 1] if at + 1 < len(words) else ""
            setting = value.split("=")[0]
            if name == "--set" and setting not in self.programs.settings and "{%s}" % setting not in program:
                yield f"there is no setting {setting}"
            if name == "--preset" and value not in self.programs.presets:
                yield f"there is no preset {value}"

    def word_problem(self, kind, word, told):
        allowed = {"recipe": self.programs.presets, "compared": self.programs.presets | RUN_NAMES, "study": self.programs.presets | self.programs.studies | STUDIES,
                   "run": RUN_NAMES | STUDIES, "folder": {"DIR"}, "imported": {"DIR", "trace.json"}, "host": HOSTS, "none": set(),
                   "data": set(re.findall(r"[a-z_0-9]+", told))}
        if kind == "any" or word in allowed[kind] or (kind in ("recipe", "study") and word.endswith(".toml")):
            return None
        return f"{word} is not what stands here: {kind}"

    def inline_problems(self, code):
        """Problems of a command in running text: its words are free, but its commands and options must exist."""
        words = code.split()
        if words[0] == "ringside" and len(words) > 1 and re.fullmatch(r"[a-z-]+", words[1]):
            if words[1] not in self.programs.commands:
                yield f"ringside has no command {words[1]}"
            elif "--" not in words:
                yield from (text for text in self.option_problems(words[2:], self.programs.options("ringside", words[1])))
        elif re.match(r"--[a-z]", words[0]):
            name = words[0].split("=")[0].rstrip(",")
            if name not in self.known:
                yield f"no program of ours has the option {name}"
        elif words[0] == "./dev" and len(words) > 1 and words[1] not in self.programs.dev:
            yield "./dev has no such command"


def plain_words(words, options):
    """Words that are neither options nor their values."""
    left, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif re.match(r"-{1,2}[a-z]", word):
            skip = "=" not in word and options.get(word, Option(False)).value
        else:
            left.append(word)
    return left
