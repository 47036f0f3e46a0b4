// The decoder of records: decoded records can be encoded and decoded again, with the same bytes.
#include "tests/fuzz/input.h"
#include "tests/support/record_list.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  support::RecordList list;
  messages::DecodeCounts counts;
  messages::decode_records(fuzz::bytes_of(data, size), list, counts);
  fuzz::require(list.entries.size() == counts.records);
  std::vector<std::byte> written;
  for (const auto& [stamp, record] : list.entries)
    messages::append_any_record(written, stamp, record);
  support::RecordList again;
  messages::DecodeCounts second;
  messages::decode_records(written, again, second);
  fuzz::require(again.entries.size() == list.entries.size() && second.malformed == 0);
  for (std::size_t i = 0; i < again.entries.size(); ++i)
    fuzz::require(support::same_record(again.entries[i].record, list.entries[i].record));
  return 0;
}
