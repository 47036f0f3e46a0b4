// A published archive, raw or (first byte odd) a tar file with corrected header checksums, so that
// the rules for members are reached. Accepted members have the expected size.
#include "trainer/data/archive.h"

#include "tests/fuzz/input.h"

using namespace ringside;

namespace {

constexpr std::size_t kBlock = 512;

std::size_t size_field(const std::string& tar, std::size_t at) {
  return std::strtoul(tar.substr(at + 124, 11).c_str(), nullptr, 8);
}

void seal(std::string& tar) {
  for (std::size_t at = 0; at + kBlock <= tar.size();) {
    tar.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (std::size_t i = at; i < at + kBlock; ++i) sum += static_cast<unsigned char>(tar[i]);
    for (std::size_t digit = 6; digit-- > 0; sum /= 8)
      tar[at + 148 + digit] = static_cast<char>('0' + sum % 8);
    tar[at + 154] = '\0';
    at += kBlock + std::min((size_field(tar, at) + kBlock - 1) / kBlock * kBlock, tar.size());
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string content(fuzz::text_of(data + 1, size - 1));
  if (data[0] % 2 == 1) seal(content);
  const fuzz::MemoryFile file(content);
  const std::vector<data::ArchiveMember> wanted{{"set/a.bin", 10}, {"set/names.txt", 0}};
  const auto read = data::read_archive(file.path(), wanted);
  if (!read) return 0;
  fuzz::require(read->contains("set/a.bin") && read->at("set/a.bin").size() == 10);
  for (const auto& [path, bytes] : *read)
    fuzz::require(path == "set/a.bin" || path == "set/names.txt");
  return 0;
}
