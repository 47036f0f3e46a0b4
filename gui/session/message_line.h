// The message at the foot of the window: what is told last, until it is closed or its time is over.
// Main thread.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "gui/session/message_time.h"
#include "gui/view/window/screen_input.h"
#include "protocol/base/clock.h"

namespace ringside::session {

class MessageLine {
 public:
  const view::Message& shown() const { return message_; }

  void show(view::Message message) {
    message.number = message_.number + 1;
    message_ = std::move(message);
    time_.begin(message_, mono_now_ns());
  }
  /// Shown until closed; a success for some seconds.
  void notify(view::Tone tone, const std::string& text) {
    view::Message message;
    message.tone = tone;
    message.text = text;
    show(std::move(message));
  }
  void notify(const Result<void>& done, const std::string& success) {
    notify(done ? view::Tone::kOk : view::Tone::kError, done ? success : done.error().message);
  }
  /// After what is told already.
  void add(const std::string& text) {
    if (message_.text.empty()) {
      notify(view::Tone::kInfo, text);
    } else {
      message_.text += " " + text;
    }
  }
  /// Closes what is told, unless it tells of work that goes on.
  void clear() {
    if (message_.share < 0) show({});
  }
  /// The mouse is over it: it stays.
  void hold(bool on) { time_.hold(on, mono_now_ns()); }

  /// `share`: of the work that it tells of, if any. True when it looks different now.
  bool update(double share) {
    const bool further = message_.share >= 0 && share > message_.share;
    if (further) message_.share = share;
    const bool over = time_.over(mono_now_ns());
    if (over) show({});
    return further || over;
  }
  /// Seconds until its time is over; infinite where nothing but a person closes it.
  double left_s() const { return std::max(0.0, time_.left_s(mono_now_ns())); }

 private:
  view::Message message_;
  MessageTime time_;
};

}  // namespace ringside::session
