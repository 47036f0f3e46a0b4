// Numbers read back to the same bits; text is quoted and made harmless.
#include "gui/export/csv_text.h"

#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "protocol/base/printable.h"
#include "tests/gui/export/csv_reader.h"
#include "tests/support/catch.h"

using namespace ringside::exporting;

namespace {

template <class T>
std::string number(T value) {
  std::array<char, kNumberRoom> cell{};
  return {cell.data(), put_number(cell.data(), value)};
}

std::string text(std::string_view raw) {
  std::string cell(text_room(raw), '\0');
  cell.resize(static_cast<std::size_t>(put_text(cell.data(), raw) - cell.data()));
  return cell;
}

}  // namespace

TEST_CASE("S8: random doubles and floats of any bit pattern round-trip exactly") {
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 200000; ++i) {
    const auto bits = random();
    const auto wide = std::bit_cast<double>(bits);
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(wide)) {
      REQUIRE(std::bit_cast<std::uint64_t>(std::strtod(number(wide).c_str(), nullptr)) == bits);
    }
    if (!std::isnan(narrow)) {
      REQUIRE(std::bit_cast<std::uint32_t>(std::strtof(number(narrow).c_str(), nullptr)) ==
              static_cast<std::uint32_t>(bits));
    }
  }
}

TEST_CASE("S8: random integers round-trip exactly, including the limits") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> (random() % 64));
    REQUIRE(std::strtoll(number(value).c_str(), nullptr, 10) == value);
  }
  CHECK(number(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(number(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
}

TEST_CASE("numbers are the shortest exact ones, without an apostrophe if negative") {
  CHECK(number(-0.5) == "-0.5");
  CHECK(number(0.1F) == "0.1");
  CHECK(number(0.1) == "0.1");
  CHECK(number(-0.0) == "-0");
  CHECK(number(1e300) == "1e+300");
  CHECK(number(std::uint8_t{1}) == "1");
}

TEST_CASE("NaN and infinities have one spelling each") {
  CHECK(number(std::numeric_limits<float>::quiet_NaN()) == "nan");
  CHECK(number(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(number(std::numeric_limits<float>::infinity()) == "inf");
  CHECK(number(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("a cached number has the same text as put_number writes") {
  NumberMemo<double> memo;
  std::mt19937_64 random(3);
  double value = 0.0;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 3 == 0) value = std::bit_cast<double>(random());
    std::array<char, kNumberRoom> cell{};
    char* const end = memo.put(cell.data(), value);
    REQUIRE(std::string(cell.data(), end) == number(value));
  }
}

TEST_CASE("S8: text that a spreadsheet would evaluate gets an apostrophe") {
  CHECK(text("=1+1") == "'=1+1");
  CHECK(text("+1") == "'+1");
  CHECK(text("-1") == "'-1");
  CHECK(text("@SUM(A1)") == "'@SUM(A1)");
  CHECK(text("\tx") == "'\tx");
  CHECK(text("\rx") == "\"'\rx\"");
  CHECK(text("\n=1") == "\"'\n=1\"");
  CHECK(text(" =1") == "\"' =1\"");
  CHECK(text("\r\n \t@x") == "\"'\r\n \t@x\"");
  CHECK(text("\n1") == "\"\n1\"");
  CHECK(text("a=1") == "a=1");
}

TEST_CASE("S8: text with separators is quoted as in RFC 4180 and reads back") {
  CHECK(text("a,b") == "\"a,b\"");
  CHECK(text("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(text("") == "");
  std::mt19937 random(11);
  const std::vector<std::string> alphabet{"a", "b", ",", "\"", "\r", "\n",       " ", "=",
                                          "+", "-", "@", "\t", ";",  "\xC3\xA9", "'"};
  for (int i = 0; i < 20000; ++i) {
    std::string raw;
    for (auto left = random() % 12; left > 0; --left) raw += alphabet[random() % alphabet.size()];
    const auto rows = ringside::tests::parse_csv(text(raw) + ",x\r\n");
    REQUIRE(rows.size() == 1);
    REQUIRE(rows[0].size() == 2);
    const auto first = raw.find_first_not_of(" \t\r\n");
    const bool disarmed = raw.starts_with('\t') || raw.starts_with('\r') ||
                          (first != raw.npos && std::string("=+-@").find(raw[first]) != raw.npos);
    REQUIRE(rows[0][0] == (disarmed ? "'" + raw : raw));
  }
}

TEST_CASE("S8: a cell is valid UTF-8 for any bytes of a rank, and preserves them") {
  CHECK(text("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(text("caf\xE9, \"x\"") == "\"caf\\xe9, \"\"x\"\"\"");
  CHECK(text(std::string_view("\0=1", 3)) == "\\x00=1");
  CHECK(text("\xff\xfe") == "\\xff\\xfe");
  std::mt19937 random(12);
  for (int i = 0; i < 20000; ++i) {
    std::string raw;
    for (auto left = random() % 12; left > 0; --left) raw += static_cast<char>(random());
    const std::string cell = text(raw);
    REQUIRE(ringside::is_utf8(cell));
    REQUIRE(cell.find('\0') == std::string::npos);
    REQUIRE(cell.size() <= text_room(raw));
  }
}
