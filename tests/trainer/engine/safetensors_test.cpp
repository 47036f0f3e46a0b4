#include "trainer/engine/checkpoint/safetensors.h"

#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

std::string eight_bytes(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// A whole file: the right length, `header`, then `data`.
std::string file_of(const std::string& header, const std::string& data = {}) {
  return eight_bytes(header.size()) + header + data;
}

std::filesystem::path written(const TempFolder& folder, const std::string& content) {
  const auto path = folder.path() / "crafted.safetensors";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  return path;
}

// The error for a file; "accepted" if it is read.
std::string said_of(const TempFolder& folder, const std::string& content) {
  const auto read = read_safetensors(written(folder, content));
  if (read) return "accepted";
  CHECK(read.error().kind == ErrorKind::kRequest);
  return read.error().message;
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

models::NamedTensors some_tensors() {
  return {{"odd", torch::arange(3, torch::kByte)},
          {"matrix", torch::arange(6, torch::kFloat).view({2, 3}).t()},
          {"half", torch::full({5}, 1.5, torch::kHalf)},
          {"brain", torch::full({1, 2}, -2.0, torch::kBFloat16)},
          {"count", torch::tensor(std::int64_t{1} << 40, torch::kLong)},
          {"double", torch::tensor({0.1, -0.2}, torch::kDouble)},
          {"int", torch::tensor({-7}, torch::kInt)},
          {"short", torch::tensor({-300}, torch::kShort)},
          {"char", torch::tensor({-3}, torch::kChar)},
          {"flag", torch::tensor({true, false})},
          {"nothing", torch::empty({0, 4})},
          {"a name with \"quotes\" and é", torch::ones({1})}};
}

}  // namespace

TEST_CASE("safetensors are read back with names, types, shapes and values") {
  const TempFolder folder;
  const auto path = folder.path() / "w.safetensors";
  const auto tensors = some_tensors();
  const auto size = write_safetensors(path, tensors);
  REQUIRE(size);
  CHECK(*size == static_cast<std::int64_t>(std::filesystem::file_size(path)));
  const auto read = read_safetensors(path);
  if (!read) FAIL(read.error().message);
  REQUIRE(read->size() == tensors.size());
  for (const auto& [name, value] : tensors) {
    INFO(name);
    const auto found = std::find_if(read->begin(), read->end(),
                                    [&](const auto& item) { return item.first == name; });
    REQUIRE(found != read->end());
    CHECK(found->second.scalar_type() == value.scalar_type());
    CHECK(at::equal(found->second, value));
  }
}

TEST_CASE("the file has the layout that others read, with aligned header and data") {
  const TempFolder folder;
  const auto path = folder.path() / "w.safetensors";
  REQUIRE(write_safetensors(
      path, {{"b", torch::ones({3}, torch::kByte)}, {"a", torch::ones({1}, torch::kLong)}}));
  const std::string content = content_of(path);
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), sizeof length);
  CHECK(length % 8 == 0);
  CHECK(content.substr(8, 40).find("{\"__metadata__\":{\"format\":\"pt\"},\"a\":") == 0);
  CHECK(content.size() == 8 + length + 8 + 3);
}

TEST_CASE("a value that safetensors cannot store, or a file that cannot be written, is an error") {
  const TempFolder folder;
  const auto path = folder.path() / "w.safetensors";
  const auto complex = write_safetensors(path, {{"c", torch::ones({2}, torch::kComplexFloat)}});
  REQUIRE_FALSE(complex);
  CHECK(complex.error().message.find("\"c\"") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(path));
  const auto nowhere = write_safetensors("/nowhere/w.safetensors", some_tensors());
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message.find("/nowhere/w.safetensors") != std::string::npos);
  CHECK_FALSE(read_safetensors("/nowhere/w.safetensors"));
}

TEST_CASE("S9: a safetensors file truncated anywhere is refused") {
  const TempFolder folder;
  const std::string whole = file_of(
      "{" + tensor("a", "F32", "[2]", "[0,8]") + "," + tensor("b", "U8", "[3]", "[8,11]") + "}",
      std::string(11, '\1'));
  REQUIRE(said_of(folder, whole) == "accepted");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    INFO(cut);
    REQUIRE(said_of(folder, whole.substr(0, cut)).find("cannot read") == 0);
  }
  CHECK(said_of(folder, whole + "x").find("need 11 bytes of data, it has 12") != std::string::npos);
}

TEST_CASE("S9: invalid safetensors headers are refused with the reason") {
  const TempFolder folder;
  const std::string eight(8, '\1');
  const auto said = [&](const std::string& header, const std::string& data) {
    return said_of(folder, file_of(header, data));
  };
  const std::pair<std::string, std::string> lies[] = {
      {"{" + tensor("a", "F32", "[3]", "[0,8]") + "}", "needs 12 bytes"},
      {"{" + tensor("a", "F99", "[2]", "[0,8]") + "}", "F99"},
      {"{" + tensor("a", "F32", "[2]", "[8,0]") + "}", "data_offsets"},
      {"{" + tensor("a", "F32", "[2]", "[0,8,9]") + "}", "data_offsets"},
      {"{" + tensor("a", "F32", "[2]", "[-8,0]") + "}", "not a number of bytes"},
      {"{" + tensor("a", "F32", "[2.0]", "[0,8]") + "}", "not a number of bytes"},
      {"{" + tensor("a", "F32", "2", "[0,8]") + "}", "no readable shape"},
      {"{" + tensor("a", "F32", "[4294967296,4294967296,4]", "[0,8]") + "}", "more elements"},
      {"{" + tensor("a", "F32", "[18446744073709551615]", "[0,8]") + "}", "more elements"},
      {"{" + tensor("a", "F32", "[2]", "[1152921504606846976,1152921504606846984]") + "}", "gap"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("b", "F32", "[1]", "[2,6]") + "}",
       "overlap"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("b", "F32", "[1]", "[0,4]") + "}",
       "overlap"},
      {"{" + tensor("a", "U8", "[1]", "[0,1]") + "," + tensor("b", "F32", "[1]", "[4,8]") + "}",
       "gap"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("a", "F32", "[1]", "[4,8]") + "}",
       "twice"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "}", "need 4 bytes of data, it has 8"},
      {"{\"a\":7}", "lacks dtype"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", "lacks dtype"},
      {"[1,2]", "not a JSON object"},
      {"{\"a\":", "not a JSON object"},
      {"{\"a\xff\":{}}", "not a JSON object"},
      {"{\"a\":{\"b\":[[[[]]]]}}", "nested too deep"},
      {std::string(1000, '['), "nested too deep"}};
  for (const auto& [header, reason] : lies) {
    INFO(header);
    CHECK(said(header, eight).find(reason) != std::string::npos);
  }
  CHECK(said_of(folder, eight_bytes(~std::uint64_t{0}) + "{}").find("claims a header") !=
        std::string::npos);
  CHECK(said_of(folder, eight_bytes(3) + "{}").find("claims a header") != std::string::npos);
  CHECK(said("{}", "") == "accepted");
}

TEST_CASE("S9: an excessively long header is refused unread") {
  const TempFolder folder;
  const auto path = written(folder, eight_bytes(std::uint64_t{1} << 30U) + "{");
  // Sparse, takes no disk space.
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 30U) + 8);
  const auto read = read_safetensors(path);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("claims a header of 1073741824 bytes") != std::string::npos);
}

TEST_CASE("S9: parsing a header takes linear time in the number of tensors") {
  // Twenty thousand empty tensors: 5 s if parsing is quadratic, 0.1 s if linear.
  const TempFolder folder;
  std::string header = "{";
  for (int i = 0; i < 20'000; ++i)
    header += (i == 0 ? "" : ",") + tensor(std::to_string(i), "F32", "[0]", "[0,0]");
  const auto path = written(folder, file_of(header + "}"));
  const std::clock_t begin = std::clock();
  const auto read = read_safetensors(path);
  REQUIRE(read);
  CHECK(read->size() == 20'000);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 2.0);
}

TEST_CASE("S9: a safetensors file with any byte changed is read or refused without crashing") {
  const TempFolder folder;
  REQUIRE(write_safetensors(folder.path() / "w.safetensors", some_tensors()));
  const std::string whole = content_of(folder.path() / "w.safetensors");
  std::uint64_t header = 0;
  std::memcpy(&header, whole.data(), sizeof header);
  std::mt19937 random(12345);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string broken = whole;
    for (int changes = 1 + i % 3; changes > 0; --changes) {
      broken[random() % (8 + header)] = static_cast<char>(random());
    }
    refused += said_of(folder, broken) == "accepted" ? 0 : 1;
  }
  CHECK(refused > 300);  // most of the header matters
}
