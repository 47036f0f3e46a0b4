// Published archives (tar, packed with gzip or not), read as untrusted: only members that were
// asked for are taken, with the size that was expected, and an archive with a link, an absolute
// path or a
// ".." anywhere before the last of them is refused as a whole. Callable from any thread.
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

/// The bytes of the wanted members by path. Fails when one is missing or of another size.
Result<std::map<std::string, std::vector<std::uint8_t>>> read_archive(
    const std::filesystem::path& archive, std::span<const ArchiveMember> wanted);

/// Writes the wanted members below `folder` (which exists and should be empty), under their paths.
Result<void> unpack_archive(const std::filesystem::path& archive,
                            std::span<const ArchiveMember> wanted,
                            const std::filesystem::path& folder);

}  // namespace ringside::data
