#include "gui/runs/run_source.h"

#include <algorithm>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/runlog/run_reader.h"

namespace ringside::runs {
namespace {

/// How often new logs of other nodes are looked for.
constexpr std::int64_t kLookNs = 1'000'000'000;
/// Records wait for possibly older ones of other nodes, for up to twice this time.
constexpr std::int64_t kHoldNs = 150'000'000;
constexpr std::size_t kMostWaiting = 65536;
constexpr std::uint64_t kLeastShare = std::uint64_t{64} << 10;

}  // namespace

RunSource::RunSource(runlog::RunFolder folder) : folder_(std::move(folder)) {
  sources_.push_back({0, LogSource(folder_)});
}

// Returns whether a log was added.
bool RunSource::look_for_nodes() {
  const std::int64_t now = mono_now_ns();
  if (looked_ns_ != 0 && now - looked_ns_ < kLookNs) return false;
  looked_ns_ = now;
  const std::size_t before = sources_.size();
  logged_ = folder_.logged_nodes();
  for (const Node node : logged_) {
    const bool known = std::any_of(sources_.begin(), sources_.end(),
                                   [node](const Source& one) { return one.node == node; });
    if (known) continue;
    if (sources_.size() == 1) merge_.set_identity(0, identity());
    sources_.push_back({node, LogSource(folder_, node)});
    // The head of the log describes its clock, which orders its first records.
    if (const auto file = open_file(folder_.log_path(node), OpenMode::kRead))
      merge_.set_identity(node, runlog::identity_in(**file));
  }
  return sources_.size() > before;
}

Result<SourceProgress> RunSource::poll(messages::RecordSink& sink, std::uint64_t max_bytes,
                                       std::int64_t wait_ns) {
  look_for_nodes();
  auto polled = poll_known(sink, max_bytes, wait_ns);
  if (!polled) return polled;
  if (polled->ended && !ended_) {
    // Reported only after another check, since the log of another node may have just been created.
    looked_ns_ = 0;
    polled->ended = !look_for_nodes();
  }
  ended_ = polled->ended;
  return polled;
}

Result<SourceProgress> RunSource::poll_known(messages::RecordSink& sink, std::uint64_t max_bytes,
                                             std::int64_t wait_ns) {
  if (sources_.size() == 1) return sources_.front().log.poll(sink, max_bytes, wait_ns);
  const std::uint64_t share = std::max(kLeastShare, max_bytes / sources_.size());
  bool any = false;
  bool behind = false;
  const auto take = [&](Source& one, std::int64_t wait) -> Result<void> {
    const std::uint64_t before = one.progress.log.consumed_bytes;
    auto polled = RINGSIDE_TRY(one.log.poll(merge_.input(one.node), share, wait));
    one.progress = std::move(polled);
    merge_.set_identity(one.node, one.log.identity());
    merge_.set_ended(one.node, one.progress.ended);
    const std::uint64_t grown = one.progress.log.consumed_bytes - before;
    any = any || grown > 0;
    behind = behind || grown >= share;
    return {};
  };
  for (Source& one : sources_) {
    if (merge_.waiting() > kMostWaiting && merge_.has(one.node)) continue;
    RINGSIDE_TRY(take(one, 0));
  }
  if (!any && !progress().ended) {
    // A source that has ended would not wait, so one that goes on does.
    const auto going = std::find_if(sources_.begin(), sources_.end(),
                                    [](const Source& one) { return !one.progress.ended; });
    RINGSIDE_TRY(take(going == sources_.end() ? sources_.front() : *going, wait_ns));
  }
  release(sink, behind);
  return progress();
}

// Releases records in order. While a log is far behind, older records are still to come, so the
// other nodes' records are held back.
void RunSource::release(messages::RecordSink& sink, bool behind) {
  merge_.release(sink);
  const std::int64_t now = mono_now_ns();
  if ((behind && merge_.waiting() <= kMostWaiting) || now - released_ns_ < kHoldNs) return;
  released_ns_ = now;
  merge_.release_old(sink);
}

SourceProgress RunSource::progress() const {
  SourceProgress all = sources_.front().progress;
  for (std::size_t i = 1; i < sources_.size(); ++i) {
    const SourceProgress& one = sources_[i].progress;
    runlog::add_progress(all.log, one.log);
    all.ended = all.ended && one.ended;
    if (all.log_problem.empty()) all.log_problem = one.log_problem;
  }
  all.ended = all.ended && merge_.waiting() == 0;
  return all;
}

const runlog::LogIdentity& RunSource::identity(Node node) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [node](const Source& one) { return one.node == node; });
  return (found == sources_.end() ? sources_.front() : *found).log.identity();
}

}  // namespace ringside::runs
