#include "trainer/engine/checkpoint/zip_checksums.h"

#include <fstream>
#include <iterator>

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/engine/checkpoint/pickle_reader.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

constexpr std::int64_t kElements = 40;

std::filesystem::path zip_checksums_written(const TempFolder& folder) {
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("weight", torch::arange(kElements, torch::kFloat));
  dict.insert("step", std::int64_t{7});
  auto path = folder.path() / "file.pt";
  REQUIRE(write_torch_file(path, dict));
  return path;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool holds_what_was_written(const PickleValue& file) {
  const auto* weight = file.find("weight");
  return weight != nullptr && weight->tensor() != nullptr &&
         at::equal(*weight->tensor(), torch::arange(kElements, torch::kFloat)) &&
         file.integer("step", 0) == 7;
}

}  // namespace

TEST_CASE("S9: with any byte flipped a file is refused or read as it was written") {
  const TempFolder folder;
  const std::string whole = content(zip_checksums_written(folder));
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.write("damaged.pt", damaged);
    const auto read = read_torch_file(folder.path() / "damaged.pt");
    INFO("byte " << at << " of " << whole.size());
    REQUIRE((!read || holds_what_was_written(*read)));
    if (!read) ++refused;
  }
  // At least the bytes of the data and of the pickle, and their checksums, are refused.
  CHECK(refused > static_cast<std::size_t>(kElements) * sizeof(float));
}

TEST_CASE("a damaged record is named with advice") {
  const TempFolder folder;
  const auto path = zip_checksums_written(folder);
  REQUIRE(check_zip(path));
  std::string damaged = content(path);
  const float last = kElements - 1;
  const auto at = damaged.find(std::string(reinterpret_cast<const char*>(&last), sizeof last));
  REQUIRE(at != std::string::npos);
  damaged[at] = static_cast<char>(damaged[at] ^ 0x01);
  folder.write("damaged.pt", damaged);
  const auto checked = check_zip(folder.path() / "damaged.pt");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::kRequest);
  CHECK(checked.error().message.find("data/0 is damaged") != std::string::npos);
  CHECK(checked.error().message.find("older checkpoint") != std::string::npos);
}

TEST_CASE("S9: a zip file truncated at any byte is refused") {
  const TempFolder folder;
  const std::string whole = content(zip_checksums_written(folder));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    folder.write("cut.pt", whole.substr(0, cut));
    INFO("cut after " << cut << " of " << whole.size() << " bytes");
    REQUIRE_FALSE(check_zip(folder.path() / "cut.pt"));
  }
}
