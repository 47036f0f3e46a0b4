// A topic of the manual as blocks of text, from which the terminal, the window and the site are
// generated. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::manual {

struct Link {
  std::string topic;    ///< empty: a web address, or no target
  std::string section;  ///< its slug; empty: the beginning of the page
  std::string address;  ///< web address: "https://..."
  bool empty() const { return topic.empty() && address.empty(); }
  bool operator==(const Link&) const = default;
};

struct Run {
  std::string text{};
  bool strong = false;
  bool emphasis = false;
  bool code = false;
  Link link{};
  bool operator==(const Run&) const = default;
};
using Text = std::vector<Run>;
std::string plain(const Text& text);

struct Heading {
  int level = 2;  ///< 2 or 3; the title of the page is not a block
  Text text;
  std::string slug;  ///< anchor as in links, made like GitHub's; unique in its page
};
struct Paragraph {
  Text text;
};
struct List {
  bool numbered = false;
  unsigned first = 1;
  std::vector<Text> items;
};
struct Code {
  std::string language;  ///< "sh"; empty: unknown
  std::string text;      ///< without the end of its last line
};
struct Table {
  std::vector<bool> right;  ///< true for a column of numbers
  std::vector<Text> head;
  std::vector<std::vector<Text>> rows;  ///< each with as many cells as the head
};
using Block = std::variant<Heading, Paragraph, List, Code, Table>;

struct Page {
  std::string topic;  ///< "slurm": the name of its file without .md
  std::string title;
  std::string about;  ///< one sentence, which is also the first block
  std::vector<Block> blocks;
  std::vector<std::string> faults;  ///< what breaks the format, or is not shown as meant
};

/// A heading with the text below it, up to the next heading of the same or a higher level.
struct Section {
  std::string slug;   ///< empty: the beginning of the page
  std::string title;  ///< for the beginning, the title of the page
  int level = 1;
  std::size_t begin = 0;  ///< index in Page::blocks, of the heading itself
  std::size_t end = 0;
};
/// The beginning, which ends at the first heading, then a section for each heading.
std::vector<Section> sections(const Page& page);
/// Sections that are listed for a reader: the beginning and those of level 2.
std::vector<Section> main_sections(const Page& page);
/// The section of that slug, or the whole page for an empty one; for an unknown one `end` is 0.
Section section_of(const Page& page, std::string_view slug);

/// The text of the section as plain lines: one for each paragraph, item, cell and line of code.
std::string plain(const Page& page, const Section& section);

}  // namespace ringside::manual
