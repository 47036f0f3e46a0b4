// Options of a place where runs run, as rows of a table that the command line, its help, the form,
// files and the arguments of commands all use. Pure; any thread.
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
  const char* type = "";    ///< argument in the help: "N"
  const char* help = "";
  const char* label = "";  ///< label in the form
  const char* empty = "";  ///< hint in the form: the value that applies while the field is empty
  const char* tip = "";
  int most = 0;          ///< for a number from 1: the maximum; 0: a text
  bool several = false;  ///< a list of texts, each given by an option of its own
  bool of_run = false;   ///< not offered for studies, which determine it themselves
};
using PlaceRows = std::span<const PlaceOption>;

/// The typed text for each key; a list of texts is quoted as for a shell. An empty text counts as
/// not given.
using Typed = std::map<std::string, std::string>;

/// The values of one option, none if nothing was typed. A bad request, which names the label, if it
/// is not a number or wrongly quoted.
Result<std::vector<std::string>> values_of(const PlaceOption& row, const Typed& typed);
/// The options as arguments of a command. Invalid values are left out, here and in JSON.
std::vector<std::string> words_of(PlaceRows rows, const Typed& typed);

/// A JSON object with the options that were typed: numbers, texts, lists.
nlohmann::json to_json(PlaceRows rows, const Typed& typed);
/// Throws if the JSON is not an object or has a value of the wrong type.
Typed read_typed(PlaceRows rows, const nlohmann::json& json);

}  // namespace ringside::launch
