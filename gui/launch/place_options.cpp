#include "gui/launch/place_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::launch {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Result<Words> values_of(const PlaceOption& row, const Typed& typed) {
  const auto found = typed.find(row.key);
  if (found == typed.end() || found->second.empty()) return Words();
  const std::string& text = found->second;
  if (row.several) {
    auto words = split_words(text);
    return words ? words : bad_request(std::string(row.label) + ": " + words.error().message);
  }
  if (row.most == 0) return Words{text};
  const auto count = whole_number(text);
  if (!count || *count < 0)
    return bad_request(std::string(row.label) + ": \"" + text + "\" is not a whole number");
  return *count == 0 ? Words() : Words{std::to_string(*count)};
}

Words words_of(PlaceRows rows, const Typed& typed) {
  Words words;
  for (const PlaceOption& row : rows) {
    for (const std::string& value : values_of(row, typed).value_or(Words()))
      words.insert(words.end(), {row.option, value});
  }
  return words;
}

Json to_json(PlaceRows rows, const Typed& typed) {
  Json json = Json::object();
  for (const PlaceOption& row : rows) {
    const auto values = values_of(row, typed).value_or(Words());
    if (values.empty()) continue;
    json[row.key] = row.several    ? Json(values)
                    : row.most > 0 ? Json(*whole_number(values.front()))
                                   : Json(values.front());
  }
  return json;
}

Typed read_typed(PlaceRows rows, const Json& json) {
  (void)json.get_ref<const Json::object_t&>();
  Typed typed;
  for (const PlaceOption& row : rows) {
    const auto found = json.find(row.key);
    if (found == json.end()) continue;
    typed[row.key] = row.several    ? shell_words(found->get<Words>())
                     : row.most > 0 ? std::to_string(found->get<std::int64_t>())
                                    : found->get<std::string>();
  }
  return typed;
}

}  // namespace ringside::launch
