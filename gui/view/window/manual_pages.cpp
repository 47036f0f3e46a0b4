#include "gui/view/window/manual_pages.h"

#include <utility>

#include "gui/view/window/palette.h"

namespace ringside::view {

manual::Page keys_page() {
  manual::Page page;
  page.topic = "keys";
  page.title = label::kKeys;
  page.about = "Every key of the window, as ? lists them there.";
  page.blocks.emplace_back(manual::Paragraph{{{page.about}}});
  page.blocks.emplace_back(manual::Heading{2, {{"All keys"}}, "all-keys"});
  manual::Table table{{false, false}, {{{"Key"}}, {{"What it does"}}}, {}};
  for (const KeyHelp& line : key_help())
    table.rows.push_back({{{line.keys, false, false, true, {}}}, {{line.what}}});
  page.blocks.emplace_back(std::move(table));
  return page;
}

Result<manual::Manual> read_whole_manual() {
  const auto folder = RINGSIDE_TRY(manual::manual_folder());
  auto manual = manual::read_manual(folder);
  if (manual && manual->find("keys") == nullptr) manual->pages.push_back(keys_page());
  return manual;
}

}  // namespace ringside::view
