#include "trainer/engine/checkpoint/zip_checksums.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <isa-l/crc.h>

#include "trainer/engine/checkpoint/refused.h"

namespace ringside::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "zip stores little-endian numbers");

constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64LocatorBytes = 20;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kEntryBytes = 46;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kLongestComment = 65535;
constexpr std::uint32_t kFolder = 0x10;
constexpr std::uint32_t kStandsInExtra = 0xFFFFFFFF;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::uint64_t kMostExpansion = 16;  ///< all records together, relative to the file

class File {
 public:
  explicit File(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    stream_.seekg(0, std::ios::end);
    if (!stream_) throw Refused{"it cannot be opened"};
    size_ = static_cast<std::uint64_t>(stream_.tellg());
  }

  std::uint64_t size() const { return size_; }

  void read(std::uint64_t at, char* into, std::uint64_t count) {
    if (at > size_ || count > size_ - at) throw Refused{"its directory points beyond its end"};
    stream_.seekg(static_cast<std::streamoff>(at));
    stream_.read(into, static_cast<std::streamsize>(count));
    if (!stream_) throw Refused{"it cannot be read to its end"};
  }

  std::string bytes(std::uint64_t at, std::uint64_t count) {
    if (count > size_) throw Refused{"its directory points beyond its end"};
    std::string read_bytes(count, '\0');
    read(at, read_bytes.data(), count);
    return read_bytes;
  }

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

template <class T>
T number(const std::string& bytes, std::size_t at) {
  if (at + sizeof(T) > bytes.size()) throw Refused{"its directory ends too early"};
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Directory {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};

Directory directory_of(File& file) {
  const std::uint64_t tail_bytes = std::min(file.size(), kEndBytes + kLongestComment);
  const std::string tail = file.bytes(file.size() - tail_bytes, tail_bytes);
  const std::string mark(reinterpret_cast<const char*>(&kEnd), sizeof kEnd);
  const std::size_t found = tail.rfind(mark);
  if (found == std::string::npos || found + kEndBytes > tail.size())
    throw Refused{"it has no directory"};
  const std::uint64_t end = file.size() - tail_bytes + found;
  // Large files, and all of torch.save's, have their sizes in a second, 64-bit record before this
  // one.
  if (end >= kEnd64LocatorBytes) {
    const std::string locator = file.bytes(end - kEnd64LocatorBytes, kEnd64LocatorBytes);
    if (number<std::uint32_t>(locator, 0) == kEnd64Locator) {
      const std::string wide = file.bytes(number<std::uint64_t>(locator, 8), kEnd64Bytes);
      if (number<std::uint32_t>(wide, 0) != kEnd64) throw Refused{"its directory is damaged"};
      return {number<std::uint64_t>(wide, 48), number<std::uint64_t>(wide, 40)};
    }
  }
  return {number<std::uint32_t>(tail, found + 16), number<std::uint32_t>(tail, found + 12)};
}

struct Record {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  std::uint64_t local_at = 0;
};

// The 64-bit values of an entry. They are in its extra field 1 in this order, each only if its
// 32-bit value is all ones.
void widen(Record& record, std::uint32_t packed_bytes, const std::string& extra) {
  std::size_t at = 0;
  while (at + 4 <= extra.size() && number<std::uint16_t>(extra, at) != 1) {
    at += std::size_t{4} + number<std::uint16_t>(extra, at + 2);
  }
  at += 4;
  const auto next = [&] {
    at += 8;
    return number<std::uint64_t>(extra, at - 8);
  };
  if (record.bytes == kStandsInExtra) record.bytes = next();
  if (packed_bytes == kStandsInExtra) next();
  if (record.local_at == kStandsInExtra) record.local_at = next();
}

// Reads the directory entry at `at`; moves `at` to the next.
Record entry_of(const std::string& directory, std::size_t& at) {
  if (number<std::uint32_t>(directory, at) != kEntry) throw Refused{"its directory is damaged"};
  Record record;
  record.method = number<std::uint16_t>(directory, at + 10);
  record.crc = number<std::uint32_t>(directory, at + 16);
  const auto packed_bytes = number<std::uint32_t>(directory, at + 20);
  record.bytes = number<std::uint32_t>(directory, at + 24);
  const std::size_t name = number<std::uint16_t>(directory, at + 28);
  const std::size_t extra = number<std::uint16_t>(directory, at + 30);
  const std::size_t comment = number<std::uint16_t>(directory, at + 32);
  const auto attributes = number<std::uint32_t>(directory, at + 38);
  record.local_at = number<std::uint32_t>(directory, at + 42);
  if (at + kEntryBytes + name + extra + comment > directory.size())
    throw Refused{"its directory ends too early"};
  record.name = directory.substr(at + kEntryBytes, name);
  // LibTorch reads no bytes of a record that is marked as a folder, which would leave its tensor
  // uninitialized.
  if ((attributes & kFolder) != 0) throw Refused{"its record " + record.name + " is damaged"};
  widen(record, packed_bytes, directory.substr(at + kEntryBytes + name, extra));
  at += kEntryBytes + name + extra + comment;
  return record;
}

std::uint32_t checksum(File& file, const Record& record) {
  const std::string local = file.bytes(record.local_at, kLocalBytes);
  if (number<std::uint32_t>(local, 0) != kLocal)
    throw Refused{"its record " + record.name + " is damaged"};
  std::uint64_t at = record.local_at + kLocalBytes + number<std::uint16_t>(local, 26) +
                     number<std::uint16_t>(local, 28);
  std::vector<char> chunk(std::min<std::uint64_t>(kChunk, record.bytes));
  std::uint32_t crc = 0;
  for (std::uint64_t left = record.bytes; left > 0;) {
    const std::uint64_t count = std::min<std::uint64_t>(left, chunk.size());
    file.read(at, chunk.data(), count);
    crc = crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(chunk.data()), count);
    at += count;
    left -= count;
  }
  return crc;
}

}  // namespace

Result<void> check_zip(const std::filesystem::path& path) {
  try {
    File file(path);
    const Directory place = directory_of(file);
    const std::string directory = file.bytes(place.at, place.bytes);
    std::uint64_t bytes_left = kMostExpansion * file.size();
    for (std::size_t at = 0; at < directory.size();) {
      const Record record = entry_of(directory, at);
      if (record.bytes > bytes_left) {
        throw Refused{"its records unpack to more than " + std::to_string(kMostExpansion) +
                      " times its size"};
      }
      bytes_left -= record.bytes;
      if (record.method != 0 || record.crc == 0) continue;
      if (checksum(file, record) != record.crc) {
        throw Refused{"its record " + record.name +
                      " is damaged: its bytes do not have the checksum that the file states"};
      }
    }
  } catch (const Refused& refused) {
    return bad_request("cannot read " + path.string() + ": " + refused.why +
                       "; take another copy of the file or an older checkpoint");
  }
  return {};
}

}  // namespace ringside::engine
