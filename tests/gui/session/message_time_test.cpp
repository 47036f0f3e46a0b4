// When a message goes by itself, and when it stays.
#include "gui/session/message_time.h"

#include "gui/view/window/sheet_labels.h"
#include "tests/support/catch.h"

using namespace ringside;
using session::MessageTime;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

view::Message message(view::Tone tone, const std::string& text) {
  view::Message made;
  made.number = 1;
  made.tone = tone;
  made.text = text;
  return made;
}

}  // namespace

TEST_CASE("a success goes by itself, once, and wakes the window for that alone") {
  MessageTime time;
  CHECK(time.left_s(0) > 1e9);
  time.begin(message(view::Tone::kOk, "Saved."), 100 * kSecond);
  CHECK(time.left_s(100 * kSecond) == Approx(6));
  CHECK_FALSE(time.over(105 * kSecond));
  CHECK(time.over(106 * kSecond));
  time.begin({}, 106 * kSecond);  // what the window shows then
  CHECK_FALSE(time.over(1000 * kSecond));
  CHECK(time.left_s(1000 * kSecond) > 1e9);
}

TEST_CASE("what can be undone stays longer, what went wrong or goes on until it is closed") {
  MessageTime time;
  auto undo = message(view::Tone::kInfo, "Run #3 was moved.");
  undo.action = view::label::kUndo;
  undo.command = view::UndoTrash{};
  time.begin(undo, 0);
  CHECK_FALSE(time.over(9 * kSecond));
  CHECK(time.over(10 * kSecond));
  auto going = message(view::Tone::kOk, "Exporting");
  going.share = 0.5;
  auto offer = message(view::Tone::kOk, "This run is outside the list.");
  offer.action = view::label::kImport;
  offer.command = view::ImportRun{"/x"};
  for (const auto& stays :
       {message(view::Tone::kError, "It failed."), message(view::Tone::kWarning, "Careful."),
        message(view::Tone::kInfo, "Copying"), going, offer}) {
    CAPTURE(stays.text);
    time.begin(stays, 0);
    CHECK_FALSE(time.over(1000 * kSecond));
    CHECK(time.left_s(0) > 1e9);
  }
}

TEST_CASE("under the mouse a message stays, and has its time again when the mouse has left") {
  MessageTime time;
  time.begin(message(view::Tone::kOk, "Saved."), 0);
  time.hold(true, 5 * kSecond);
  CHECK_FALSE(time.over(60 * kSecond));
  CHECK(time.left_s(60 * kSecond) > 1e9);
  time.hold(false, 60 * kSecond);
  time.hold(false, 65 * kSecond);  // said again in every frame
  CHECK(time.left_s(65 * kSecond) == Approx(1));
  CHECK(time.over(66 * kSecond));
}
