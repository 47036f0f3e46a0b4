// `ringside help`: the manual on the terminal, by topic, section or search words, and as a site.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/man_page.h"
#include "gui/cli/print/manual_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/child.h"
#include "gui/launch/paths.h"
#include "gui/view/manual/manual_site.h"
#include "gui/view/window/manual_pages.h"
#include "protocol/base/nearest.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"

namespace ringside::cli {
namespace {

constexpr std::size_t kWidestLine = 100;  // longer lines are hard to read
constexpr std::size_t kNarrowestLine = 30;
constexpr std::size_t kMostFound = 12;
constexpr std::int64_t kHelpLimitNs = 60'000'000'000;

struct HelpOptions : CommonOptions {
  std::vector<std::string> words;
  bool search = false;
  std::string html;  ///< output folder; empty: the terminal
  bool man = false;
};

Paper help_paper() {
  const auto columns = static_cast<std::size_t>(std::max(columns_of(stdout), 1));
  return {std::clamp(columns, kNarrowestLine, kWidestLine), wants_color(stdout)};
}

std::string joined_words(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

int print_topics(const manual::Manual& manual, bool json) {
  if (json) {
    print(stdout, dump(topics_json(manual), 2) + "\n");
    return 0;
  }
  print(stdout,
        "ringside help TOPIC, one of:\n\n" + topics_text(manual, help_paper()) +
            "\n"
            "ringside help TOPIC WORDS      the section of a topic that these words are in\n"
            "ringside help --search WORDS   where they are in the whole manual\n"
            "ringside help --html DIR       the manual as a site, to be read in a browser\n"
            "ringside COMMAND --help        the options of a command\n");
  return 0;
}

Result<int> print_found(const manual::Manual& manual, const HelpOptions& options) {
  const std::string typed = joined_words(options.words);
  const auto wanted = manual::search_words(typed);
  if (wanted.empty()) return bad_request("nothing to look for: ringside help --search WORDS");
  auto found = manual::search(manual, typed);
  if (options.json) {
    print(stdout, dump(found_json(found), 2) + "\n");
    return 0;
  }
  if (found.empty()) {
    print(stdout,
          "Nothing in the manual has " + one_line(typed) + ". `ringside help` lists its topics.\n");
    return 0;
  }
  const std::size_t all = found.size();
  if (found.front().words < wanted.size())
    print(stdout, "No section has all of these words. These have some of them:\n\n");
  found.resize(std::min(all, kMostFound));
  print(stdout, found_text(found, help_paper()));
  if (all > kMostFound)
    print(stdout, "\n" + std::to_string(all - kMostFound) + " more; another word finds less.\n");
  return 0;
}

Result<int> unknown_topic(const manual::Manual& manual, const std::string& topic) {
  const auto topics = manual.topics();
  const std::string near = nearest_name(topic, topics);
  std::string text = "there is no topic \"" + one_line(topic) + "\"";
  if (!near.empty()) text += ", did you mean \"" + near + "\"?";
  text += (near.empty() ? "; topics: " : " Topics: ");
  for (const std::string& name : topics) text += (name == topics.front() ? "" : ", ") + name;
  const auto found = manual::search(manual, topic);
  if (!found.empty()) {
    text += ". `ringside help --search " + one_line(topic) + "` finds " +
            std::to_string(found.size()) + (found.size() == 1 ? " section" : " sections");
  }
  return bad_request(text);
}

Result<int> unknown_section(const manual::Page& page, const std::string& wanted) {
  std::string text = page.topic + " has no section about \"" + one_line(wanted) + "\"; it has: ";
  const auto all = manual::main_sections(page);
  for (std::size_t i = 1; i < all.size(); ++i) text += (i > 1 ? ", " : "") + all[i].title;
  return bad_request(text);
}

int print_section(const manual::Page& page, const manual::Section& section, bool json) {
  print(stdout, json ? dump(page_json(page, section), 2) + "\n"
                     : section_text(page, section, help_paper()));
  return 0;
}

/// Prints "nodes", "nodes#ports", or "nodes" with words of a section.
Result<int> print_topic(const manual::Manual& manual, const HelpOptions& options,
                        const DescribedCommands& commands) {
  const std::string& typed = options.words.front();
  const std::string topic = typed.substr(0, typed.find('#'));
  const manual::Page* const page = manual.find(topic);
  const auto command = commands.find(typed);
  if (page == nullptr && command != commands.end() && !options.json) {
    print(stdout, command->second.help);
    return 0;
  }
  if (page == nullptr) return unknown_topic(manual, topic);
  const std::string slug = topic == typed ? std::string() : typed.substr(topic.size() + 1);
  const std::string words = joined_words(std::span(options.words).subspan(1));
  manual::Section section = manual::section_of(*page, slug);
  if (section.end == 0) return unknown_section(*page, slug);
  if (!words.empty()) {
    const auto found = manual::search(*page, words);
    if (found.empty()) return unknown_section(*page, words);
    section = found.front().section;
  }
  const int code = print_section(*page, section, options.json);
  if (command != commands.end() && !options.json)
    print(stdout, "\n`ringside " + topic + " --help` lists the options of the command.\n");
  return code;
}

/// Writes the site. Only files that were written by this command are overwritten.
Result<void> write_site(const std::filesystem::path& folder,
                        const std::vector<view::SiteFile>& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return bad_request("--html " + folder.string() + ": " + error.message());
  const bool empty = std::filesystem::is_empty(folder, error);
  const auto index = read_text(folder / files.front().name);
  const bool ours = index && index->find(view::kSiteMark) != std::string::npos;
  if (!empty && !ours) {
    return bad_request("--html " + folder.string() +
                       ": there are other files in this folder; name a new one");
  }
  for (const view::SiteFile& file : files) {
    auto written = write_text_atomically(folder / file.name, file.text, 0644);
    if (!written) return written;
  }
  return {};
}

Result<int> write_html(const manual::Manual& manual, const std::filesystem::path& folder) {
  RINGSIDE_TRY(write_site(folder, view::manual_site(manual)));
  std::error_code ignored;
  print(stdout, std::filesystem::absolute(folder / "index.html", ignored).string() + "\n");
  return 0;
}

/// Prints the man page of `ringside`, or of a program beside it.
Result<int> print_man_page(const HelpOptions& options, const DescribedCommands& commands) {
  if (options.words.empty()) {
    print(stdout, man_page(commands));
    return 0;
  }
  const std::string& name = options.words.front();
  if (!name.starts_with("ringside-") || name.find('/') != name.npos || options.words.size() > 1)
    return bad_request("help --man takes one program at most, such as ringside-agent");
  const auto program = RINGSIDE_TRY(launch::find_program(name));
  const auto said = RINGSIDE_TRY(launch::capture({program.string(), "--help"}, kHelpLimitNs));
  if (said.exit_code != 0) return failure(name + " --help: " + std::string(last_line(said.errors)));
  print(stdout, man_page_of(name, said.output));
  return 0;
}

Result<int> help(const HelpOptions& options, const DescribedCommands& commands) {
  if (options.man) return print_man_page(options, commands);
  const auto manual = RINGSIDE_TRY(view::read_whole_manual());
  if (!options.html.empty()) return write_html(manual, options.html);
  if (options.search) return print_found(manual, options);
  if (options.words.empty()) return print_topics(manual, options.json);
  return print_topic(manual, options, commands);
}

}  // namespace

void add_help(Command& app) {
  auto options = std::make_shared<HelpOptions>();
  Command command =
      app.add_command("help", "The manual: its topics, one of them, or what is found");
  const Option words = command.add_option(
      "TOPIC", options->words,
      "A topic, and words of one of its sections; without any all topics are listed");
  const Option search =
      command.add_flag("--search", options->search, "The sections that have these words");
  add_json(command, *options, "One JSON array of topics or sections, or one object of a topic");
  command
      .add_option("--html DIR", options->html,
                  "Write the manual into this folder as a site that needs nothing else")
      .not_empty("--html DIR")
      .excludes(words)
      .excludes(search);
  command
      .add_flag("--man", options->man,
                "All commands and options as the page of man(1); the page of another program where "
                "its name is given: --man ringside-agent")
      .excludes(search);
  command.action_with_commands(
      [options](const DescribedCommands& commands) { return help(*options, commands); });
}

}  // namespace ringside::cli
