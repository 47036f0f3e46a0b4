// The bytes of every record as FORMAT.md lays them down, made by an encoder of its own in another
// language.
#include <string>

#include "protocol/messages/codec.h"
#include "tests/support/catch.h"
#include "tests/support/hex.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"

namespace ringside::messages {
namespace {

constexpr Stamp kGoldenRecordsStamp{1, 2, 3, 4};

struct Golden {
  std::string name;
  std::string hex;
};

const std::vector<Golden>& golden() {
  static const std::vector<Golden> list{
      {"RankHello",
       "010020006c000000010000000200000003000000000000000400000000000000"
       "9210000001000000020000000300000005000000050000004750552d310100000048040000006e6f64650400000"
       "0676c"
       "6f6f020000007631060000000700000000000000080000000000000009000000000000000a000000000000000b0"
       "00000"
       "000000000c00000000000000"},
      {"StepReport",
       "0200200069000000010000000200000003000000000000000400000000000000"
       "000000000100000000000000400000000000003f20000000000000000000c03f000000400000803f01010000000"
       "00000"
       "00020000000000000003000000000000000400000000000000050000000000000006000000000000001e0000000"
       "00000"
       "000000804000000000"},
      {"BucketReport",
       "0300200028000000010000000200000003000000000000000400000000000000"
       "01000000020000000000000003000000040000000000000005000000000000000600000000000000"},
      {"EpochReport",
       "040020004d000000010000000200000003000000000000000400000000000000"
       "0200000002000000000000f83f07000000000000000900000000000000010000000000000003000000000000000"
       "00000"
       "000000d03f1e000000000000000100000000000000000000000000c03f"},
      {"ShardReport",
       "050020003c000000010000000200000003000000000000000400000000000000"
       "010000002b000000000000000600000000000000030000000000000000000000000000000100000000000000010"
       "00000"
       "020000000500000001000000"},
      {"DeviceSample",
       "0600200059000000010000000200000003000000000000000400000000000000"
       "010000000100000047ff030000000048420004000000000000001000000000000000002042000096430080bb440"
       "000fa"
       "440400000000000000000000000000f03f000000000000004000000000000008400000000000001040"},
      {"HostSample",
       "0700200040000000010000000200000003000000000000000400000000000000"
       "00004841010000000000000002000000000000000300000000000000020000000400000000000000fffffffffff"
       "fffff"
       "010000000000c842020000000000c03f"},
      {"RankState",
       "0800200037000000010000000200000003000000000000000400000000000000"
       "070100000063000000000000008b0000000b0000000a000000616c6c5f72656475636504000000676f6e654d000"
       "00000"
       "00000002000000"},
      {"ClockSync",
       "0900200014000000010000000200000003000000000000000400000000000000"
       "01000000feffffffffffffff0300000000000000"},
      {"Checkpoint",
       "0a00200023000000010000000200000003000000000000000400000000000000"
       "01000000140000000000000003000000632f312c01000000000000000000000000e03f"},
      {"Notice",
       "0b00200019000000010000000200000003000000000000000400000000000000"
       "01090000006469736b5f66756c6c070000006e6f20726f6f6d"},
      {"Scalar",
       "0c00200018000000010000000200000003000000000000000400000000000000"
       "040000006c6f73730700000000000000000000000000e0bf"},
      {"RankGoodbye",
       "0d00200020000000010000000200000003000000000000000400000000000000"
       "64000000000000000200000000000000b80b000000000000409c000000000000"},
      {"DeviceLink",
       "0e00200019000000010000000200000003000000000000000400000000000000"
       "050000004750552d61050000004750552d62030000004e5634"},
  };
  return list;
}

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST_CASE("every record is encoded to the bytes that FORMAT.md gives it") {
  const auto records = support::one_of_each();
  REQUIRE(records.size() == golden().size());
  REQUIRE(records.size() == std::variant_size_v<Record>);
  for (std::size_t i = 0; i < records.size(); ++i) {
    INFO(golden()[i].name);
    std::vector<std::byte> bytes;
    append_any_record(bytes, kGoldenRecordsStamp, records[i]);
    CHECK(support::to_hex(bytes) == golden()[i].hex);
    CHECK(std::visit([](const auto& body) { return encoded_bytes(body); }, records[i]) ==
          bytes.size());
  }
}

TEST_CASE("the golden bytes decode to the records they stand for") {
  const auto records = support::one_of_each();
  for (std::size_t i = 0; i < records.size(); ++i) {
    INFO(golden()[i].name);
    support::RecordList sink;
    DecodeCounts counts;
    decode_records(from_hex(golden()[i].hex), sink, counts);
    REQUIRE(counts == DecodeCounts{1, 0, 0});
    CHECK(sink.entries[0].stamp == kGoldenRecordsStamp);
    CHECK(sink.entries[0].record.index() == i);
    CHECK(support::same_record(sink.entries[0].record, records[i]));
  }
}

}  // namespace
}  // namespace ringside::messages
