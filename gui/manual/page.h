// A topic of the manual as blocks of text, from which the terminal, the window and the site are
// made. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::manual {

/// Where a link leads.
struct Link {
  std::string topic;    ///< empty: out of the manual, or nowhere
  std::string section;  ///< its slug; empty: the beginning
  std::string address;  ///< out of the manual: "https://..."
  bool empty() const { return topic.empty() && address.empty(); }
  bool operator==(const Link&) const = default;
};

/// A piece of text that looks the same from its beginning to its end.
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
  int level = 2;  ///< 2 or 3: the title of the page is none of its blocks
  Text text;
  std::string slug;  ///< as links name it, made as GitHub does; of its page it is the only one
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
  std::string language;  ///< "sh"; empty: not said
  std::string text;      ///< without the end of its last line
};
struct Table {
  std::vector<bool> right;  ///< a column of numbers
  std::vector<Text> head;
  std::vector<std::vector<Text>> rows;  ///< each as long as the head
};
using Block = std::variant<Heading, Paragraph, List, Code, Table>;

struct Page {
  std::string topic;  ///< "slurm": the name of its file
  std::string title;
  std::string about;  ///< one sentence, which is the first block too
  std::vector<Block> blocks;
  std::vector<std::string> faults;  ///< what does not keep to the format, or is not shown as meant
};

/// A heading with what stands below it, down to the next one that is not lower.
struct Section {
  std::string slug;   ///< empty: the beginning of the page
  std::string title;  ///< of the beginning: that of the page
  int level = 1;
  std::size_t begin = 0;  ///< in Page::blocks, the heading included
  std::size_t end = 0;
};
/// The beginning, which ends at the first heading, then one for each heading.
std::vector<Section> sections(const Page& page);
/// Sections that a reader chooses from: the beginning and those of level 2.
std::vector<Section> main_sections(const Page& page);
/// The section of that slug, or the whole page for an empty one; for an unknown one `end` is 0.
Section section_of(const Page& page, std::string_view slug);

/// All that is written there, a line for each paragraph, item, cell and line of code.
std::string plain(const Page& page, const Section& section);

}  // namespace ringside::manual
