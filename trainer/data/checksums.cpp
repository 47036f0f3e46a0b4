#include "trainer/data/checksums.h"

#include <isa-l/crc.h>

#include <sstream>

#include "protocol/host/files.h"
#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

fs::path kept_path(const messages::DataSetDescriptor& set, const fs::path& root) {
  return root / ("." + set.name + ".crc32");
}

Result<std::string> sums_of(const messages::DataSetDescriptor& set, const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& file : set.files) {
    for (const auto& member : file.members) {
      if (member.size_bytes > 0) files.emplace_back(member.path);
    }
  }
  return checksums_of(root, files);
}

}  // namespace

Result<std::string> checksums_of(const fs::path& folder, const std::vector<fs::path>& files) {
  std::string lines;
  for (const fs::path& file : files) {
    const auto bytes = RINGSIDE_TRY(read_bytes(folder / file));
    lines += "\"" + file.string() +
             "\" = " + std::to_string(::crc32_gzip_refl(0, bytes.data(), bytes.size())) + "\n";
  }
  return lines;
}

Result<void> keep_checksums(const messages::DataSetDescriptor& set, const fs::path& root) {
  const auto lines = RINGSIDE_TRY(sums_of(set, root));
  return write_text_atomically(kept_path(set, root), lines, 0644);
}

Result<void> check_unpacked(const messages::DataSetDescriptor& set, const fs::path& root) {
  const auto kept = read_text(kept_path(set, root));
  if (!kept) return {};
  const auto lines = sums_of(set, root);
  if (!lines) return {};
  std::istringstream before(*kept);
  std::istringstream now(*lines);
  std::string was;
  for (std::string is; std::getline(now, is);) {
    if (std::getline(before, was) && was == is) continue;
    return failure((root / is.substr(1, is.find('"', 1) - 1)).string() +
                   " has changed since it was unpacked; move it away, or, to use it as it is, " +
                   "remove " + kept_path(set, root).string());
  }
  return {};
}

}  // namespace ringside::data
