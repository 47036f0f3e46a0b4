#!/usr/bin/env python3
"""Checks against rules.txt: includes, cycles between folders and between Python modules, the length of files, their number in
a folder, the first words of comments, and names that only Linux has. Also checks that the README of each half has a row for every
folder and names only existing files, that ctest accepts every test's name, and that every promise of tests/promises.md has a test.
Prints one line per violation."""
import ast
import collections
import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
COMMENT = re.compile(r"(?:^\s*|[;{}(),]\s*)(//+<? ?(\w*))")
TEST_NAME = re.compile(r'TEST_CASE\(\s*((?:"[^"\n]*"\s*)+)')
PROMISE = re.compile(r"^\| ([RS]\d+) \|(.*)", re.M)
PROMISED = re.compile(r"([RS]\d+(?:, [RS]\d+)*): ")
FOLDER_ROW = re.compile(r"^\| `([^`]+)` \|", re.M)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)+/?|[\w*-]+\.(h|cpp|c|py|md|txt)")
HALVES = ("protocol", "trainer", "gui")
TOPS = ("protocol", "trainer", "gui", "tests")
FREE = ("tests/support", "tests/integration", "tests/gpu", "tests/bench", "tests/python", "tests/fuzz", "tests/soak", "tests/insight")


def read_rules(path):
    sections = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words and words[0].startswith("["):
            current = sections.setdefault(words[0].strip("[]"), {})
        elif words:
            current[words[0]] = words[1:]
    return sections


def limit_of(section):
    return int(next(iter(section)))


def closure(folders):
    """Folder -> everything it may include: itself, the folders named beside it, and what those may include."""
    allowed = {}

    def visit(folder, path):
        if folder in path:
            raise SystemExit(f"rules.txt: a circle: {' -> '.join([*path, folder])}")
        if folder not in allowed:
            allowed[folder] = {folder}.union(*(visit(next_one, [*path, folder]) for next_one in folders[folder]))
        return allowed[folder]

    for folder in folders:
        visit(folder, [])
    return allowed


def shortest_circle(needs):
    """Nodes of a cycle along `needs`: node -> nodes; None: there is no cycle."""
    found = None
    for start in sorted(needs):
        ways = {next_one: [start, next_one] for next_one in sorted(needs[start])}
        waiting = collections.deque(ways.values())
        while waiting and start not in ways:
            way = waiting.popleft()
            for next_one in sorted(needs.get(way[-1], ())):
                if next_one not in ways:
                    ways[next_one] = [*way, next_one]
                    waiting.append(ways[next_one])
        if start in ways and (found is None or len(ways[start]) < len(found)):
            found = ways[start]
    return found


def circle_words(needs):
    """Describes a cycle, and where each of its nodes needs the next: node -> {node -> place}. Empty: there is none."""
    circle = shortest_circle(needs)
    return "" if circle is None else ", ".join(f"{a} needs {b} ({needs[a][b]})" for a, b in zip(circle, circle[1:]))


def inner_folder(path):
    """The folder of the third level that contains a path, such as `live` for gui/view/live/a.h; `.` if there is none."""
    return path.split("/")[2] if path.count("/") > 2 else "."


def own_folder(path):
    """The folder of the rules that contains a path such as trainer/core/a.h."""
    return "/".join(path.split("/")[:2])


def own_half(path):
    return path.split("/")[0]


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def first_words(text):
    """The first word of each comment. A // directly below that of the previous line continues its comment."""
    above = -1
    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.search(line)
        column = match.start(1) if match else -1
        if match and (column != above or line[:column].strip()):
            yield number, match.group(2)
        above = column


def titles(text):
    for match in TEST_NAME.finditer(text):
        yield "".join(re.findall(r'"([^"\n]*)"', match.group(1)))


def check_system(name, text, names):
    text = re.sub(r"//.*", "", text)
    for pattern, files in names.items():
        if name in files:
            continue
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text):
            number = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{number}: only Linux has {match[0]}: a function of protocol/host/platform.h does, or a source *_linux.cpp"


def check_file(name, text, rules, allowed):
    length = text.count("\n")
    limit = limit_of(rules["lines"])
    if length > limit:
        yield f"{name}: {length} lines, at most {limit}"
    if name.endswith((".h", ".cpp", ".cc", ".c")):
        for number, word in first_words(text):
            if word in rules["comments"]:
                yield f"{name}:{number}: a comment begins with {word!r}, and so says nothing alone: begin with its subject"
        if own_half(name) in ("protocol", "gui") and not name.endswith("_linux.cpp"):
            yield from check_system(name, text, rules["linux"])
    test = name.startswith("tests/")
    if test and name.endswith(".cpp"):
        for title in titles(text):
            # ctest splits a name at a semicolon, and Catch2 takes a name that begins with a dash for an option.
            if ";" in title or title.startswith("-"):
                yield f"{name}: ctest cannot run a test named {title!r}"
    free = name.startswith(tuple(folder + "/" for folder in FREE))
    subject = name[len("tests/"):] if test else name
    folder = own_folder(subject)
    if not test and folder not in allowed:
        yield f"{name}: {folder} is not in rules.txt"
        return
    for number, header in includes(text):
        place = f"{name}:{number}: {header}"
        for one, other in rules["strangers"].items():
            if subject.startswith(one + "/") and header.startswith(tuple(o + "/" for o in other)):
                yield f"{place}: {one} never includes {' '.join(other)}"
        if free:
            continue
        if header.startswith(TOPS):
            target = own_folder(header)
            if not test and target not in allowed[folder]:
                yield f"{place}: {folder} may not include {target}"
            continue
        for pattern, only in rules["headers"].items():
            # A test may use the libraries that its folder may use, and those in that folder's headers.
            if fnmatch.fnmatchcase(header, pattern) and folder not in only:
                yield f"{place}: only {' '.join(only)} may include {pattern}"


def check_inner_folders(texts):
    """The subfolders of a folder of the rules, and its files outside of them, must not need each other in a cycle."""
    needs = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, text in texts.items():
        for number, header in includes(text):
            one, other = inner_folder(name), inner_folder(header)
            if own_folder(header) == own_folder(name) and one != other:
                needs[own_folder(name)][one].setdefault(other, f"{name}:{number}")
    for folder in sorted(needs):
        if words := circle_words(needs[folder]):
            yield f"{folder}: its folders need each other in a circle: {words}"


def imports(name, text):
    """Modules of its own package that a Python file imports anywhere: (line, path without .py)."""
    folder = name.rsplit("/", 1)[0]
    package = folder.rsplit("/", 1)[-1]
    for node in ast.walk(ast.parse(text, name)):
        modules = []
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            modules = [node.module] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(package + "."):
            modules = [node.module[len(package) + 1:]]
        elif isinstance(node, ast.Import):
            modules = [alias.name[len(package) + 1:] for alias in node.names if alias.name.startswith(package + ".")]
        for module in modules:
            yield node.lineno, f"{folder}/{module}"


def check_imports(texts):
    """The modules of a Python package must not import each other in a cycle, wherever the import is."""
    packages = {name.rsplit("/", 1)[0] for name in texts if name.endswith("/__init__.py")}
    for package in sorted(packages):
        needs = collections.defaultdict(dict)
        for name, text in texts.items():
            if name.endswith(".py") and name.rsplit("/", 1)[0] == package:
                for number, module in imports(name, text):
                    if module + ".py" in texts and module + ".py" != name:
                        needs[name[:-len(".py")].rsplit("/", 1)[1]].setdefault(module.rsplit("/", 1)[1], f"{name}:{number}")
        if words := circle_words(needs):
            yield f"{package}: its modules need each other in a circle: {words}"


def check_promises(root):
    """A promise without a case states "no test"; all others have one, and cases name only existing promises."""
    page = root / "tests/promises.md"
    rows = dict(PROMISE.findall(page.read_text(encoding="utf-8"))) if page.exists() else {}
    tested = set()
    for path in sorted((root / "tests").rglob("*_test.cpp")):
        for title in titles(path.read_text(encoding="utf-8")):
            if match := PROMISED.match(title):
                named = match.group(1).split(", ")
                tested.update(named)
                for promise in set(named) - set(rows):
                    yield f"{path.relative_to(root).as_posix()}: {promise} is no promise of tests/promises.md"
    for promise, row in rows.items():
        if (promise in tested) == ("| no test: " in row):
            yield f"tests/promises.md: {promise} has {'a' if promise in tested else 'no'} test"


def check_page(root, half, folders):
    """The README of a half needs a row for each of its folders, and its paths must exist."""
    page = f"{half}/README.md"
    if not (root / page).is_file():
        yield f"{page}: is missing; it has a row for each folder of {half}/"
        return
    text = (root / page).read_text(encoding="utf-8")
    rows = collections.Counter(FOLDER_ROW.findall(text))
    for folder in sorted(set(rows) | set(folders)):
        if folder not in folders:
            yield f"{page}: {folder} has a row, but is no folder of {half}/ in rules.txt"
        elif rows[folder] != 1:
            yield f"{page}: {folder} has {rows[folder]} rows, and needs one"
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in QUOTED.findall(line):
            if quoted not in folders and PATH.fullmatch(quoted) and not any(root.glob(quoted)):
                yield f"{page}:{number}: {quoted} is not there"
        for link in LINK.findall(line):
            if "://" not in link and not (root / half / link.split("#")[0]).exists():
                yield f"{page}:{number}: the link to {link} leads nowhere"


def check_tree(root, rules):
    allowed = closure(rules["folders"])
    sources = collections.Counter()
    texts = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp", ".cc", ".c", ".py") and path.is_file():
                name = path.relative_to(root).as_posix()
                sources[path.parent.relative_to(root).as_posix()] += 1
                texts[name] = path.read_text(encoding="utf-8")
                yield from check_file(name, texts[name], rules, allowed)
    yield from check_inner_folders({name: text for name, text in texts.items() if own_folder(name) in allowed})
    yield from check_imports(texts)
    limit = limit_of(rules["files"])
    for folder, count in sources.items():
        if count > limit:
            yield f"{folder}: {count} sources, at most {limit}: what changes together goes into a folder of its own"
    for half in HALVES:
        yield from check_page(root, half, [folder for folder in rules["folders"] if own_half(folder) == half])
    yield from check_promises(root)


def main():
    root = pathlib.Path(sys.argv[1])
    offences = list(check_tree(root, read_rules(pathlib.Path(__file__).parent / "rules.txt")))
    print("\n".join(offences) if offences else "The structure is as rules.txt says.")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
