// Logs in memory for the tests of this folder.
#pragma once

#include <memory>
#include <vector>

#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"
#include "tests/support/memory_file.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"

namespace ringside::runlog {

inline LogIdentity identity_of_tests() {
  return {"20261121T134005Z-7f3a1c", 3, 1'700'000'000'000'000'000, 42,
          "01234567-89ab-cdef-0123-456789abcdef"};
}

inline messages::Stamp stamp_of(std::uint64_t seq) {
  return {3, 1, seq, static_cast<std::int64_t>(seq) * 10};
}

/// Payload of `count` step reports, starting with `first`.
inline std::vector<std::byte> steps(std::uint64_t first, std::uint64_t count) {
  std::vector<std::byte> payload;
  for (std::uint64_t i = first; i < first + count; ++i) {
    messages::append_record(payload, stamp_of(i), support::step_report(static_cast<Step>(i)));
  }
  return payload;
}

/// A log of `segments` segments with `per_segment` step reports each, and the end of each segment.
struct MadeLog {
  std::shared_ptr<support::MemoryDisk> disk = std::make_shared<support::MemoryDisk>();
  std::vector<std::uint64_t> ends;
};

inline MadeLog make_log(std::uint64_t segments, std::uint64_t per_segment) {
  MadeLog log;
  auto writer = LogWriter::open(support::open_memory_file(log.disk), identity_of_tests());
  for (std::uint64_t i = 0; i < segments; ++i) {
    if (!writer->append(steps(i * per_segment, per_segment), per_segment)) break;
    log.ends.push_back(writer->end_bytes());
  }
  return log;
}

}  // namespace ringside::runlog
