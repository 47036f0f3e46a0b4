// Completion: the words that the Tab key of a shell offers at the end of a command line.
#include "gui/cli/command/complete.h"

#include "gui/cli/command/man_page.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::cli;

namespace {

using Words = std::vector<std::string>;

DescribedCommands described() {
  DescribedCommands commands;
  commands[""] = {"Trains.", "", {{"--runs-dir", "DIR", "Folder", true}}};
  commands["show"] = {
      "One run", "", {{"RUN", "", "An id", false}, {"-j,--json", "", "JSON", true}}};
  commands["run"] = {"Trains it\n.TH is no macro",
                     "",
                     {{"PRESET|FILE.toml", "", "What", false},
                      {"--set", "KEY=VALUE", "A setting of the \\ recipe", true},
                      {"--runs-dir", "DIR", "Folder", true}}};
  return commands;
}

Words complete(std::string_view line) {
  return completions(line, described(), [](std::string_view what) {
    if (what == "RUN") return Words{"last", "41", "42"};
    if (what == "PRESET|FILE.toml") return Words{"demo", "mnist"};
    return what == "KEY=VALUE" ? Words{"batch.size=", "optimizer.lr="} : Words{};
  });
}

}  // namespace

TEST_CASE("the first word is completed as a command, and the next as what that command takes") {
  CHECK(complete("ringside ") == Words{"run", "show"});
  CHECK(complete("ringside s") == Words{"show"});
  CHECK(complete("ringside show 4") == Words{"41", "42"});
  CHECK(complete("ringside run ") == Words{"demo", "mnist"});
  CHECK(complete("ringside nothing").empty());
  CHECK(complete("").empty());
}

TEST_CASE("an option is completed, and so is the value after it") {
  CHECK(complete("ringside --") == Words{"--runs-dir"});
  CHECK(complete("ringside show -") == Words{"-j", "--json"});
  CHECK(complete("ringside run --set opt") == Words{"optimizer.lr="});
  CHECK(complete("ringside run --runs-dir ").empty());
  // The value of an option is not a command, and an option without a value takes no word.
  CHECK(complete("ringside --runs-dir show ru") == Words{"run"});
  CHECK(complete("ringside show --json l") == Words{"last"});
}

TEST_CASE("a command after two dashes is left to the shell") {
  CHECK(complete("ringside run -- de").empty());
}

TEST_CASE("three shells have a script, and others have none") {
  for (const char* shell : {"bash", "zsh", "fish"})
    CHECK(completion_script(shell).find("ringside completion --line") != std::string_view::npos);
  CHECK(completion_script("csh").empty());
}

TEST_CASE("the man page has every command and option, and no line that would be a macro") {
  const std::string page = man_page(described());
  CHECK(page.starts_with(".TH RINGSIDE 1"));
  CHECK(page.find(".SS ringside show\nOne run\n") != std::string::npos);
  CHECK(page.find("\n.TP\n\\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR\nA setting of the \\e recipe\n") !=
        std::string::npos);
  CHECK(page.find("\n\\&.TH is no macro\n") != std::string::npos);
}

TEST_CASE("the man page of another program has the text of its help") {
  const std::string page =
      man_page_of("ringside-one",
                  "Does one thing.\nUsage: build/bin/ringside-one [OPTIONS] [RUN]\n\n"
                  "Options:\n"
                  "  -h,--help                   Print this\n"
                  "  --place TEXT:{live,runs} and more words\n"
                  "                              Start here\n\n"
                  "Closing it ends nothing.\n");
  CHECK(page.starts_with(".TH RINGSIDE\\-ONE 1"));
  CHECK(page.find("ringside\\-one \\- Does one thing\n") != std::string::npos);
  CHECK(page.find("\n.B ringside\\-one\n[OPTIONS] [RUN]\n.SH DESCRIPTION\nDoes one") !=
        std::string::npos);
  CHECK(page.find(".SH OPTIONS\n.TP\n\\fB\\-h,\\-\\-help\\fR\nPrint this\n.TP\n"
                  "\\fB\\-\\-place TEXT:{live,runs} and more words\\fR\nStart here\n"
                  ".PP\nClosing it") != std::string::npos);
}
