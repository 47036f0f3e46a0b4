// Caches one view until its inputs change. The key, which is compared with ==, stands for the
// inputs. One thread.
#pragma once

#include <optional>
#include <utility>

namespace ringside::view {

template <class Key, class View>
class Cached {
 public:
  /// Returns the cached view if `key` is unchanged, or else caches and returns `build()`.
  template <class Build>
  const View& get(const Key& key, Build&& build) {
    if (!key_ || !(*key_ == key)) {
      view_ = std::forward<Build>(build)();
      key_ = key;
      ++builds_;
    }
    return view_;
  }
  void forget() { key_.reset(); }
  unsigned long builds() const { return builds_; }

 private:
  std::optional<Key> key_;
  View view_{};
  unsigned long builds_ = 0;
};

}  // namespace ringside::view
