// Fetches a published data set: downloads its files from the first mirror that gives them, checks
// their SHA-256, unpacks them in a hidden folder beside their place and renames. What lies in the
// place already is never deleted or replaced. Any number of processes may ask at once; one works,
// the others wait and find it done. A download that was cut is resumed next time.
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
  std::vector<std::string> mirrors;  ///< in place of the set's own; "{name}" becomes its name
  std::function<void(const std::string& line)> note;  ///< what a person may want to know
  std::function<void(const std::string& file, std::uint64_t done_bytes, std::uint64_t size_bytes)>
      progress;
};

struct Fetched {
  std::filesystem::path root;
  std::filesystem::path folder;
  bool was_there = false;  ///< nothing was done
  std::uint64_t downloaded_bytes = 0;
};

/// The published set of that name. Bad request for others, with what to do for generated ones.
Result<DataSetDescriptor> find_published(const std::string& name);

/// $RINGSIDE_DATA_MIRRORS: addresses with spaces between them.
std::vector<std::string> mirrors_of_environment();

/// All files unpacked in place, with their published sizes.
bool is_fetched(const DataSetDescriptor& set, const std::filesystem::path& root);

/// Bad request for a mirror that is not an http, https or file address; failure when no mirror
/// gives a file with the right checksum, when another file has the name of one of the set's, when
/// there is no room, or when the folder cannot be written.
Result<Fetched> fetch(const DataSetDescriptor& set, const FetchOptions& options);

}  // namespace ringside::data
