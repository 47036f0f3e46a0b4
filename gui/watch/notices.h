// What was left out of files of other tools, in words. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// Something that was left out, and of which file or folder.
struct FileNotice {
  std::filesystem::path file;
  LeftOut what;
};

/// "/data/log.csv, line 7: a row has no step in the column epoch; 2 more like it"
std::string notice_text(const FileNotice& notice);

/// A line for each kind, with the first file that has it and how many there are in how many files;
/// warnings first.
std::vector<std::string> notice_lines(const std::vector<FileNotice>& notices);

}  // namespace ringside::watch
