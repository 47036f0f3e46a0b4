#include "gui/export/csv_file.h"

#include <algorithm>
#include <span>

#include "protocol/host/files.h"

namespace ringside::exporting {

Result<CsvFile> CsvFile::create(const std::filesystem::path& path) {
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kCreateNew));
  return CsvFile(std::move(file));
}

void CsvFile::make_room(std::size_t bytes) {
  flush();
  buffer_.resize(std::max({buffer_.size(), bytes, kBufferBytes}));
}

void CsvFile::flush() {
  if (outcome_ && used_ > 0) {
    outcome_ = file_->append(std::as_bytes(std::span(buffer_.data(), used_)));
  }
  written_ += used_;
  used_ = 0;
}

Result<void> CsvFile::close() {
  flush();
  file_.reset();
  return outcome_;
}

}  // namespace ringside::exporting
