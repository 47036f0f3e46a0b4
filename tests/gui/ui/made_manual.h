// A small manual of two topics that contains every kind of element, for the screen.
#pragma once

#include <string>

#include "gui/manual/parse.h"
#include "gui/manual/search.h"

namespace ringside::test {

inline manual::Manual made_manual() {
  std::string ssh = R"(# Another machine

Runs on a machine that you reach by *ssh*, with a `code` and **bold** words.

## Run there

Name it with `--on`; see [the ports](nodes.md#ports), [below](#cut) or [the site](https://example.org).

```sh
ringside run mnist --on ssh://a-machine-with-a-very-long-name.example.org:2222   # a comment behind it
ringside list
```

- One
- Two of them, which is longer than a line of a window that has as little room as this one may have

1. )" + std::string(120, 'w') +
                    R"(
2. Second

| Key | What it does | Count |
|---|---|---:|
| `Ctrl Shift O` | a sentence that has more than a few words, so that it takes some lines in its cell | 1 |
| b | [nodes](nodes.md) | 22 |
)";
  for (int i = 0; i < 30; ++i)
    ssh += "\n### Part " + std::to_string(i) + "\n\nSome words of it, as there are in each.\n";
  ssh += "\n## Cut\n\nIt heals.\n";
  return {
      {manual::parse_page("ssh", ssh),
       manual::parse_page("nodes", "# Several nodes\n\nOne run.\n\n## Ports\n\nGloo listens.\n")}};
}

}  // namespace ringside::test
