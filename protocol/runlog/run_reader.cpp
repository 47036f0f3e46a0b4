#include "protocol/runlog/run_reader.h"

#include <algorithm>
#include <utility>

#include "protocol/host/files.h"
#include "protocol/runlog/headers.h"

namespace ringside::runlog {
namespace {

constexpr std::uint64_t kPartBytes = std::uint64_t{256} << 10;  // read from each log at a time

}  // namespace

void add_progress(LogProgress& all, const LogProgress& one) {
  if (all.skipped_bytes == 0) all.first_skipped = one.first_skipped;
  all.consumed_bytes += one.consumed_bytes;
  all.segments += one.segments;
  all.lost_segments += one.lost_segments;
  all.skipped_bytes += one.skipped_bytes;
  all.tail_bytes += one.tail_bytes;
  all.header_damaged = all.header_damaged || one.header_damaged;
  all.at_end = all.at_end && one.at_end;
  all.decoded.records += one.decoded.records;
  all.decoded.unknown_types += one.decoded.unknown_types;
  all.decoded.malformed += one.decoded.malformed;
}

LogIdentity identity_in(ByteFile& log) {
  std::vector<std::byte> head(kMaxFileHeaderBytes);
  const auto got = log.read_at(0, head);
  if (!got) return {};
  const FileHeader header = decode_file_header(std::span(head).first(*got));
  return header.verdict == HeaderVerdict::kGood ? header.identity : LogIdentity{};
}

Result<RunReader> RunReader::open(const RunFolder& folder) {
  const std::vector<Node> nodes = folder.logged_nodes();
  if (nodes.empty()) {
    return bad_request("the run folder " + folder.path().string() +
                       " has no log (node_0.log): the run never began, or the folder was copied "
                       "without it; copy it again");
  }
  RunReader reader;
  for (const Node node : nodes) {
    auto file = RINGSIDE_TRY(open_file(folder.log_path(node), OpenMode::kRead));
    reader.merge_.set_identity(node, identity_in(*file));
    reader.logs_.push_back({node, LogReader(std::move(file))});
  }
  return reader;
}

Result<LogProgress> RunReader::poll(messages::RecordSink& sink, std::uint64_t max_bytes) {
  if (logs_.size() == 1) return logs_.front().reader.poll(sink, max_bytes);
  const std::uint64_t before = progress().consumed_bytes;
  for (;;) {
    bool more = false;
    for (Log& log : logs_) {
      if (merge_.has(log.node)) continue;
      const auto polled = RINGSIDE_TRY(log.reader.poll(merge_.input(log.node), kPartBytes));
      log.progress = polled;
      merge_.set_ended(log.node, polled.at_end);
      more = more || !polled.at_end;
    }
    merge_.release(sink);
    if (!more && merge_.waiting() == 0) break;
    if (progress().consumed_bytes - before >= max_bytes) break;
  }
  return progress();
}

LogProgress RunReader::finish(messages::RecordSink& sink) {
  if (logs_.size() == 1) return logs_.front().reader.finish(sink);
  for (Log& log : logs_) log.progress = log.reader.finish(merge_.input(log.node));
  merge_.release_all(sink);
  return progress();
}

const LogIdentity& RunReader::identity() const {
  static const LogIdentity kNone;
  return logs_.front().node == 0 ? logs_.front().reader.identity() : kNone;
}

LogProgress RunReader::progress() const {
  LogProgress all = logs_.front().progress;
  for (std::size_t i = 1; i < logs_.size(); ++i) add_progress(all, logs_[i].progress);
  all.at_end = all.at_end && merge_.waiting() == 0;
  return all;
}

Result<LogProgress> read_run(const RunFolder& folder, messages::RecordSink& sink,
                             const ReadWatch& watch) {
  constexpr std::uint64_t kBytesBetweenWatches = std::uint64_t{4} << 20;
  auto reader = RINGSIDE_TRY(RunReader::open(folder));
  const std::uint64_t size = watch ? folder.log_bytes() : 0;
  for (bool at_end = false; !at_end;) {
    const auto polled = reader.poll(sink, watch ? kBytesBetweenWatches : LogReader::kNoLimit);
    if (!polled) return polled;
    at_end = polled->at_end;
    if (watch && !watch(std::min(polled->consumed_bytes, size), size))
      return failure("the reading of " + folder.path().string() + " was given up");
  }
  return reader.finish(sink);
}

}  // namespace ringside::runlog
