#include "gui/analysis/alerts/alert_tracker.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Alert an_alert(AlertKind kind, Rank rank = kNoRank, Step step = -1) {
  Alert alert;
  alert.kind = kind;
  alert.rank = rank;
  alert.step = step;
  return alert;
}

}  // namespace

TEST_CASE("An alert is new once, as long as it lasts") {
  AlertTracker book;
  const std::vector<Alert> one{an_alert(AlertKind::kDiverged)};
  CHECK(book.take(one, 0).size() == 1);
  CHECK(book.take(one, 1 * kSecond).empty());
  // An alert that is gone for a moment is the same one, and comes again as new after a long time.
  CHECK(book.take({}, 2 * kSecond).empty());
  CHECK(book.take(one, 40 * kSecond).empty());
  CHECK(book.take({}, 41 * kSecond).empty());
  CHECK(book.take({}, 40 * kSecond + AlertTracker::kAwayNs).empty());
  CHECK(book.take(one, 200 * kSecond).size() == 1);
}

TEST_CASE("A dismissed alert stays away until something new happens") {
  AlertTracker book;
  const Alert late = an_alert(AlertKind::kStraggler, 2);
  const Alert silent = an_alert(AlertKind::kRankSilent, 1, 40);
  (void)book.take(std::vector{late}, 0);
  book.dismiss();
  CHECK(book.dismissed(late));
  CHECK(book.take(std::vector{late, silent}, kSecond).size() == 1);
  CHECK(book.dismissed(late));
  CHECK_FALSE(book.dismissed(silent));
  CHECK(book.dismissed_keys() == std::vector<std::string>{key_of(late)});
  book.dismiss();
  // The same rank, silent after a later step, is a new alert.
  const Alert again = an_alert(AlertKind::kRankSilent, 1, 90);
  CHECK(book.take(std::vector{late, again}, 2 * kSecond).size() == 1);
  CHECK_FALSE(book.dismissed(again));
}

TEST_CASE("Keys distinguish what is new from what only grows") {
  Alert lost = an_alert(AlertKind::kRecordsLost, 0);
  lost.count = 3;
  const std::string few = key_of(lost);
  lost.count = 9;
  CHECK(key_of(lost) == few);
  lost.count = 10;
  CHECK(key_of(lost) != few);
  // The rank and first step of a broken loss may be corrected later: the alert stays the same.
  Alert broken = an_alert(AlertKind::kLossNotFinite, kNoRank, 8);
  const std::string loss = key_of(broken);
  CHECK(key_of(an_alert(AlertKind::kLossNotFinite, 1, 7)) == loss);
  broken.attempt = 1;
  CHECK(key_of(broken) != loss);
  Alert hot = an_alert(AlertKind::kSlowedDevice);
  const std::string device = key_of(hot);
  hot.rank = 1;
  CHECK(key_of(hot) == device);
  Alert full = an_alert(AlertKind::kDiskLow);
  full.severity = messages::Severity::kWarning;
  const std::string low = key_of(full);
  full.severity = messages::Severity::kError;
  CHECK(key_of(full) != low);
  Alert said = an_alert(AlertKind::kNotice, 1);
  said.code = "disk";
  Alert other = said;
  other.code = "clock";
  CHECK(key_of(said) != key_of(other));
  // An error is new after a warning, and again in another attempt.
  Alert error = said;
  error.severity = messages::Severity::kError;
  CHECK(key_of(said) != key_of(error));
  Alert later = error;
  later.attempt = 1;
  CHECK(key_of(error) != key_of(later));
}
