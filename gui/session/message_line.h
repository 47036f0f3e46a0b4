// The message of the window: the newest one, until it is closed. A success closes by itself, more
// slowly if it offers Undo; an error stays; and none closes under the mouse. Main thread.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "gui/view/window/screen_input.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"

namespace ringside::session {

class MessageLine {
 public:
  static constexpr std::int64_t kSuccessNs = 6'000'000'000;
  static constexpr std::int64_t kUndoNs = 10'000'000'000;

  const view::Message& shown() const { return message_; }

  void show(view::Message message, std::int64_t now_ns = mono_now_ns()) {
    message.number = message_.number + 1;
    message_ = std::move(message);
    held_ = false;
    begin_time(now_ns);
  }
  void notify(view::Tone tone, const std::string& text) {
    view::Message message;
    message.tone = tone;
    message.text = text;
    show(std::move(message));
  }
  void notify(const Error& error) { notify(view::Tone::kError, error.message); }
  void notify(const Result<void>& done, const std::string& success) {
    notify(done ? view::Tone::kOk : view::Tone::kError, done ? success : done.error().message);
  }
  /// Appends the text to the message that is shown, or shows it alone.
  void add(const std::string& text) {
    if (message_.text.empty()) {
      notify(view::Tone::kInfo, text);
    } else {
      message_.text += " " + text;
    }
  }
  /// Closes the message, unless it shows the progress of unfinished work.
  void clear() {
    if (message_.share < 0) show({});
  }
  /// Keeps the message open while the mouse is over it; its time starts from zero when the mouse
  /// leaves.
  void hold(bool on, std::int64_t now_ns = mono_now_ns()) {
    if (on == held_) return;
    held_ = on;
    if (!on) begin_time(now_ns);
  }

  /// `share`: progress of the work that the message shows, if any. True if the message has changed.
  bool update(double share, std::int64_t now_ns = mono_now_ns()) {
    const bool further = message_.share >= 0 && share > message_.share;
    if (further) message_.share = share;
    const bool over = !held_ && now_ns >= until_ns_;
    if (over) show({}, now_ns);
    return further || over;
  }
  /// Seconds until it closes by itself; infinite if only a person closes it.
  double left_s(std::int64_t now_ns = mono_now_ns()) const {
    if (held_ || until_ns_ == kNever) return std::numeric_limits<double>::infinity();
    return now_ns >= until_ns_ ? 0 : static_cast<double>(until_ns_ - now_ns) * 1e-9;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  void begin_time(std::int64_t now_ns) {
    const bool undone = message_.command && message_.tone != view::Tone::kError &&
                        view::as<view::UndoTrash>(*message_.command) != nullptr;
    const bool success = message_.tone == view::Tone::kOk && !message_.text.empty() &&
                         message_.share < 0 && message_.action.empty();
    until_ns_ = undone ? now_ns + kUndoNs : success ? now_ns + kSuccessNs : kNever;
  }

  view::Message message_;
  std::int64_t until_ns_ = kNever;
  bool held_ = false;
};

}  // namespace ringside::session
