// The topic of the window's keys, and the manual as a site.
#include "gui/view/manual/manual_site.h"

#include <algorithm>

#include "gui/manual/parse.h"
#include "gui/view/window/manual_pages.h"
#include "gui/view/window/palette.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

manual::Manual site_manual() {
  return {
      {manual::parse_page("ssh",
                          "# Another machine\n\nRuns **there**.\n\n## Keys <b>\n\nUse `ssh-add`; "
                          "see [nodes](nodes.md#ports).\n\n```sh\na < b\n```\n\n## Cut\n\nIt "
                          "\"heals\".\n"),
       manual::parse_page("nodes",
                          "# Several nodes\n\nOne run.\n\n## Ports\n\n1. One\n2. *Two*\n\n"
                          "| A | B |\n|---|---:|\n| x | 1 |\n")}};
}

const SiteFile& file_of(const std::vector<SiteFile>& site, const std::string& name) {
  const auto found = std::find_if(site.begin(), site.end(),
                                  [&name](const auto& file) { return file.name == name; });
  REQUIRE(found != site.end());
  return *found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the topic of keys has every key") {
  const manual::Page page = keys_page();
  CHECK(page.faults.empty());
  const std::string text = plain(page, manual::section_of(page, ""));
  for (const KeyHelp& line : key_help()) {
    CHECK(has(text, line.keys));
    CHECK(has(text, line.what));
  }
}

TEST_CASE("the site has a page for each topic, with links to the others") {
  const auto site = manual_site(site_manual());
  REQUIRE(site.size() == 5);
  CHECK(site.front().name == "index.html");
  const std::string& index = site.front().text;
  CHECK(has(index, "<dt><a href=\"ssh.html\">Another machine</a></dt><dd>Runs there.</dd>"));
  CHECK(has(index, kSiteMark));
  const std::string& ssh = file_of(site, "ssh.html").text;
  CHECK(has(ssh, "<h2 id=\"keys-b\">Keys &lt;b&gt;<a href=\"#keys-b\""));
  CHECK(has(ssh, "<code>ssh-add</code>; see <a href=\"nodes.html#ports\">nodes</a>."));
  CHECK(has(ssh, "<pre tabindex=\"0\"><code>a &lt; b</code></pre>"));
  CHECK(has(ssh, "aria-current=\"page\">Another machine</a><ul>\n<li><a href=\"#keys-b\">"));
  const std::string& nodes = file_of(site, "nodes.html").text;
  CHECK(has(nodes, "<ol start=\"1\">\n<li>One</li>\n<li><em>Two</em></li>\n</ol>"));
  CHECK(has(nodes, "<th>A</th><th class=\"r\">B</th>"));
  CHECK(has(nodes, "<td>x</td><td class=\"r\">1</td>"));
}

TEST_CASE("the site loads nothing from elsewhere, and its search has all sections") {
  const auto site = manual_site(site_manual());
  for (const SiteFile& file : site) {
    INFO(file.name);
    CHECK_FALSE(has(file.text, "http:"));
    CHECK_FALSE(has(file.text, "https:"));
  }
  const std::string& search = file_of(site, "search.js").text;
  CHECK(has(search, R"({u:"ssh.html",t:"Another machine",s:"Another machine",x:"Runs there."})"));
  CHECK(has(search, R"(s:"Cut",x:"It \"heals\"."})"));
}
