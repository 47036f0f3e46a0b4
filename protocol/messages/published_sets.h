// The data sets that can be fetched: their files, what they unpack to, their homes. One list for
// those who fetch and read them and for those who look whether they are there. Checksums are code;
// where the bytes come from is a setting. Constants; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

struct PublishedMember {
  std::string path;              ///< under the root, and in an archive: "folder/file"
  std::uint64_t size_bytes = 0;  ///< exactly; 0: any up to 64 KiB, and it may be missing
};

struct PublishedFile {
  std::string path;              ///< under the root, as torchvision keeps it; its name is published
  std::uint64_t size_bytes = 0;  ///< packed
  std::string sha256;            ///< 64 digits of lower-case hexadecimal
  /// What it unpacks to. One member for a .gz, any number for a .tar.gz.
  std::vector<PublishedMember> members;
};

struct PublishedSet {
  std::string name;
  std::string folder;                ///< under the root: what a reader looks for
  std::vector<std::string> mirrors;  ///< folders that hold the files, best first
  std::vector<PublishedFile> files;
};

const std::vector<PublishedSet>& published_sets();

/// Null for a name that is not published.
const PublishedSet* published_set(std::string_view name);

}  // namespace ringside::messages
