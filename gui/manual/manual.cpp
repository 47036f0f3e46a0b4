#include "gui/manual/manual.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>

#include "gui/launch/paths.h"
#include "gui/manual/parse.h"
#include "protocol/host/files.h"

namespace ringside::manual {
namespace {

namespace fs = std::filesystem;

/// Topics in reading order, from beginner to reference. Topics that are not listed follow by name.
constexpr std::array<std::string_view, 20> kOrder{
    "start",    "scripts",     "watch",   "window", "timeline", "waterfall", "runs",
    "settings", "alerts",      "studies", "data",   "ssh",      "slurm",     "nodes",
    "doctor",   "experiments", "exports", "gate",   "promises", "keys"};

auto order_of(const Page& page) {
  const auto place = std::ranges::find(kOrder, page.topic) - kOrder.begin();
  return std::make_tuple(place, page.topic);
}

/// FORMAT.md describes the format of the topics and is not a topic itself.
bool is_topic(const fs::path& path) {
  const std::string name = path.stem().string();
  return path.extension() == ".md" && !name.empty() && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

void check_link(const Manual& manual, const Page& page, const Link& link,
                std::vector<std::string>& found) {
  if (link.topic.empty()) return;
  const Page* const target = manual.find(link.topic);
  const std::string file = link.topic + ".md";
  if (target == nullptr) {
    found.push_back(page.topic + ": a link leads to " + file + ", which is not there");
  } else if (section_of(*target, link.section).end == 0 && !target->blocks.empty()) {
    found.push_back(page.topic + ": a link leads to " + file + "#" + link.section +
                    ", where no section has that name");
  }
}

struct CheckLinks {
  const Manual& manual;
  const Page& page;
  std::vector<std::string>& found;

  void operator()(const Text& text) const {
    for (const Run& run : text) check_link(manual, page, run.link, found);
  }
  void operator()(const Heading& heading) const { (*this)(heading.text); }
  void operator()(const Paragraph& paragraph) const { (*this)(paragraph.text); }
  void operator()(const List& list) const {
    for (const Text& item : list.items) (*this)(item);
  }
  void operator()(const Code&) const {}
  void operator()(const Table& table) const {
    for (const Text& cell : table.head) (*this)(cell);
    for (const auto& row : table.rows) {
      for (const Text& cell : row) (*this)(cell);
    }
  }
};

}  // namespace

const Page* Manual::find(std::string_view topic) const {
  const auto found =
      std::ranges::find_if(pages, [topic](const Page& page) { return page.topic == topic; });
  return found == pages.end() ? nullptr : &*found;
}

std::vector<std::string> Manual::topics() const {
  std::vector<std::string> names;
  for (const Page& page : pages) names.push_back(page.topic);
  return names;
}

Result<fs::path> manual_folder() {
  const auto assets = RINGSIDE_TRY(launch::assets_folder());
  return assets / "manual";
}

Result<Manual> read_manual(const fs::path& folder) {
  Manual manual;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_topic(it->path())) continue;
    const auto text = RINGSIDE_TRY(read_text(it->path(), std::size_t{1} << 20U));
    manual.pages.push_back(parse_page(it->path().stem().string(), text));
  }
  if (error) {
    return failure("cannot read the manual in " + folder.string() + ": " + error.message() +
                   "; it is installed with the presets (set RINGSIDE_ASSETS_DIR to another place)");
  }
  if (manual.pages.empty()) return failure("the manual in " + folder.string() + " has no topic");
  std::ranges::sort(manual.pages,
                    [](const Page& a, const Page& b) { return order_of(a) < order_of(b); });
  return manual;
}

std::vector<std::string> faults(const Manual& manual) {
  std::vector<std::string> found;
  for (const Page& page : manual.pages) {
    for (const std::string& fault : page.faults) found.push_back(page.topic + ": " + fault);
    for (const Block& block : page.blocks) std::visit(CheckLinks{manual, page, found}, block);
  }
  return found;
}

}  // namespace ringside::manual
