#include "gui/analysis/alerts/alert_tracker.h"

namespace ringside::analysis {

std::vector<Alert> AlertTracker::take(std::span<const Alert> found, std::int64_t now_ns) {
  for (auto& [key, entry] : entries_) entry.there = false;
  std::vector<Alert> fresh;
  for (const Alert& alert : found) {
    const auto [entry, is_new] = entries_.try_emplace(key_of(alert));
    if (is_new) fresh.push_back(alert);
    entry->second.seen_ns = now_ns;
    entry->second.there = true;
  }
  std::erase_if(entries_, [now_ns](const auto& item) {
    return !item.second.there && now_ns - item.second.seen_ns >= kAwayNs;
  });
  return fresh;
}

void AlertTracker::dismiss() {
  for (auto& [key, entry] : entries_) entry.dismissed = entry.dismissed || entry.there;
}

bool AlertTracker::dismissed(const Alert& alert) const {
  const auto entry = entries_.find(key_of(alert));
  return entry != entries_.end() && entry->second.dismissed;
}

std::vector<std::string> AlertTracker::dismissed_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) {
    if (entry.dismissed) keys.push_back(key);
  }
  return keys;
}

}  // namespace ringside::analysis
