#include "gui/view/window/file_chooser.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "gui/view/table_cells.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

struct UseWords {
  const char* title = "";
  std::array<std::string_view, 10> endings{};  ///< of the files that are listed
  const char* kinds = "";
  bool takes_folder = false;
  bool takes_file = false;
  bool saves = false;
};

constexpr std::array<std::string_view, 10> kLogged{".csv",    ".tsv", ".tab", ".json",  ".jsonl",
                                                   ".ndjson", ".txt", ".log", ".wandb", ".gz"};
constexpr const char* kLoggedWords = "folders and files with metrics";

constexpr std::array<UseWords, kChooserUses> kUses{{
    {"Open a run folder, or files of another tool", kLogged, kLoggedWords, true, true, false},
    {"Choose a script", {".py"}, "folders and Python files", false, true, false},
    {"Watch a folder or file of another tool", kLogged, kLoggedWords, true, true, false},
    {"Choose a folder to export into", {}, "folders", true, false, true},
    {"Choose a file to export into",
     {".html", ".json"},
     "folders, .html and .json",
     false,
     true,
     true},
}};

const UseWords& words_of(ChooserUse use) { return kUses[static_cast<std::size_t>(use)]; }

bool is_listed(const FolderEntry& entry, const UseWords& use, const ChooserChoice& choice) {
  if (entry.folder || choice.all || !entry.problem.empty()) return true;
  const std::string name = lower_case(entry.name);
  // TensorBoard's files have no ending of their own.
  if (use.endings == kLogged && name.find("tfevents") != std::string::npos) return true;
  return std::ranges::any_of(use.endings, [&name](std::string_view ending) {
    return !ending.empty() && name.ends_with(ending);
  });
}

std::string_view name_in(std::string_view typed) { return typed.substr(typed.rfind('/') + 1); }

bool shows_hidden(const ChooserChoice& choice) {
  return choice.hidden || name_in(choice.path).starts_with('.');
}

struct SortedEntry {
  const FolderEntry* entry;
  std::string name;  ///< in lower case
};

/// Sorts folders before files, whatever the direction.
void sort_entries(std::vector<SortedEntry>& entries, const TableSort& sort) {
  const auto before = [&sort](const SortedEntry& a, const SortedEntry& b) {
    if (a.entry->folder != b.entry->folder) return a.entry->folder;
    const SortedEntry& first = sort.descending ? b : a;
    const SortedEntry& second = sort.descending ? a : b;
    if (sort.key == "bytes" && a.entry->bytes != b.entry->bytes)
      return first.entry->bytes < second.entry->bytes;
    if (sort.key == "changed" && a.entry->changed_wall_ns != b.entry->changed_wall_ns)
      return first.entry->changed_wall_ns < second.entry->changed_wall_ns;
    return std::tie(first.name, first.entry->name) < std::tie(second.name, second.entry->name);
  };
  std::ranges::sort(entries, before);
}

/// Returns the path without a slash at its end.
std::string trimmed_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool begins_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(lower, text.substr(0, lower.size()), {}, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
         });
}

/// Returns the row of that name, or else, ignoring case, the first one that begins with it.
int row_of(const Table& table, std::string_view name, bool whole) {
  if (name.empty()) return -1;
  const std::string lower = lower_case(name);
  int begins = -1;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string& key = table.rows[i].key;
    if (key == name) return static_cast<int>(i);
    if (begins < 0 && begins_with(key, lower)) begins = static_cast<int>(i);
  }
  return whole ? -1 : begins;
}

/// Returns the longest text that all rows beginning with the name have in common; the name if there
/// is none.
std::string common_beginning(const Table& table, std::string_view name) {
  std::string common;
  bool any = false;
  for (const TableRow& row : table.rows) {
    if (!row.key.starts_with(name)) continue;
    if (!any) common = row.key;
    any = true;
    const auto differs = std::ranges::mismatch(common, row.key);
    common.erase(differs.in1, common.end());
  }
  return any ? common : std::string(name);
}

std::string note_of(bool read, const ChooserInput& input, const Table& table) {
  if (!read) return "Reading the folder…";
  std::string note = plural(static_cast<std::int64_t>(table.rows.size()), "entry", "entries");
  if (input.listing->cut) note += ", and more than can be listed: type the path of another one";
  if (!input.listing->problem.empty()) note += "; " + input.listing->problem;
  for (const FolderEntry& entry : input.listing->entries)
    if (!entry.problem.empty())
      note += "; " + printable_line(entry.name) + " cannot be read: " + entry.problem;
  return note;
}

}  // namespace

ChooserKey chooser_key(const ChooserInput& input, const ChooserChoice& choice) {
  return {input.revision, choice.sort, shows_hidden(choice), choice.all};
}

std::string whole_path(const ChooserInput& input, const std::string& typed) {
  if (typed == "~" && !input.home.empty()) return input.home;
  if (typed.starts_with("~/") && !input.home.empty()) return input.home + typed.substr(2);
  const bool below = typed.find('/') != typed.npos && !typed.starts_with('/');
  const std::string whole = below ? input.folder + typed : typed;
  // A step is taken once it is whole, since a name may begin with dots; a second slash is typed
  // behind a home folder that has one.
  const bool step = whole.ends_with("/../") || whole.ends_with("/./") || whole.ends_with("//");
  return step ? std::filesystem::path(whole).lexically_normal().string() : whole;
}

std::string folder_to_list(const ChooserInput& input, std::string_view typed) {
  const std::string path = whole_path(input, std::string(typed));
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? input.folder : path.substr(0, slash + 1);
}

std::string folder_above(std::string_view folder) {
  const std::string path = trimmed_path(std::string(folder));
  return path.substr(0, path.rfind('/') + 1);
}

Table build_chooser_table(const ChooserInput& input, const ChooserChoice& choice) {
  Table table;
  table.key = "files";
  table.columns = {{"name", "Name", "", Align::kLeft, 300, 90},
                   {"bytes", "Size", "", Align::kRight, 80, 0, 1},
                   {"changed", "Changed", "", Align::kRight, 120, 0, 2}};
  table.columns[0].ascending_first = true;
  if (input.listing == nullptr) return table;
  const UseWords& use = words_of(input.use);
  const bool hidden = shows_hidden(choice);
  std::vector<SortedEntry> entries;
  for (const FolderEntry& entry : input.listing->entries) {
    if ((hidden || !entry.name.starts_with('.')) && is_listed(entry, use, choice))
      entries.push_back({&entry, lower_case(entry.name)});
  }
  sort_entries(entries, choice.sort);
  for (const auto& [entry, lower] : entries) {
    const std::int64_t changed = entry->changed_wall_ns;
    Cell bytes;
    if (!entry->folder) bytes = {entry->bytes, file_size_text(static_cast<double>(entry->bytes))};
    Cell date = changed == 0 ? unknown_cell() : Cell{changed, date_time_text(changed), Tone::kDim};
    if (!entry->problem.empty()) {
      date = {{}, "unreadable", Tone::kWarning};
      date.hint = entry->problem;
      if (!entry->folder) bytes.text = kDash;
    }
    table.rows.push_back({entry->name, {text_cell(printable_line(entry->name)), bytes, date}});
  }
  table.empty = {{input.listing->problem.empty()
                      ? "Nothing to choose here among " + std::string(use.kinds) + "."
                      : input.listing->problem,
                  Style::kWords}};
  return table;
}

bool is_folder(const TableRow& row) {
  return std::holds_alternative<std::monostate>(row.cells[1].value);
}

std::string row_path(const ChooserInput& input, const TableRow& row) {
  return input.folder + row.key;
}

std::string moved_path(const ChooserInput& input, const Table& table, const ChooserChoice& choice,
                       int selected, int by) {
  const auto last = static_cast<int>(table.rows.size()) - 1;
  if (last < 0) return choice.path;
  const int from = selected < 0 && by < 0 ? 0 : selected;
  return row_path(input, table.rows[static_cast<std::size_t>(std::clamp(from + by, 0, last))]);
}

ChooserView build_chooser(const ChooserInput& input, const Table& rows,
                          const ChooserChoice& choice) {
  static const Table kNone;
  const UseWords& use = words_of(input.use);
  const std::string folder = folder_to_list(input, choice.path);
  const std::string name(name_in(choice.path));
  const bool read = input.listing != nullptr && folder == input.folder;
  const bool bad = read && !input.listing->problem.empty() && input.listing->entries.empty();
  const Table& table = read ? rows : kNone;
  const auto leads = [&table](int row) {
    return row >= 0 && is_folder(table.rows[static_cast<std::size_t>(row)]);
  };
  ChooserView view;
  view.title = use.title;
  view.kinds = use.kinds;
  view.saves = use.saves;
  if (!bad) view.note = note_of(read, input, table);  // the rows say what is wrong
  // A new file's name may be the beginning of an old one's.
  view.selected = row_of(table, name, use.saves);
  const int exact = row_of(table, name, true);
  const bool known = exact >= 0 || name.empty();
  const bool fits = name.empty() || leads(exact) ? use.takes_folder : use.takes_file;
  if (!known || (fits && !(bad && name.empty()))) view.answer = trimmed_path(folder + name);
  if (const bool begun = !use.saves && exact < 0 && view.selected >= 0; begun) {
    const bool taken = leads(view.selected) ? use.takes_folder : use.takes_file;
    const TableRow& row = table.rows[static_cast<std::size_t>(view.selected)];
    view.answer = taken ? row_path(input, row) : std::string();
  }
  const std::string common = common_beginning(table, name);
  view.completed = folder + common;
  if (common == name && leads(exact)) view.completed += '/';
  if (view.selected >= 0) {
    const TableRow& row = table.rows[static_cast<std::size_t>(view.selected)];
    if (is_folder(row)) view.goes_to = row_path(input, row) + '/';
    if (!is_folder(row)) view.entered = row_path(input, row);
  } else {
    view.entered = view.answer;
  }
  if (use.saves && read && !bad && !known) view.made = folder + name + '/';
  return view;
}

}  // namespace ringside::view
