// Sentences about data that was left out of files of other tools. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// Data that was left out, with its file or folder.
struct FileNotice {
  std::filesystem::path file;
  LeftOut what;
};

/// Text such as "/data/log.csv, line 7: a row has no step in the column epoch; 2 more like it".
std::string notice_text(const FileNotice& notice);

/// One line for each kind, with the first file that has it, the number of items and the number of
/// files; warnings first.
std::vector<std::string> notice_lines(const std::vector<FileNotice>& notices);

}  // namespace ringside::watch
