#include "gui/view/manual/manual_view.h"

#include "gui/manual/search.h"

namespace ringside::view {
namespace {

constexpr std::size_t kMostFound = 40;

void add_topics(const manual::Manual& manual, const ManualPlace& at, ManualView& view) {
  for (const manual::Page& page : manual.pages) {
    const bool on = page.topic == at.topic;
    view.entries.push_back({page.title, {}, {}, {page.topic, {}}, 0, on && at.section.empty()});
    if (!on) continue;
    for (const manual::Section& section : manual::main_sections(page)) {
      if (section.slug.empty()) continue;
      view.entries.push_back(
          {section.title, {}, {}, {page.topic, section.slug}, 1, section.slug == at.section});
    }
  }
}

void add_found(const manual::Manual& manual, std::string_view typed, const ManualPlace& at,
               ManualView& view) {
  for (manual::Found& found : manual::search(manual, typed)) {
    if (view.entries.size() == kMostFound) break;
    const ManualPlace place{found.page->topic, found.section.slug};
    view.entries.push_back({found.section.title,
                            found.section.slug.empty() ? std::string() : found.page->title,
                            std::move(found.excerpt), place, 0, place == at});
  }
  if (view.entries.empty()) view.no_entries = "No matches.";
}

}  // namespace

ManualView build_manual_view(const ManualInput& input, std::string_view typed,
                             const ManualPlace& at) {
  ManualView view;
  view.title = label::kManual;
  if (input.manual == nullptr) {
    view.failed = !input.problem.empty();
    view.empty = view.failed ? input.problem : "Reading the manual…";
    return view;
  }
  if (manual::search_words(typed).empty()) {
    add_topics(*input.manual, at, view);
  } else {
    add_found(*input.manual, typed, at, view);
  }
  view.page = input.manual->find(at.topic);
  if (view.page != nullptr) view.title = view.page->title;
  if (view.page == nullptr) {
    view.failed = true;
    view.empty = "The manual of this installation has no topic \"" + at.topic +
                 "\". Choose another one from the list.";
  }
  return view;
}

}  // namespace ringside::view
