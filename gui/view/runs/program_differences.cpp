#include "gui/view/runs/program_differences.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/launch/program/saved_program.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/line_changes.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using launch::SavedProgram;
using Programs = std::span<const SavedProgram* const>;
using Texts = std::map<std::string, std::string>;

constexpr std::size_t kMostPackageRows = 12;

/// The text of that name in each run; null if it was not stored, or nothing of its program was.
std::vector<const std::string*> each(Programs programs, Texts SavedProgram::*part,
                                     const std::string& name) {
  std::vector<const std::string*> texts;
  for (const SavedProgram* program : programs) {
    const bool has = program != nullptr && (program->*part).contains(name);
    texts.push_back(has ? &(program->*part).at(name) : nullptr);
  }
  return texts;
}

/// Names whose text is not the same in all stored programs, of which there must be at least one.
std::vector<std::string> differing_names(Programs programs, Texts SavedProgram::*part) {
  std::set<std::string> names;
  for (const SavedProgram* program : programs) {
    if (program == nullptr) continue;
    for (const auto& [name, text] : program->*part) names.insert(name);
  }
  const auto is_kept = [](const SavedProgram* program) { return program != nullptr; };
  const auto first = static_cast<std::size_t>(
      std::find_if(programs.begin(), programs.end(), is_kept) - programs.begin());
  std::erase_if(names, [&](const std::string& name) {
    const auto texts = each(programs, part, name);
    for (std::size_t place = first; place < programs.size(); ++place) {
      if (!is_kept(programs[place])) continue;
      const bool both = texts[place] != nullptr && texts[first] != nullptr;
      if (both ? *texts[place] != *texts[first] : texts[place] != texts[first]) return false;
    }
    return true;
  });
  return {names.begin(), names.end()};
}

void add_words(Table& table, const std::string& name, const std::vector<std::string>& words) {
  std::vector<Cell> row{text_cell(name)};
  for (const std::string& word : words) {
    row.push_back(word_cell(word));
    row.back().tone = Tone::kHigh;
  }
  add_row(table, std::move(row));
}

void add_file(Programs programs, const std::string& name, Table& table) {
  const std::string* first = nullptr;
  std::vector<std::string> words;
  const auto texts = each(programs, &SavedProgram::files, name);
  for (std::size_t place = 0; place < texts.size(); ++place) {
    const std::string* text = texts[place];
    if (text == nullptr) {
      words.emplace_back(programs[place] == nullptr ? "" : "not used");
    } else if (first == nullptr) {
      first = text;
      words.push_back(plural(std::count(text->begin(), text->end(), '\n'), "line", "lines"));
    } else {
      const std::string changed = text_of(line_changes(*first, *text));
      words.push_back(changed.empty() ? "the same" : changed);
    }
  }
  add_words(table, name, words);
}

}  // namespace

void add_program_differences(Programs programs, Table& table) {
  const auto kept = std::count_if(programs.begin(), programs.end(),
                                  [](const SavedProgram* program) { return program != nullptr; });
  if (kept < 2) return;
  for (const std::string& name : differing_names(programs, &SavedProgram::files))
    add_file(programs, name, table);
  std::set<std::string> commits;
  std::vector<std::string> words;
  for (const SavedProgram* program : programs) {
    const std::string commit = program == nullptr ? "" : program->commit;
    words.push_back(commit.substr(0, 12) +
                    (program == nullptr || program->uncommitted.empty() ? "" : " and changes"));
    if (program != nullptr) commits.insert(commit);
  }
  if (commits.size() > 1) add_words(table, "commit", words);
  const auto packages = differing_names(programs, &SavedProgram::packages);
  for (std::size_t i = 0; i < std::min(packages.size(), kMostPackageRows); ++i) {
    words.clear();
    const auto versions = each(programs, &SavedProgram::packages, packages[i]);
    for (std::size_t place = 0; place < versions.size(); ++place)
      words.push_back(versions[place] != nullptr   ? *versions[place]
                      : programs[place] == nullptr ? ""
                                                   : "not installed");
    add_words(table, packages[i], words);
  }
  if (packages.size() > kMostPackageRows)
    add_words(table,
              plural(static_cast<std::int64_t>(packages.size() - kMostPackageRows), "more package",
                     "more packages"),
              std::vector<std::string>(programs.size()));
}

}  // namespace ringside::view
