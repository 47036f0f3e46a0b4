// The bytes of an event file compared with those of TensorFlow and TensorBoard.
#include "gui/export/tf_events.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/support/hex.h"

using namespace ringside;
using namespace ringside::exporting;

namespace {

std::string hex(std::string_view bytes) { return support::to_hex(std::as_bytes(std::span(bytes))); }

}  // namespace

TEST_CASE("the checksum is the masked one of TensorFlow") {
  // The value is crc32c("123456789") = 0xE3069283, rotated by 15 bits, plus 0xa282ead8.
  CHECK(masked_crc32c("123456789") == 0xC78AB0E5U);
}

TEST_CASE("events are byte for byte those of TensorBoard's own writer") {
  std::string file;
  append_file_version(file, 1795271067.5);
  CHECK(hex(file) ==
        "1800000000000000a37f4b22"
        "090000e0666ac0da411a0d627261696e2e4576656e743a32"
        "8a2712cb");
  file.clear();
  const TaggedValue values[] = {{"step/loss", 0.1F},
                                {"gr\xC3\xB6\xC3\x9F"
                                 "e",
                                 std::numeric_limits<float>::infinity()}};
  append_scalars(file, 1795271067.5, 300, values);
  CHECK(hex(file) ==
        "300000000000000095f5d05f"
        "090000e0666ac0da4110ac022a220a100a09737465702f6c6f737315cdcccc3d"
        "0a0e0a076772c3b6c39f65150000807f"
        "0f5a2ef4");
}

TEST_CASE("long tags and negative steps use the long encoding") {
  std::string file;
  const std::string tag(130, 'x');
  const TaggedValue value{tag, -0.0F};
  append_scalars(file, 1, -1, {&value, 1});
  std::string tag_hex;
  for (std::size_t i = 0; i < tag.size(); ++i) tag_hex += "78";
  CHECK(hex(file) ==
        "a4000000000000004113b828"
        "09000000000000f03f10ffffffffffffffffff012a8d010a8a010a8201" +
            tag_hex + "1500000080" + "74a92d35");
}

TEST_CASE("records follow each other, including an empty one") {
  std::string file;
  append_tf_record(file, "");
  CHECK(file.size() == 16);
  append_tf_record(file, "abc");
  CHECK(file.size() == 16 + 19);
  CHECK(file.substr(28, 3) == "abc");
}
