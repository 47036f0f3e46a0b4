// The data sets that can be fetched: their files, what they unpack to, their homes. Checksums are
// code; where the bytes come from is a setting. Constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/data/archive.h"

namespace ringside::data {

struct PublishedFile {
  std::string path;              ///< under the root, as torchvision keeps it; its name is published
  std::uint64_t size_bytes = 0;  ///< packed
  std::string sha256;            ///< 64 digits of lower-case hexadecimal
  /// What it unpacks to, with paths under the root. One member for a .gz, any number for a .tar.gz.
  std::vector<ArchiveMember> members;
};

struct PublishedSet {
  std::string name;
  std::string folder;                ///< under the root: what a reader looks for
  std::vector<std::string> mirrors;  ///< folders that hold the files, best first
  std::vector<PublishedFile> files;
};

const std::vector<PublishedSet>& published_sets();

}  // namespace ringside::data
