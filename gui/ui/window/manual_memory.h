// State of the manual sheet between frames. Main thread.
#pragma once

#include <string>
#include <vector>

#include "gui/view/cached.h"
#include "gui/view/manual/manual_view.h"

namespace ringside::ui {

struct ManualMemory {
  /// A page that was left, and its scroll position.
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

  std::string typed;     ///< search text
  int selected = 0;      ///< index in the results of the search
  bool moved = false;    ///< a key changed `selected`
  bool focused = false;  ///< the field got the focus when the sheet was opened
  bool listed = false;   ///< in a narrow window the list replaces the page
  int times = 0;         ///< handled requests to open a topic
  view::ManualPlace at;
  std::vector<Visit> before;
  float scroll = 0;    ///< scroll position of the page in the last frame
  bool jump = false;   ///< the section of `at` is to be scrolled into view
  float back_to = -1;  ///< scroll position to restore; below 0: none
  view::Cached<Key, view::ManualView> view;

  /// Opens another place and adds the current one to those for Back.
  void go_to(view::ManualPlace place);
  void go_back();
};

}  // namespace ringside::ui
