#include "tests/support/memory_file.h"

#include <algorithm>
#include <utility>

namespace ringside::support {
namespace {

class MemoryFile final : public ByteFile {
 public:
  explicit MemoryFile(std::shared_ptr<MemoryDisk> disk) : disk_(std::move(disk)) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    auto& there = disk_->bytes;
    const std::uint64_t room =
        disk_->capacity_bytes - std::min<std::uint64_t>(disk_->capacity_bytes, there.size());
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size()));
    there.insert(there.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    if (taken < bytes.size()) return failure("cannot write: no space left on the device in memory");
    return {};
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (disk_->read_fails) return failure("cannot read: the device in memory is broken");
    const auto& there = disk_->bytes;
    if (offset >= there.size()) return std::size_t{0};
    const std::size_t from = static_cast<std::size_t>(offset);
    const std::size_t count = std::min(into.size(), there.size() - from);
    std::copy_n(there.data() + from, count, into.data());
    return count;
  }

  std::uint64_t hole_at(std::uint64_t) override { return 0; }
  Result<std::uint64_t> size() override { return disk_->bytes.size(); }

  Result<void> truncate(std::uint64_t bytes) override {
    if (disk_->truncate_fails) return failure("cannot cut the file in memory");
    disk_->bytes.resize(static_cast<std::size_t>(bytes));
    return {};
  }

  Result<void> sync() override {
    ++disk_->syncs;
    return {};
  }

 private:
  std::shared_ptr<MemoryDisk> disk_;
};

}  // namespace

std::unique_ptr<ByteFile> open_memory_file(std::shared_ptr<MemoryDisk> disk) {
  return std::make_unique<MemoryFile>(std::move(disk));
}

}  // namespace ringside::support
