// Downloads a published data set: gets its files from the first mirror that has them, checks their
// SHA-256, unpacks them in a hidden folder beside their place and renames them. Existing files are
// never deleted or replaced. If several processes call it at once, one works and the others wait
// until it is done. An interrupted download is resumed next time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/data_catalog.h"

namespace ringside::data {

using messages::DataSetDescriptor;
using messages::PublishedFile;

struct FetchOptions {
  std::filesystem::path root;        ///< empty: default_data_folder()
  std::vector<std::string> mirrors;  ///< replace the set's own; "{name}" is replaced by its name
  std::function<void(const std::string& line)> note;  ///< messages for the user
  std::function<void(const std::string& file, std::uint64_t done_bytes, std::uint64_t size_bytes)>
      progress;
};

struct Fetched {
  std::filesystem::path root;
  std::filesystem::path folder;
  bool was_there = false;  ///< nothing was to be done
  std::uint64_t downloaded_bytes = 0;
};

/// The published set of that name. Bad request for other names; for generated sets it says what to
/// do.
Result<DataSetDescriptor> find_published(const std::string& name);

/// $RINGSIDE_DATA_MIRRORS: addresses separated by spaces.
std::vector<std::string> mirrors_of_environment();

/// Whether all files are unpacked in place, with their published sizes.
bool is_fetched(const DataSetDescriptor& set, const std::filesystem::path& root);

/// Bad request for a mirror that is not an http, https or file address. Fails when no mirror has a
/// file with the right checksum, when another file has the name of one of the set's, when the disk
/// is full, or when the folder cannot be written.
Result<Fetched> fetch(const DataSetDescriptor& set, const FetchOptions& options);

}  // namespace ringside::data
