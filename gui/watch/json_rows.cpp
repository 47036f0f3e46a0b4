#include "gui/watch/json_rows.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

using Json = nlohmann::json;

constexpr int kDeepestObject = 8;
constexpr std::size_t kMostCells = 65'536;
constexpr std::size_t kLongestWord = 64;

/// Quotes NaN and Infinity, which Python writes although JSON does not have them.
std::string with_quoted_words(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kWords = {"-Infinity", "Infinity", "NaN"};
  std::string plain;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const auto* const word =
        std::ranges::find_if(kWords, [&](std::string_view one) { return rest.starts_with(one); });
    if (!quoted && word != kWords.end()) {
      plain.append("\"").append(*word).append("\"");
      i += word->size();
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\' && i + 1 < text.size()) plain += text[i++];
    plain += text[i++];
  }
  return plain;
}

Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json::parse(with_quoted_words(text), nullptr, false) : json;
}

/// Adds the cells of a value. Settings that are repeated in each row are left out.
void add_cells(const std::string& name, const Json& json, int depth, NamedCells& cells) {
  if (cells.size() >= kMostCells || name == "config") return;
  if (json.is_number()) {
    cells.emplace_back(name, json.dump());
  } else if (json.is_string()) {
    cells.emplace_back(name, json.get_ref<const std::string&>().substr(0, kLongestWord));
  } else if (json.is_boolean()) {
    cells.emplace_back(name, json.dump());
  } else if (json.is_object() && depth < kDeepestObject) {
    for (const auto& [key, inner] : json.items())
      add_cells(name.empty() ? key : name + "/" + key, inner, depth + 1, cells);
  } else if (!json.is_null()) {
    cells.emplace_back(name, json.is_array() ? "a list" : "an object");
  }
}

NamedCells cells_of(const Json& object) {
  NamedCells cells;
  add_cells({}, object, 0, cells);
  return cells;
}

bool holds_objects(const Json& list) {
  return list.is_array() && !list.empty() &&
         std::ranges::all_of(list, [](const Json& one) { return one.is_object(); });
}

bool is_list(const Json& json) { return json.is_array() && !json.empty(); }

bool holds_numbers(const Json& list) {
  return is_list(list) &&
         std::ranges::any_of(list, [](const Json& one) { return one.is_number(); });
}

/// Rows from named lists, such as {"loss": [null, 0.5], "accuracy": [0.1, 0.2]}.
std::vector<NamedCells> rows_of_lists(const Json& lists) {
  std::vector<NamedCells> rows;
  for (const auto& [name, list] : lists.items()) {
    if (!holds_numbers(list)) continue;
    rows.resize(std::max(rows.size(), list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) add_cells(name, list[i], kDeepestObject, rows[i]);
  }
  return rows;
}

}  // namespace

std::optional<NamedCells> json_row(std::string_view line) {
  line = trimmed(line);
  const std::size_t begin = line.find('{');
  if (begin == line.npos || !line.ends_with('}')) return std::nullopt;
  const Json json = parsed(line.substr(begin));
  if (!json.is_object()) return std::nullopt;
  NamedCells cells = cells_of(json);
  if (cells.empty()) return std::nullopt;
  return cells;
}

bool begins_as_json(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return false;
  const std::string_view inside = trimmed(text.substr(1));
  return inside.empty() || inside.front() == (text.front() == '{' ? '"' : '{');
}

JsonRows json_rows(std::string_view document) {
  const Json json = parsed(document);
  const Json* longest = holds_objects(json) ? &json : nullptr;
  if (json.is_object()) {
    for (const Json& inner : json) {
      if (holds_objects(inner) && (longest == nullptr || inner.size() > longest->size()))
        longest = &inner;
    }
  }
  JsonRows read;
  if (longest != nullptr) std::ranges::transform(*longest, std::back_inserter(read.rows), cells_of);
  if (!json.is_object()) return read;
  if (longest == nullptr) read.rows = rows_of_lists(json);
  for (const auto& [name, inner] : json.items()) {
    if (is_list(inner) && (longest == nullptr ? !holds_numbers(inner) : &inner != longest))
      read.beside.push_back(name);
  }
  return read;
}

}  // namespace ringside::watch
