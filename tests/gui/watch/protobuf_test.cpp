#include "gui/watch/protobuf.h"

#include "tests/gui/watch/foreign_files.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using watch::ProtoField;

TEST_CASE("fields are read one after another, with their numbers and types") {
  const std::string message =
      number_field(1, 300) + bytes_field(2, "ab") + double_field(3, 0.5) + float_field(16, 0.25F);
  watch::ProtoReader reader(message);
  ProtoField field;
  REQUIRE(reader.next(field));
  CHECK(field.is(1, ProtoField::Type::kVarint));
  CHECK(field.value == 300);
  REQUIRE(reader.next(field));
  CHECK(field.is(2, ProtoField::Type::kBytes));
  CHECK(field.bytes == "ab");
  REQUIRE(reader.next(field));
  CHECK(std::bit_cast<double>(field.value) == 0.5);
  REQUIRE(reader.next(field));
  CHECK(field.is(16, ProtoField::Type::kFixed32));
  CHECK_FALSE(reader.next(field));
  CHECK(reader.whole());
}

TEST_CASE("bytes that are not a field end the message as damaged, not as complete") {
  const auto is_whole = [](std::string_view message) {
    watch::ProtoReader reader(message);
    for (ProtoField field; reader.next(field);) {
    }
    return reader.whole();
  };
  CHECK(is_whole(""));
  CHECK_FALSE(is_whole("\x08"));  // a key without its value
  CHECK_FALSE(
      is_whole("\x12\x05"
               "ab"));                               // bytes beyond the end
  CHECK_FALSE(is_whole("\x0b"));                     // a group
  CHECK_FALSE(is_whole(std::string_view("\0", 1)));  // field number 0
  CHECK_FALSE(
      is_whole("\x09"
               "abc"));                                     // three of eight bytes
  CHECK_FALSE(is_whole("\x08" + std::string(11, '\x80')));  // a varint without an end
  CHECK_FALSE(is_whole("\x12" + varint(std::uint64_t{1} << 63U)));
}
