#include "trainer/data/archive.h"

#include <algorithm>
#include <functional>
#include <memory>

#include <archive.h>
#include <archive_entry.h>

#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;
using Handle = std::unique_ptr<archive, decltype(&archive_read_free)>;
/// Called with the bytes of each wanted member.
using Taker = std::function<Result<void>(const std::string& path, Bytes bytes)>;

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::uint64_t kMostOptional = std::uint64_t{64} << 10;

tl::unexpected<Error> refused(const fs::path& archive, const std::string& why) {
  return failure(archive.string() + ": refused: " + why +
                 "; fetch the archive again from a source that you trust");
}

tl::unexpected<Error> damaged(const fs::path& path, archive* reader) {
  const char* text = archive_error_string(reader);
  return failure(path.string() + ": damaged archive (" +
                 (text != nullptr ? text : "unknown error") + "); fetch it again");
}

/// Refuses links, absolute paths and "..", which no data set contains.
Result<void> check_harmless(const fs::path& archive, archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr || *name == '\0') return refused(archive, "a member without a name");
  const std::string quoted = "member \"" + std::string(name) + "\"";
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr) {
    return refused(archive, quoted + " is a link");
  }
  const fs::path path(name);
  if (path.is_absolute()) return refused(archive, quoted + " has an absolute path");
  if (std::find(path.begin(), path.end(), "..") != path.end()) {
    return refused(archive, quoted + " leaves its folder");
  }
  const auto type = archive_entry_filetype(entry);
  if (type != AE_IFREG && type != AE_IFDIR) {
    return refused(archive, quoted + " is neither a file nor a folder");
  }
  return {};
}

/// Reads the current member, whose size is known and bounded.
Result<Bytes> read_member(const fs::path& path, archive* reader, std::uint64_t size) {
  Bytes bytes(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const la_ssize_t got = archive_read_data(reader, bytes.data() + done, bytes.size() - done);
    if (got < 0) return damaged(path, reader);
    if (got == 0) return refused(path, "a member ends before its size");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<void> take_member(const fs::path& path, archive* reader, const ArchiveMember& member,
                         std::uint64_t size, const Taker& take) {
  const bool right = member.size_bytes == 0 ? size <= kMostOptional : size == member.size_bytes;
  if (!right) {
    return refused(
        path, "member \"" + member.path + "\" has " + std::to_string(size) + " bytes, expected " +
                  std::to_string(member.size_bytes == 0 ? kMostOptional : member.size_bytes));
  }
  auto bytes = RINGSIDE_TRY(read_member(path, reader, size));
  return take(member.path, std::move(bytes));
}

Result<std::vector<std::string>> take_members(const fs::path& path, archive* reader,
                                              std::span<const ArchiveMember> wanted,
                                              const Taker& take) {
  std::vector<std::string> taken;
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader, &entry);
    if (code == ARCHIVE_EOF) return taken;
    if (code != ARCHIVE_OK) return damaged(path, reader);
    RINGSIDE_TRY(check_harmless(path, entry));
    const std::string name = fs::path(archive_entry_pathname(entry)).lexically_normal().string();
    const auto member = std::find_if(wanted.begin(), wanted.end(),
                                     [&](const ArchiveMember& m) { return m.path == name; });
    if (member == wanted.end()) continue;
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      return refused(path, "member \"" + name + "\" is in it twice");
    }
    const auto size =
        static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
    RINGSIDE_TRY(take_member(path, reader, *member, size, take));
    taken.push_back(name);
  }
}

Result<void> read_members(const fs::path& path, std::span<const ArchiveMember> wanted,
                          const Taker& take) {
  const Handle reader(archive_read_new(), &archive_read_free);
  if (!reader) return failure("not enough memory to read " + path.string());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
    return damaged(path, reader.get());
  }
  const auto taken = RINGSIDE_TRY(take_members(path, reader.get(), wanted, take));
  for (const ArchiveMember& member : wanted) {
    if (member.size_bytes == 0) continue;
    if (std::find(taken.begin(), taken.end(), member.path) == taken.end()) {
      return refused(path, "member \"" + member.path + "\" is missing");
    }
  }
  return {};
}

}  // namespace

Result<std::map<std::string, Bytes>> read_archive(const fs::path& archive,
                                                  std::span<const ArchiveMember> wanted) {
  std::map<std::string, Bytes> members;
  const auto read = read_members(archive, wanted, [&](const std::string& path, Bytes bytes) {
    members[path] = std::move(bytes);
    return Result<void>();
  });
  if (!read) return pass(read);
  return members;
}

Result<void> unpack_archive(const fs::path& archive, std::span<const ArchiveMember> wanted,
                            const fs::path& folder) {
  return read_members(archive, wanted, [&](const std::string& path, Bytes bytes) -> Result<void> {
    std::error_code error;
    fs::create_directories((folder / path).parent_path(), error);
    if (error) return failure("cannot make " + (folder / path).string() + ": " + error.message());
    return write_bytes(folder / path, {bytes});
  });
}

}  // namespace ringside::data
