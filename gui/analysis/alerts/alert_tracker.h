// Remembers which alerts of one run a person has dismissed, and which have not been reported yet.
// An alert that goes and stays away for a while may come again as a new one. Touched by one thread;
// lives as long as the run is open.
#pragma once

#include <map>
#include <span>

#include "gui/analysis/alerts/alerts.h"

namespace ringside::analysis {

class AlertTracker {
 public:
  /// An alert that was away for less is the same one.
  static constexpr std::int64_t kAwayNs = 60'000'000'000;

  /// Takes the alerts of now; returns those that are new, in their order.
  std::vector<Alert> take(std::span<const Alert> found, std::int64_t now_ns);
  /// Dismisses what is there now; what comes later is shown again.
  void dismiss();
  bool dismissed(const Alert& alert) const;
  /// Keys of what was dismissed.
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
