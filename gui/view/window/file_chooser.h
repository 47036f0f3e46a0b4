// The window's chooser of files and folders: the rows of a folder, the row that is selected, and
// what Enter, Tab and the buttons do. All of it follows from the typed path and the folder that was
// read for it. Plain data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/table.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kChoosePath = "Choose##path";
inline constexpr const char* kCancelPath = "Cancel##path";
inline constexpr const char* kFolderUp = "Up##path";
inline constexpr const char* kHomeFolder = "Home##path";
inline constexpr const char* kRecentFolders = "Recent##path";
inline constexpr const char* kNewFolder = "New folder##path";
inline constexpr const char* kHiddenFiles = "Hidden files";
inline constexpr const char* kAllFiles = "All files";
inline constexpr const char* kChosenPath = "##chosen path";
}  // namespace label

enum class ChooserUse : std::uint8_t {
  kOpen,    ///< a run folder, or files of another tool, for the sheet that opens them
  kScript,  ///< the program of the next run
  kWatch,   ///< files of another tool, to follow
  kSaveFolder,
  kSaveFile,
};
inline constexpr std::size_t kChooserUses = 5;

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::int64_t bytes = 0;            ///< 0 for a folder
  std::int64_t changed_wall_ns = 0;  ///< 0: unknown
  std::string problem{};             ///< why it cannot be read; empty: it can
};

struct FolderListing {
  std::vector<FolderEntry> entries;  ///< in any order
  bool cut = false;                  ///< the folder has more entries than are listed
  std::string problem;               ///< why it cannot be read; empty: it was
};

struct ChooserInput {
  bool open = false;
  ChooserUse use = ChooserUse::kOpen;
  int times = 0;                           ///< number of times it was opened
  std::string begin;                       ///< the path in the field when it opens
  std::string folder;                      ///< the folder of the listing; ends with a slash
  const FolderListing* listing = nullptr;  ///< null: being read
  std::span<const std::string> recent;     ///< folders with a slash at the end, newest first
  std::string home;                        ///< with a slash at the end; empty: unknown
  std::uint64_t revision = 0;              ///< changes with the listing
};

/// The last path chosen for a field, and the number of choices, since the same path may be chosen
/// again.
struct Browsed {
  ChooserUse use = ChooserUse::kOpen;
  std::string path;
  int times = 0;
};

struct ChooserChoice {
  std::string path;
  TableSort sort{"name"};
  bool hidden = false;
  bool all = false;  ///< files of any kind
};

/// Everything the rows depend on.
struct ChooserKey {
  std::uint64_t revision = 0;
  TableSort sort;
  bool hidden = false;
  bool all = false;
  bool operator==(const ChooserKey&) const = default;
};
ChooserKey chooser_key(const ChooserInput& input, const ChooserChoice& choice);

/// Returns the typed path, made whole as soon as it has a folder: "~" and "~/" become the home
/// folder, and what does not begin with a slash is below the listed folder, which changes with it.
std::string whole_path(const ChooserInput& input, const std::string& typed);
/// Returns the folder to list for the typed path, with a slash at the end: "~" is the home folder,
/// and a path without a slash in front is below the listed folder.
std::string folder_to_list(const ChooserInput& input, std::string_view typed);
/// Returns the path of the folder above, with a slash at the end.
std::string folder_above(std::string_view folder);

/// Returns the rows: folders first, then files of the wanted kinds. A row's key is its name.
Table build_chooser_table(const ChooserInput& input, const ChooserChoice& choice);

struct ChooserView {
  std::string title;
  int selected = -1;      ///< row whose name begins with the typed one; below 0: none
  std::string completed;  ///< the path after Tab
  std::string goes_to;    ///< path into which Enter leads; empty: Enter answers
  std::string entered;    ///< answer of Enter; empty: none
  std::string answer;     ///< answer of the button; empty: the path is no answer
  std::string made;       ///< folder that can be made; empty: none
  std::string note;       ///< "1,204 entries"
  std::string kinds;      ///< what is listed without "All files"
  bool saves = false;
};
ChooserView build_chooser(const ChooserInput& input, const Table& table,
                          const ChooserChoice& choice);

/// Returns the path after the selection was moved by this number of rows.
std::string moved_path(const ChooserInput& input, const Table& table, const ChooserChoice& choice,
                       int selected, int by);
std::string row_path(const ChooserInput& input, const TableRow& row);
bool is_folder(const TableRow& row);

}  // namespace ringside::view
