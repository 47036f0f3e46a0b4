// Remembers which alerts of one run a person has dismissed, and which have not been reported yet.
// An alert that is gone for a while may come again as a new one. One thread; lives as long as the
// run is open.
#pragma once

#include <map>
#include <span>

#include "gui/analysis/alerts/alerts.h"

namespace ringside::analysis {

class AlertTracker {
 public:
  /// An alert that was gone for less than this is still the same one.
  static constexpr std::int64_t kAwayNs = 60'000'000'000;

  /// Takes the current alerts; returns the new ones, in the same order.
  std::vector<Alert> take(std::span<const Alert> found, std::int64_t now_ns);
  /// Dismisses the current alerts; later ones are shown again.
  void dismiss();
  bool dismissed(const Alert& alert) const;
  std::vector<std::string> dismissed_keys() const;

 private:
  struct Entry {
    std::int64_t seen_ns = 0;
    bool there = false;  ///< among the newest
    bool dismissed = false;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace ringside::analysis
