// Options of a place where runs run, as rows of a table: the command line and its help, the form,
// files and the words of a command have each by its row. Pure; any thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

struct PlaceOption {
  const char* key = "";     ///< in files and in the form: "gpus_per_node"
  const char* option = "";  ///< on the command line: "--gpus-per-node"
  const char* type = "";    ///< behind it in the help: "N"
  const char* help = "";
  const char* label = "";  ///< in the form
  const char* empty = "";  ///< there, what holds while nothing is typed
  const char* tip = "";
  int most = 0;          ///< it is a number from 1 to this; 0: a text
  bool several = false;  ///< of texts, each with an option of its own
  bool of_run = false;   ///< a study says it itself
};
using PlaceRows = std::span<const PlaceOption>;

/// What was typed for each, by its key; of several texts as the words of a shell. An empty one is
/// as none.
using Typed = std::map<std::string, std::string>;

/// The values of one, none where nothing was typed. A bad request with its label: not a number, or
/// not words.
Result<std::vector<std::string>> values_of(const PlaceOption& row, const Typed& typed);
/// The options as words of a command. What cannot be read is left out, here and in JSON.
std::vector<std::string> words_of(PlaceRows rows, const Typed& typed);

/// An object of those that were typed: numbers, texts, lists.
nlohmann::json to_json(PlaceRows rows, const Typed& typed);
/// Throws where it is no object, or a value of another form.
Typed read_typed(PlaceRows rows, const nlohmann::json& json);

}  // namespace ringside::launch
