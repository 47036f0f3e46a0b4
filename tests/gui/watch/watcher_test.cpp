#include "gui/watch/watcher.h"

#include <cmath>
#include <fstream>

#include "protocol/host/files.h"
#include "protocol/messages/spec/watched.h"
#include "protocol/runlog/log_reader.h"
#include "tests/gui/watch/foreign_files.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::testing;
using messages::Scalar;
using messages::StepReport;

namespace {

template <class Body>
std::vector<std::pair<messages::Stamp, Body>> all_of(const runlog::RunFolder& folder) {
  support::RecordList list;
  REQUIRE(runlog::read_log(folder.log_path(0), list));
  std::vector<std::pair<messages::Stamp, Body>> bodies;
  for (const auto& entry : list.entries) {
    if (const auto* body = std::get_if<Body>(&entry.record))
      bodies.emplace_back(entry.stamp, *body);
  }
  return bodies;
}

messages::RankState last_state(const runlog::RunFolder& folder) {
  return all_of<messages::RankState>(folder).back().second;
}

struct LogPlace {
  watch::WatchOptions options(bool live = true) const {
    return {folder.path() / "logs", folder.path() / "runs", "", live};
  }
  watch::Watcher watcher(bool live = true) const { return watch::Watcher(options(live)); }
  void append(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder.path() / "logs" / name).parent_path());
    std::ofstream(folder.path() / "logs" / name, std::ios::binary | std::ios::app) << text;
  }
  TempFolder folder;
};

void read_all(watch::Watcher& watcher) {
  for (;;) {
    const auto more = watcher.poll();
    REQUIRE(more);
    if (!*more) return;
  }
}

}  // namespace

TEST_CASE("an event file is recorded as a run that grows with it") {
  const LogPlace place;
  const double now_s = static_cast<double>(SystemClock().wall_ns()) * 1e-9;
  place.append("events.out.tfevents.1", event_file(now_s, 3, "train/loss", 0.5F));
  auto watcher = place.watcher();
  read_all(watcher);
  REQUIRE(watcher.folders().size() == 1);
  const auto folder = watcher.folders().front();
  CHECK(runlog::FolderLock::is_held(folder));
  CHECK(all_of<Scalar>(folder).size() == 1);
  std::string more;
  const exporting::TaggedValue values[] = {{"train/loss", 0.25F}, {"lr", 0.1F}};
  exporting::append_scalars(more, now_s + 1, 4, values);
  place.append("events.out.tfevents.1", more);
  read_all(watcher);
  const auto scalars = all_of<Scalar>(folder);
  REQUIRE(scalars.size() == 3);
  CHECK(scalars[1].second.name == "train/loss");
  CHECK(scalars[1].second.step == 4);
  CHECK(scalars[1].first.rank == 0);
  const auto steps = all_of<StepReport>(folder);
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].second.loss == 0.25F);
  CHECK(steps[1].second.lr == Approx(0.1));
  CHECK(steps[1].second.samples == -1);
  CHECK(steps[1].second.step_ns == -1);
  CHECK(messages::is_unknown(steps[1].second.grad_norm));
  CHECK(std::isnan(steps[0].second.lr));
  // The log uses the clock of this machine.
  CHECK(std::abs(scalars[0].first.mono_ns - SystemClock().mono_ns()) < 60'000'000'000);
  REQUIRE(watcher.stop_all(messages::State::kStopped, "asked here"));
  CHECK_FALSE(runlog::FolderLock::is_held(folder));
  CHECK(last_state(folder).state == messages::State::kStopped);
  CHECK(watcher.over());
}

TEST_CASE("a followed run is stopped once its writer is gone, and trains again once one writes") {
  const LogPlace place;
  support::FakeClock clock;
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  const std::int64_t now_ns = SystemClock().wall_ns();
  clock.set(SystemClock().mono_ns(), now_ns);
  const auto event = [&](Step step) {
    return event_file(static_cast<double>(now_ns) * 1e-9, step, "loss", 0.5F);
  };
  place.append("events.out.tfevents.1", event(1));
  watch::Watcher watcher(place.options(), clock);
  std::ofstream writer(place.folder.path() / "logs/events.out.tfevents.1", std::ios::app);
  read_all(watcher);
  const auto folder = watcher.folders().front();
  clock.advance(30 * kMinuteNs);
  read_all(watcher);
  CHECK(last_state(folder).state == messages::State::kTraining);  // the writer has the file open
  writer.close();
  clock.advance(kMinuteNs);
  read_all(watcher);
  CHECK(last_state(folder).state == messages::State::kStopped);
  CHECK(last_state(folder).text.find("nothing is written any more") != std::string::npos);
  CHECK(runlog::FolderLock::is_held(folder));
  place.append("events.out.tfevents.1", event(2));
  read_all(watcher);
  CHECK(last_state(folder).state == messages::State::kTraining);
  REQUIRE(watcher.stop_all(messages::State::kStopped, "asked here"));
  // The time when it ended, not that of a value.
  CHECK(last_state(folder).wall_ns == now_ns + 31 * kMinuteNs);
}

TEST_CASE("a writer that cannot be seen counts as gone only after a long silence") {
  const LogPlace place;
  support::FakeClock clock;
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  clock.set(SystemClock().mono_ns(), SystemClock().wall_ns());
  place.append("metrics.csv", "step,loss\n5,1\n");
  watch::Watcher watcher(place.options(), clock);
  read_all(watcher);
  const auto folder = watcher.folders().front();
  clock.advance(9 * kMinuteNs);
  read_all(watcher);
  CHECK(last_state(folder).state == messages::State::kTraining);
  clock.advance(2 * kMinuteNs);
  read_all(watcher);
  CHECK(last_state(folder).state == messages::State::kStopped);
}

TEST_CASE("ranks, parts and runs of a folder become those of the list") {
  const LogPlace place;
  place.append("a/rank_0/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 1));
  place.append("a/rank_1/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 2));
  place.append("b/train/events.out.tfevents.1", event_file(1.7e9, 1, "epoch_loss", 3));
  auto watcher = place.watcher(false);
  read_all(watcher);
  REQUIRE(watcher.folders().size() == 2);
  const auto steps = all_of<StepReport>(watcher.folders()[0]);
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].first.rank == 1);
  CHECK(steps[1].second.loss == 2);
  CHECK(all_of<Scalar>(watcher.folders()[0])[1].first.rank == 1);
  CHECK(all_of<Scalar>(watcher.folders()[1])[0].second.name == "train/epoch_loss");
  const auto text = read_text(watcher.folders()[0].spec_path());
  REQUIRE(text);
  const auto spec = messages::parse_run_spec(*text, "spec.toml");
  REQUIRE(spec);
  CHECK(messages::is_watched(*spec));
  CHECK(spec->name == "a");
  CHECK(spec->devices.world_size == 2);
  CHECK(watcher.over());
  CHECK(watcher.recorded().empty());
}

TEST_CASE("one of several runs can be stopped, and the others go on") {
  const LogPlace place;
  place.append("a/metrics.csv", "step,loss\n1,1\n");
  place.append("b/metrics.csv", "step,loss\n1,1\n");
  auto watcher = place.watcher();
  read_all(watcher);
  REQUIRE(watcher.stop(watcher.folders()[0].id(), messages::State::kStopped, "asked"));
  CHECK_FALSE(watcher.over());
  CHECK(watcher.recorded().size() == 1);
}

TEST_CASE("an old run keeps its times of day, whenever this machine was started") {
  const LogPlace place;
  place.append("metrics.csv", "step,timestamp,loss\n1,1600000000,2\n2,1600000060,1\n");
  auto watcher = place.watcher(false);
  read_all(watcher);
  const auto folder = watcher.folders().front();
  const auto states = all_of<messages::RankState>(folder);
  CHECK(states.front().second.wall_ns == 1'600'000'000'000'000'000);
  CHECK(states.back().second.wall_ns == 1'600'000'060'000'000'000);
  const auto scalars = all_of<Scalar>(folder);
  CHECK(scalars[1].first.mono_ns - scalars[0].first.mono_ns == 60'000'000'000);
}

TEST_CASE("the end of a program that W&B recorded is the end of its run") {
  const LogPlace place;
  WandbFile file;
  file.add(bytes_field(17, bytes_field(8, "bright-sun-7")));
  file.add_history(0, {{"loss", "1"}});
  place.append("run-1.wandb", file.bytes);
  auto watcher = place.watcher();
  read_all(watcher);
  CHECK_FALSE(watcher.over());
  const std::size_t before = file.bytes.size();
  file.add(bytes_field(18, number_field(1, 3)));
  place.append("run-1.wandb", file.bytes.substr(before));
  read_all(watcher);
  CHECK(watcher.over());
  const auto state = last_state(watcher.folders().front());
  CHECK(state.state == messages::State::kFailed);
  CHECK(state.text == "exit code 3, as W&B recorded it");
  const auto text = read_text(watcher.folders().front().spec_path());
  CHECK(text->find("bright-sun-7") != std::string::npos);
}

TEST_CASE("intact runs survive a damaged one beside them, and each kind of damage is one notice") {
  const LogPlace place;
  const std::string good = event_file(1.7e9, 1, "loss", 1);
  place.append("a/events.out.tfevents.1", good);
  place.append("b/events.out.tfevents.1", good);
  for (int i = 0; i < 3; ++i) place.append("b/events.out.tfevents.1", "nonsense of some length");
  place.append("b/events.out.tfevents.1", event_file(1.7e9, 2, "loss", 2));
  place.append("c/events.out.tfevents.1", "nonsense, long enough");
  place.append("d/events.out.tfevents.1", good.substr(0, 40));
  auto watcher = place.watcher(false);
  read_all(watcher);
  REQUIRE(watcher.folders().size() == 2);
  CHECK(all_of<Scalar>(watcher.folders()[0]).size() == 1);
  CHECK(all_of<messages::Notice>(watcher.folders()[0]).empty());
  CHECK(all_of<Scalar>(watcher.folders()[1]).size() == 2);
  const auto notices = all_of<messages::Notice>(watcher.folders()[1]);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].second.code == "left_out");
  CHECK(notices[0].second.severity == messages::Severity::kWarning);
  CHECK(notices[0].second.text.find("b/events.out.tfevents.1, byte " + std::to_string(good.size()) +
                                    ": a record is damaged") != std::string::npos);
  const auto lines = watch::notice_lines(watcher.left_out());
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("warning: "));
  CHECK(lines[0].find("/b/events") != std::string::npos);
  CHECK(lines[1].find("/c/events") != std::string::npos);
  CHECK(lines[2].starts_with("note: "));
  CHECK(lines[2].find("/d/events.out.tfevents.1: it holds no value") != std::string::npos);
  CHECK(last_state(watcher.folders()[0]).state == messages::State::kStopped);
}

TEST_CASE("a path without usable files is refused before there is a run, with a specific message") {
  const LogPlace place;
  place.append("events.out.tfevents.1", "nonsense, long enough");
  auto watcher = place.watcher();
  const auto refused = watcher.poll();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("this is not an event file of TensorBoard") !=
        std::string::npos);
  const LogPlace nothing;
  std::filesystem::create_directories(nothing.folder.path() / "logs");
  auto waiting = nothing.watcher();
  read_all(waiting);
  CHECK(waiting.folders().empty());
  CHECK_FALSE(waiting.over());
  CHECK(waiting.why_nothing().starts_with("no event file of TensorBoard"));
}

TEST_CASE("following continues after damage, and with the file of a restarted program") {
  const LogPlace place;
  place.append("a/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 1));
  support::FakeClock clock;
  clock.set(1'000'000'000'000, SystemClock().wall_ns());
  watch::Watcher watcher(place.options(), clock);
  read_all(watcher);
  place.append("a/events.out.tfevents.1", "nonsense, long enough to be a record");
  read_all(watcher);
  const auto folder = watcher.folders().front();
  REQUIRE(all_of<messages::Notice>(folder).size() == 1);
  place.append("a/events.out.tfevents.1", event_file(1.7e9, 2, "loss", 2));
  place.append("a/events.out.tfevents.2", event_file(1.7e9, 3, "loss", 3));
  place.append("b/metrics.csv", "step,loss\n1,1\n");
  clock.advance(10'000'000'000);
  read_all(watcher);
  CHECK(all_of<Scalar>(folder).size() == 3);
  CHECK(watcher.recorded().size() == 2);
  CHECK_FALSE(watcher.over());
}

TEST_CASE("an event file without a value does not hide the table beside it") {
  for (const bool live : {false, true}) {
    const LogPlace place;
    std::string head;
    exporting::append_file_version(head, 1.7e9);
    place.append("v/events.out.tfevents.1", head);
    place.append("v/metrics.csv", "step,loss\n1,1\n");
    place.append("w/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 1));
    place.append("w/metrics.csv", "step,loss\n1,1\n");
    auto watcher = place.watcher(live);
    read_all(watcher);
    REQUIRE(watcher.folders().size() == 2);
    CHECK(all_of<Scalar>(watcher.folders()[0]).size() == 1);
    CHECK(all_of<Scalar>(watcher.folders()[1]).size() == 1);
  }
}

TEST_CASE("thousands of runs are read one after the other, and a limit is reported") {
  const LogPlace place;
  for (int i = 0; i < 120; ++i)
    place.append("run_" + std::to_string(1000 + i) + "/metrics.csv", "step,loss\n1,1\n");
  auto watcher = place.watcher(false);
  read_all(watcher);
  CHECK(watcher.folders().size() == 120);
  CHECK(watcher.recorded().empty());
  CHECK(watcher.left_out().empty());
  auto options = place.options(false);
  options.most_runs = 2;
  watch::Watcher limited(options);
  read_all(limited);
  CHECK(limited.folders().size() == 2);
  CHECK(
      watch::notice_lines(limited.left_out()) ==
      std::vector<std::string>{"warning: run_1002: a run is beyond the first 2; 117 more like it"});
}

TEST_CASE("after a restart earlier values of its steps no longer count, as in TensorBoard") {
  const LogPlace place;
  std::string file;
  const auto add = [&](std::int64_t step, float loss) {
    const exporting::TaggedValue value[] = {{"loss", loss}};
    exporting::append_scalars(file, 1.7e9, step, value);
  };
  for (const std::int64_t step : {0, 1, 2, 3}) add(step, 1);
  place.append("events.out.tfevents.1", file);
  file.clear();
  exporting::append_tf_record(
      file, double_field(1, 1.7e9) + number_field(2, 2) + bytes_field(7, number_field(1, 1)));
  for (const std::int64_t step : {2, 3, 4}) add(step, 2);
  place.append("events.out.tfevents.2", file);
  auto copied = place.watcher(false);
  read_all(copied);
  const auto scalars = all_of<Scalar>(copied.folders().front());
  REQUIRE(scalars.size() == 5);
  CHECK(scalars[1].second.step == 1);
  CHECK(scalars[2].second.step == 2);
  CHECK(scalars[2].second.value == 2);
  REQUIRE(copied.left_out().size() == 1);
  CHECK(copied.left_out()[0].what.count == 2);
  // While a file is followed its future is unknown, so a restart begins another attempt.
  auto followed = place.watcher();
  read_all(followed);
  const auto folder = followed.folders().front();
  CHECK(all_of<Scalar>(folder).size() == 7);
  const auto hellos = all_of<messages::RankHello>(folder);
  REQUIRE(hellos.size() == 2);
  CHECK(hellos[1].second.attempt == 1);
  CHECK(hellos[1].second.first_step == 2);
}

TEST_CASE("values that W&B has read from an event file are one run, and others are another one") {
  const LogPlace place;
  const auto logs = (place.folder.path() / "logs/board").string();
  WandbFile file;
  file.add(bytes_field(9, bytes_field(1, logs)));
  file.add_history(1, {{"board/loss", "1"}});
  place.append("wandb/run-1/run-1.wandb", file.bytes);
  place.append("board/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 1));
  place.append("board/other/events.out.tfevents.1", event_file(1.7e9, 1, "accuracy", 1));
  auto watcher = place.watcher(false);
  read_all(watcher);
  CHECK(watcher.folders().size() == 2);
  const auto lines = watch::notice_lines(watcher.left_out());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("board/events.out.tfevents.1: its values are also in a file of W&B") !=
        std::string::npos);
}

TEST_CASE("a folder that is missing for a while, and a better kind of file, do not change a run") {
  const LogPlace place;
  place.append("v/metrics.csv", "step,loss\n1,1\n");
  support::FakeClock clock;
  clock.set(1'000'000'000'000, SystemClock().wall_ns());
  watch::Watcher watcher(place.options(), clock);
  read_all(watcher);
  const auto logs = place.folder.path() / "logs";
  std::filesystem::rename(logs, place.folder.path() / "away");
  clock.advance(10'000'000'000);
  read_all(watcher);
  std::filesystem::rename(place.folder.path() / "away", logs);
  place.append("v/events.out.tfevents.1", event_file(1.7e9, 1, "loss", 1));
  place.append("v/metrics.csv", "2,1\n");
  clock.advance(10'000'000'000);
  read_all(watcher);
  CHECK_FALSE(watcher.over());
  CHECK(watcher.folders().size() == 1);
  CHECK(all_of<Scalar>(watcher.folders().front()).size() == 2);
}

TEST_CASE("steps far behind the newest, and very large ones, are only curves") {
  const LogPlace place;
  std::string table = "step,loss\n";
  constexpr std::int64_t kJump = 10'000'000;  // as in a run that was resumed there
  for (std::int64_t i = 1; i <= 500; ++i) table += std::to_string(i * kJump) + ",1\n";
  place.append("metrics.csv", table);
  auto watcher = place.watcher(false);
  read_all(watcher);
  const auto folder = watcher.folders().front();
  CHECK(all_of<Scalar>(folder).size() == 500);
  const auto steps = all_of<StepReport>(folder);
  REQUIRE(steps.size() == 429);
  CHECK(steps.front().second.step == kJump);
  CHECK(steps.back().second.step < (std::int64_t{1} << 32));
}

TEST_CASE("names that are not UTF-8 do not prevent a run's settings from being read") {
  const LogPlace place;
  place.append("caf\xe9/metrics.csv", "step,loss\n1,1\n");
  auto watcher = place.watcher(false);
  read_all(watcher);
  const auto text = read_text(watcher.folders().front().spec_path());
  REQUIRE(text);
  const auto spec = messages::parse_run_spec(*text, "spec.toml");
  REQUIRE(spec);
  CHECK(spec->name.starts_with("caf"));
}

TEST_CASE("settings in a file become a notice of its run") {
  const LogPlace place;
  WandbFile file;
  file.add(bytes_field(
      17, bytes_field(4, bytes_field(1, bytes_field(1, "lr") + bytes_field(16, "0.1")))));
  file.add_history(1, {{"loss", "1"}});
  place.append("run-1.wandb", file.bytes);
  auto watcher = place.watcher(false);
  read_all(watcher);
  const auto notices = all_of<messages::Notice>(watcher.folders().front());
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].second.text == "Settings: lr=0.1");
}

TEST_CASE("nothing is written in the folder of the files") {
  const LogPlace place;
  place.append("metrics.csv", "step,loss\n1,1\n");
  const auto logs = place.folder.path() / "logs";
  const auto written = std::filesystem::last_write_time(logs / "metrics.csv");
  auto watcher = place.watcher();
  read_all(watcher);
  REQUIRE(watcher.stop_all(messages::State::kStopped, "asked here"));
  CHECK(std::distance(std::filesystem::directory_iterator(logs),
                      std::filesystem::directory_iterator()) == 1);
  CHECK(std::filesystem::last_write_time(logs / "metrics.csv") == written);
}
