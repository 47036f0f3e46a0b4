// How long a message stays on the screen: one of a success goes by itself, one that can be undone
// later, what went wrong stays until it is closed, and none goes under the mouse. Pure.
#pragma once

#include <cstdint>
#include <limits>

#include "gui/view/window/screen_input.h"

namespace ringside::session {

class MessageTime {
 public:
  static constexpr std::int64_t kSuccessNs = 6'000'000'000;
  static constexpr std::int64_t kUndoNs = 10'000'000'000;

  /// A new message, or none, is on the screen from now on.
  void begin(const view::Message& message, std::int64_t now_ns) {
    stays_ns_ = stay_of(message);
    held_ = false;
    until_ns_ = stays_ns_ > 0 ? now_ns + stays_ns_ : kNever;
  }
  /// Whether the mouse is over it: its time begins anew when it leaves.
  void hold(bool on, std::int64_t now_ns) {
    if (on == held_) return;
    held_ = on;
    if (!on && stays_ns_ > 0) until_ns_ = now_ns + stays_ns_;
  }
  bool over(std::int64_t now_ns) const { return !held_ && now_ns >= until_ns_; }
  /// Seconds until over() holds; infinite where nothing but a person ends it.
  double left_s(std::int64_t now_ns) const {
    return held_ || until_ns_ == kNever ? std::numeric_limits<double>::infinity()
                                        : static_cast<double>(until_ns_ - now_ns) * 1e-9;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  static std::int64_t stay_of(const view::Message& message) {
    const bool undone = message.command && view::as<view::UndoTrash>(*message.command) != nullptr;
    if (undone) return kUndoNs;
    return message.tone == view::Tone::kOk && !message.text.empty() && message.share < 0 &&
                   message.action.empty()
               ? kSuccessNs
               : 0;
  }

  std::int64_t stays_ns_ = 0;  ///< 0: until it is closed
  std::int64_t until_ns_ = kNever;
  bool held_ = false;
};

}  // namespace ringside::session
