// What the sheet of the manual remembers between frames. Main thread.
#pragma once

#include <string>
#include <vector>

#include "gui/view/cached.h"
#include "gui/view/manual/manual_view.h"

namespace ringside::ui {

struct ManualMemory {
  /// A page that was left, and how far down it was read.
  struct Visit {
    view::ManualPlace place;
    float scroll = 0;
  };
  struct Key {
    const manual::Manual* manual = nullptr;
    std::string problem;
    std::string typed;
    view::ManualPlace at;
    bool operator==(const Key&) const = default;
  };

  std::string typed;     ///< what is looked for
  int selected = 0;      ///< index in the results of the search
  bool moved = false;    ///< `selected`, by a key
  bool focused = false;  ///< the field got the keyboard when the sheet was opened
  bool listed = false;   ///< in a narrow window the list stands in the place of the page
  int times = 0;         ///< requests to open a topic that were carried out
  view::ManualPlace at;
  std::vector<Visit> before;
  float scroll = 0;    ///< of the page in the last frame
  bool jump = false;   ///< the section of `at` is to be brought into view
  float back_to = -1;  ///< this far down is to be scrolled; below 0: not
  view::Cached<Key, view::ManualView> view;

  /// Opens another place; the one before can be gone back to.
  void go_to(view::ManualPlace place);
  void go_back();
};

}  // namespace ringside::ui
