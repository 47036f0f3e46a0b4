#include "gui/view/manual/manual_site.h"

#include <algorithm>
#include <utility>

#include "gui/view/colors.h"
#include "gui/view/markup.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

constexpr const char* kSiteStyle =
    R"(*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0;background:var(--app);color:var(--text);font:15px/1.6 Inter,system-ui,sans-serif;
display:grid;grid-template-columns:270px minmax(0,1fr)}
a{color:var(--accent)}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:20px 16px;background:var(--panel);border-right:1px solid var(--line)}
nav>a{display:block;margin:0 0 12px;font-size:17px;font-weight:600;color:var(--high);text-decoration:none}
nav input{width:100%;margin:0 0 12px;padding:6px 10px;color:var(--high);background:var(--input);border:1px solid var(--line2);border-radius:4px;font:inherit}
nav ul{margin:0;padding:0;list-style:none}
nav li a{display:block;padding:3px 10px;border-radius:4px;color:var(--text);text-decoration:none}
nav li a:hover,nav li a:focus-visible{background:var(--hover);color:var(--high)}
nav li a[aria-current]{background:var(--selected);color:var(--high)}
nav ul ul a{padding-left:24px;font-size:13px;color:var(--dim)}
#found a{padding:6px 10px}
#found b{display:block;font-weight:600;color:var(--high)}
#found small{display:block;color:var(--dim);line-height:1.4;overflow-wrap:anywhere}
main{max-width:860px;padding:28px 40px 60px}
h1{margin:0 0 12px;font-size:26px;line-height:1.25;color:var(--high)}
h2{margin:34px 0 8px;padding-top:14px;border-top:1px solid var(--line);font-size:19px;color:var(--high)}
h3{margin:24px 0 6px;font-size:16px;color:var(--high)}
h2 a,h3 a{margin-left:8px;color:var(--faint);font-weight:400;text-decoration:none;opacity:0}
h2:hover a,h3:hover a,h2 a:focus,h3 a:focus{opacity:1}
.about{font-size:17px;color:var(--dim)}
strong{color:var(--high)}
code{padding:1px 4px;background:var(--input);border-radius:3px;font:13px "JetBrains Mono",ui-monospace,monospace;overflow-wrap:anywhere}
.example{position:relative}
pre{margin:14px 0;padding:12px 14px;overflow-x:auto;background:var(--input);border:1px solid var(--line);border-radius:4px}
pre code{padding:0;background:none;color:var(--high);line-height:1.55;overflow-wrap:normal}
.example button{position:absolute;top:7px;right:7px;padding:2px 10px;color:var(--dim);background:var(--panel);border:1px solid var(--line2);border-radius:4px;font:12px Inter,system-ui,sans-serif;cursor:pointer}
.example button:hover{color:var(--high)}
.wide{overflow-x:auto}
table{margin:14px 0;border-collapse:collapse}
th,td{padding:5px 20px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:500}
.r{text-align:right}
dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 24px}
dd{margin:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
[hidden]{display:none!important}
@media(max-width:760px){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}
nav ul#topics{columns:2}nav ul ul{display:none}main{padding:20px 18px 40px}pre{padding-top:40px}dl{display:block}dd{margin:0 0 10px}}
@media print{body{display:block;background:none}nav,.example button{display:none}main{max-width:none;padding:0}pre{white-space:pre-wrap}}
)";

/// The sections are defined before it, as `sections`: u URL, t topic, s heading, x text. It finds
/// the same sections as gui/manual/search.h.
constexpr const char* kSiteSearch =
    R"(const everywhere = new Set(('a an and are at by can do does for from how i in is it my of on or that the ' +
  'this to what with').split(' '));
function stem(word) {
  const cut = (end, least) => {
    if (!word.endsWith(end) || word.length < end.length + least) return false;
    word = word.slice(0, -end.length);
    return true;
  };
  if (/(x|ch|sh)es$/.test(word)) cut('es', 3);
  else if (!word.endsWith('ss')) cut('s', 3);
  cut('ness', 4) || cut('ing', 4) || cut('ed', 4);
  return word;
}
function searchWords(typed) {
  const all = typed.toLowerCase().split(/[\s,?"]+/).filter(word => word);
  const told = all.filter(word => !everywhere.has(word));
  return (told.length ? told : all).map(stem);
}
const isLetter = letter => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
function match(text, word) {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
    let end = at + word.length;
    if (text[end] === 's') ++end;
    best = Math.max(best, isLetter(text[at - 1]) ? 1 : isLetter(text[end]) ? 2 : 3);
  }
  return best;
}
for (const one of sections)
  one.low = {x: one.x.toLowerCase(), s: one.s.toLowerCase(), t: (one.t + ' ' + one.u.split('.')[0]).toLowerCase()};
const worth = {x: [0, 2, 5, 8], s: [0, 15, 30, 40], t: [0, 6, 14, 20]};
function search(typed) {
  const words = searchWords(typed);
  const found = [];
  for (const section of sections) {
    let count = 0, score = 0, first = section.x.length;
    for (const word of words) {
      const own = Object.keys(worth).reduce((sum, part) => sum + worth[part][match(section.low[part], word)], 0);
      if (own > 0) ++count;
      score += own;
      const at = section.low.x.indexOf(word);
      if (at >= 0) first = Math.min(first, at);
    }
    if (count) found.push({section, count, score, first: first < section.x.length ? first : 0});
  }
  const most = Math.max(0, ...found.map(one => one.count));
  return found.filter(one => one.count === most).sort((a, b) => b.score - a.score).slice(0, 30);
}
function excerpt(text, at) {
  const begin = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(begin, end < 0 ? text.length : end);
  const from = Math.max(0, at - begin - 40);
  return (from ? '…' : '') + line.slice(from, from + 120) + (from + 120 < line.length ? '…' : '');
}
const field = document.getElementById('search');
const list = document.getElementById('found');
const topics = document.getElementById('topics');
function show() {
  const typed = field.value.trim();
  topics.hidden = typed !== '';
  list.hidden = typed === '';
  list.replaceChildren();
  if (typed === '') return;
  for (const one of search(typed)) {
    const link = document.createElement('a');
    link.href = one.section.u;
    const heading = document.createElement('b');
    heading.textContent = one.section.s === one.section.t ? one.section.t : one.section.t + ' › ' + one.section.s;
    const words = document.createElement('small');
    words.textContent = excerpt(one.section.x, one.first);
    link.append(heading, words);
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  if (!list.firstChild) {
    const none = document.createElement('li');
    none.textContent = 'No matches.';
    list.append(none);
  }
}
field.hidden = false;
field.addEventListener('input', show);
field.addEventListener('keydown', event => {
  if (event.key === 'Escape') { field.value = ''; show(); }
  const links = list.querySelectorAll('a');
  if (event.key === 'Enter' && links.length) links[0].click();
  if (event.key === 'ArrowDown' && links.length) { links[0].focus(); event.preventDefault(); }
});
list.addEventListener('keydown', event => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (!step) return;
  const links = [...list.querySelectorAll('a')];
  const next = links.indexOf(document.activeElement) + step;
  (links[next] || (next < 0 ? field : links[links.length - 1])).focus();
  event.preventDefault();
});
list.addEventListener('click', event => {
  // Within this page nothing is loaded anew that would close the list.
  if (event.target.closest('a')) { field.value = ''; setTimeout(show); }
});
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.target === field || event.ctrlKey || event.altKey || event.metaKey) return;
  field.focus();
  event.preventDefault();
});
for (const button of document.querySelectorAll('.example button')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
)";

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
