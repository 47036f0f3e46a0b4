// Writes small gzipped tar files, including harmful ones (POSIX ustar headers). For tests only.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside::testing {

struct TarEntry {
  std::string path;
  char type = '0';  ///< '0' file, '1' hard link, '2' symbolic link, '5' folder, '6' pipe
  std::string content;
  std::string target = {};  ///< for a link
};

inline std::string tar_header(const TarEntry& entry) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  char size[13];
  std::snprintf(size, sizeof size, "%011lo", static_cast<unsigned long>(entry.content.size()));
  put(0, entry.path);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, size);
  put(136, "00000000000");
  put(148, "        ");
  header[156] = entry.type;
  put(157, entry.target);
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  put(148, checksum);
  header[154] = '\0';
  header[155] = ' ';
  return header;
}

inline void write_tar_gz(const std::filesystem::path& path, const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const TarEntry& entry : entries) {
    tar += tar_header(entry) + entry.content;
    tar.resize((tar.size() + 511) / 512 * 512, '\0');
  }
  tar.append(1024, '\0');
  gzFile file = gzopen(path.c_str(), "wb");
  const bool written =
      file != nullptr && gzwrite(file, tar.data(), static_cast<unsigned>(tar.size())) > 0;
  if (file == nullptr || gzclose(file) != Z_OK || !written) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

}  // namespace ringside::testing
