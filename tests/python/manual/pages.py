"""The pages of the manual and the README as text: their parts, and their problems as documents."""

import re
from collections import namedtuple
from pathlib import Path

README_MOST_BYTES = 6000
FEWEST_WORDS = 5  # shorter sentences may be repeated
INFO_WORDS = {"sh", "python", "toml", "text"}
NEEDS = {"gpu", "ssh", "slurm", "window", "long", "nodes", "optuna"}  # requirements of a block of commands, named after `sh`
TOPIC_LINK = re.compile(r"assets/manual/([a-z_]+)\.md")

Block = namedtuple("Block", "info needs line lines")  # `line`: line number of the fence
Problem = namedtuple("Problem", "kind page line text")


class Page:
    """One Markdown file. `name`: the topic, or README."""

    def __init__(self, name, text):
        self.name, self.text, self.blocks, self.prose, self.headings = name, text, [], [], []
        block = None
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("```"):
                if block is None:
                    words = line[3:].split()
                    block = Block(words[0] if words else "", words[1:], number, [])
                else:
                    self.blocks.append(block)
                    block = None
            elif block is not None:
                block.lines.append((number, line))
            else:
                self.prose.append((number, line))
                heading = re.match(r"(#+) (.+)", line)
                if heading:
                    self.headings.append((number, len(heading[1]), heading[2]))
        self.open_block = block

    def problem(self, kind, line, text):
        return Problem(kind, self.name, line, text)

    def slugs(self):
        return {slug(title) for _, level, title in self.headings if level > 1}

    def links(self):
        for number, line in self.prose:
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                yield number, target

    def inline_code(self):
        for number, line in self.prose:
            for code in re.findall(r"`([^`]+)`", line):
                yield number, code

    def paragraphs(self):
        """(number of the first line, text) of each paragraph and list item, without headings, tables and examples."""
        first, words = 0, []
        for number, line in [*self.prose, (0, "")]:
            item = re.match(r"(- |\d+\. )", line)
            if words and (item or not line.strip() or line[0] in "|#"):
                yield first, " ".join(words)
                words = []
            if not line.strip() or line[0] in "|#":
                continue
            if not words:
                first = number
            words.append(line[item.end():] if item else line.strip())

    def sentences(self):
        for number, paragraph in self.paragraphs():
            for sentence in re.split(r"(?<=[.!?])\s+", plain(paragraph)):
                yield number, sentence


def plain(text):
    return re.sub(r"\*+|`", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text))


def slug(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", plain(title).strip().lower()).replace(" ", "-")


def read_pages(readme, folder):
    """The README, then the topics in the order of its table, then topics that it does not list."""
    topics = {path.stem: Page(path.stem, path.read_text()) for path in Path(folder).glob("*.md") if path.stem.islower()}
    first = Page("README", Path(readme).read_text())
    named = [name for name in dict.fromkeys(TOPIC_LINK.findall(first.text)) if name in topics]
    return [first, *(topics[name] for name in [*named, *sorted(set(topics) - set(named))])]


def check_shape(page):
    """The subset of Markdown that is rendered in the terminal, the window and HTML."""
    if page.open_block:
        yield page.problem("fence", page.open_block.line, "an example that does not end")
    for block in page.blocks:
        if block.info not in INFO_WORDS:
            yield page.problem("fence", block.line, f"the word behind ``` is \"{block.info}\"; use one of {sorted(INFO_WORDS)}")
        for word in block.needs:
            if block.info != "sh" or word not in NEEDS:
                yield page.problem("fence", block.line, f"\"{word}\" is not what a block may need: {sorted(NEEDS)} of sh")
    if page.name == "README":
        return
    lines = page.text.splitlines()
    about = next(page.paragraphs(), (0, ""))
    if not re.match(r"# \S", lines[0]) or len(lines) < 3 or lines[1] or about[0] != 3:
        yield page.problem("opening", 1, "first comes \"# Title\", an empty line, and a paragraph")
    elif len(re.findall(r"[.!?](?=\s|$)", plain(about[1]))) != 1 or about[1][-1] not in ".!?":
        yield page.problem("opening", 3, "the first paragraph is one sentence: what a reader can do with this page")
    for number, level, _ in page.headings:
        if level > 3 or (level == 1) != (number == 1):
            yield page.problem("heading", number, "one title, then headings of level 2 and 3")
    for number, line in page.prose:
        bare = re.sub(r"`[^`]*`", "", line)
        if "![" in bare or re.search(r"</?[a-z]", bare) or re.match(r"\s+([-*]|\d+\.) |[*+>] ", bare):
            yield page.problem("markdown", number, "no pictures, HTML, quotations or lists in lists")


def check_readme(readme):
    size = len(readme.text.encode())
    if size > README_MOST_BYTES:
        yield readme.problem("size", 1, f"{size} bytes are more than {README_MOST_BYTES}")


def check_topics(pages):
    """The table of topics in the README against the files."""
    readme, topics = pages[0], {page.name for page in pages[1:]}
    named = [name for _, line in readme.prose if line.startswith("|") for name in TOPIC_LINK.findall(line)]
    for name in topics - set(named):
        yield readme.problem("topics", 1, f"the table of topics does not name {name}.md")
    for name in sorted(set(named)):
        if name not in topics:
            yield readme.problem("topics", 1, f"the table of topics names {name}.md, which is not there")
        elif named.count(name) > 1:
            yield readme.problem("topics", 1, f"the table of topics names {name}.md twice")


def check_links(pages, root):
    """`root`: the folder of the README."""
    slugs = {page.name: page.slugs() for page in pages}
    for page in pages:
        for number, target in page.links():
            path, _, section = target.partition("#")
            if page.name == "README":
                if re.match(r"https?://", target):
                    continue
                topic = TOPIC_LINK.fullmatch(path)
                if not path or topic or not (Path(root) / path).exists():
                    path = topic[1] + ".md" if topic else path or "README.md"
                else:
                    continue
            path = path or page.name + ".md"
            name = path.removesuffix(".md")
            if "/" in path or not path.endswith(".md") or name not in slugs:
                yield page.problem("link", number, f"{target} leads nowhere")
            elif section and section not in slugs[name]:
                yield page.problem("link", number, f"{path} has no section #{section}")


def check_sentences(pages):
    """No sentence is repeated, in one page or in two."""
    homes = {}
    for page in pages:
        for number, sentence in page.sentences():
            words = re.findall(r"[^\W_]+(?:['.][^\W_]+)*", sentence.lower())
            if len(words) < FEWEST_WORDS:
                continue
            if tuple(words) in homes:
                name, line = homes[tuple(words)]
                yield page.problem("sentence", number, f"also in {name}, line {line}: {sentence}")
            homes.setdefault(tuple(words), (page.name, number))


def check_pages(pages, root):
    for page in pages:
        yield from check_shape(page)
    yield from check_readme(pages[0])
    yield from check_topics(pages)
    yield from check_links(pages, root)
    yield from check_sentences(pages)
