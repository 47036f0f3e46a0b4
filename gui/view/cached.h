// A view kept until what it was made from changes. Holds one value; the key is compared with ==.
// One thread.
#pragma once

#include <optional>
#include <utility>

namespace ringside::view {

template <class Key, class View>
class Cached {
 public:
  /// The kept view when `key` is the one it was built for, else `build()`, kept.
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
