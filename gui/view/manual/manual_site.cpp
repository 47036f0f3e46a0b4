#include "gui/view/manual/manual_site.h"

#include <algorithm>
#include <utility>

#include "gui/view/colors.h"
#include "gui/view/manual/manual_site_parts.h"
#include "gui/view/markup.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

using manual::Text;

std::string link_address(const manual::Link& link) {
  if (link.topic.empty()) return link.address;
  return link.topic + ".html" + (link.section.empty() ? "" : "#" + link.section);
}

std::string inline_html(const Text& text) {
  std::string html;
  for (const manual::Run& run : text) {
    std::string one = markup_text(run.text);
    if (run.code) one = "<code>" + one + "</code>";
    if (run.emphasis) one = "<em>" + one + "</em>";
    if (run.strong) one = "<strong>" + one + "</strong>";
    if (!run.link.empty())
      one = "<a href=\"" + markup_text(link_address(run.link)) + "\">" + one + "</a>";
    html += one;
  }
  return html;
}

std::string code_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    html += (html.empty() ? "" : "\n") + markup_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html;
}

struct BlockHtml {
  std::string operator()(const manual::Heading& heading) const {
    const std::string tag = "h" + std::to_string(heading.level);
    const std::string id = markup_text(heading.slug);
    return "<" + tag + " id=\"" + id + "\">" + inline_html(heading.text) + "<a href=\"#" + id +
           "\" aria-label=\"Link to this section\">#</a></" + tag + ">\n";
  }
  std::string operator()(const manual::Paragraph& paragraph) const {
    return "<p>" + inline_html(paragraph.text) + "</p>\n";
  }
  std::string operator()(const manual::List& list) const {
    std::string html = "<ul>\n";
    if (list.numbered) html = "<ol start=\"" + std::to_string(list.first) + "\">\n";
    for (const Text& item : list.items) html += "<li>" + inline_html(item) + "</li>\n";
    return html + (list.numbered ? "</ol>\n" : "</ul>\n");
  }
  std::string operator()(const manual::Code& code) const {
    return "<div class=\"example\"><pre tabindex=\"0\"><code>" + code_html(code.text) +
           "</code></pre><button type=\"button\" hidden>Copy</button></div>\n";
  }
  std::string operator()(const manual::Table& table) const {
    const auto row = [&table](const std::vector<Text>& cells, const std::string& tag) {
      std::string html = "<tr>";
      for (std::size_t i = 0; i < cells.size(); ++i) {
        html += "<" + tag + (table.right[i] ? " class=\"r\">" : ">") + inline_html(cells[i]) +
                "</" + tag + ">";
      }
      return html + "</tr>\n";
    };
    std::string html =
        "<div class=\"wide\"><table>\n<thead>" + row(table.head, "th") + "</thead>\n";
    for (const auto& cells : table.rows) html += row(cells, "td");
    return html + "</table></div>\n";
  }
};

/// The colours as CSS variables, light or dark.
std::string site_colors(bool dark) {
  constexpr std::pair<const char*, Token> kVariables[] = {
      {"app", Token::kApp},     {"panel", Token::kPanel},       {"input", Token::kInput},
      {"hover", Token::kHover}, {"selected", Token::kSelected}, {"line", Token::kLine},
      {"line2", Token::kLine2}, {"high", Token::kHigh},         {"text", Token::kText},
      {"dim", Token::kDim},     {"faint", Token::kFaint},       {"accent", Token::kAccent}};
  std::string text;
  for (const auto& [name, token] : kVariables)
    text += std::string("--") + name + ":" +
            css_color(dark ? color(token).dark : color(token).light) + ";";
  return text;
}

std::string site_style() {
  return ":root{color-scheme:light dark;" + site_colors(false) + "}\n" +
         "@media screen and (prefers-color-scheme:dark){:root{" + site_colors(true) + "}}\n" +
         kSiteStyle;
}

/// The sections as a JavaScript array, then the script that searches it. A quoted TOML string is
/// valid JavaScript, too.
std::string site_search(const manual::Manual& manual) {
  std::string text = "const sections = [\n";
  for (const manual::Page& page : manual.pages) {
    for (manual::Section section : manual::main_sections(page)) {
      const std::string where =
          page.topic + ".html" + (section.slug.empty() ? "" : "#" + section.slug);
      if (!section.slug.empty()) ++section.begin;  // skips the heading, which is `s` already
      text += "{u:" + toml_string(where) + ",t:" + toml_string(page.title) +
              ",s:" + toml_string(section.title) + ",x:" + toml_string(plain(page, section)) +
              "},\n";
    }
  }
  return text + "];\n" + kSiteSearch;
}

void add_site_sections(const manual::Page& page, std::string& html) {
  html += "<ul>\n";
  for (const manual::Section& section : manual::main_sections(page)) {
    if (section.slug.empty()) continue;
    html += "<li><a href=\"#" + markup_text(section.slug) + "\">" + markup_text(section.title) +
            "</a></li>\n";
  }
  html += "</ul>";
}

/// `here` is the topic of the page, whose sections are listed; empty: the index.
std::string site_navigation(const manual::Manual& manual, std::string_view here) {
  std::string html =
      "<nav aria-label=\"Topics\">\n<a href=\"index.html\">Ringside</a>\n"
      "<input id=\"search\" type=\"search\" placeholder=\"Search ( / )\" "
      "aria-label=\"Search the manual\" autocomplete=\"off\" hidden>\n"
      "<ul id=\"found\" aria-live=\"polite\" hidden></ul>\n<ul id=\"topics\">\n";
  for (const manual::Page& page : manual.pages) {
    const bool on = page.topic == here;
    html += "<li><a href=\"" + markup_text(page.topic) + ".html\"" +
            (on ? " aria-current=\"page\"" : "") + ">" + markup_text(page.title) + "</a>";
    if (on) add_site_sections(page, html);
    html += "</li>\n";
  }
  return html + "</ul>\n</nav>\n";
}

std::string site_page(const manual::Manual& manual, const std::string& title,
                      std::string_view topic, const std::string& body) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n";
  html += std::string(kSiteMark) + "\n";
  add_element(html, "title", title);
  html += "\n<link rel=\"stylesheet\" href=\"style.css\">\n";
  html += "<script src=\"search.js\" defer></script>\n</head>\n<body>\n";
  html += site_navigation(manual, topic) + "<main>\n" + body + "</main>\n</body>\n</html>\n";
  return html;
}

std::string site_index_body(const manual::Manual& manual) {
  std::string body = "<h1>The manual of Ringside</h1>\n<dl>\n";
  for (const manual::Page& page : manual.pages) {
    body += "<dt><a href=\"" + markup_text(page.topic) + ".html\">" + markup_text(page.title) +
            "</a></dt><dd>" + markup_text(page.about) + "</dd>\n";
  }
  return body + "</dl>\n";
}

std::string topic_body(const manual::Page& page) {
  std::string body;
  add_element(body, "h1", page.title);
  body += "\n";
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const auto* about = i == 0 ? std::get_if<manual::Paragraph>(&page.blocks[i]) : nullptr;
    if (about != nullptr) {
      body += "<p class=\"about\">" + inline_html(about->text) + "</p>\n";
    } else {
      body += std::visit(BlockHtml{}, page.blocks[i]);
    }
  }
  return body;
}

}  // namespace

std::vector<SiteFile> manual_site(const manual::Manual& manual) {
  std::vector<SiteFile> files{
      {"index.html", site_page(manual, "The manual of Ringside", "", site_index_body(manual))},
      {"style.css", site_style()},
      {"search.js", site_search(manual)}};
  for (const manual::Page& page : manual.pages)
    files.push_back({page.topic + ".html",
                     site_page(manual, page.title + " · Ringside", page.topic, topic_body(page))});
  return files;
}

}  // namespace ringside::view
