// Reads published archives (tar, with or without gzip) as untrusted input: only requested members
// of the expected size are read, and an archive is refused if it has a link, an absolute path or
// ".." anywhere before the last of them. Callable from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/data_catalog.h"

namespace ringside::data {

using ArchiveMember = messages::PublishedMember;

/// The bytes of the wanted members by path. Fails if one is missing or has another size.
Result<std::map<std::string, std::vector<std::uint8_t>>> read_archive(
    const std::filesystem::path& archive, std::span<const ArchiveMember> wanted);

/// Writes the wanted members under their paths below `folder`, which must exist and should be
/// empty.
Result<void> unpack_archive(const std::filesystem::path& archive,
                            std::span<const ArchiveMember> wanted,
                            const std::filesystem::path& folder);

}  // namespace ringside::data
