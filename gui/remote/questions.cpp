#include "gui/remote/questions.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "gui/place/kinds.h"

namespace ringside::remote {
namespace {

using Json = nlohmann::json;

/// The kind of place that `queue` means in a question.
const place::Kind& queue_kind() { return *place::kinds().front(); }

// Older helpers read the further options by this name, which differs from the one in place.json.
constexpr const char* kMoreHere = "more";
constexpr const char* kMoreThere = "sbatch";
Json renamed(Json json, const char* from, const char* to) {
  if (const auto found = json.find(from); found != json.end()) {
    json[to] = *found;
    json.erase(from);
  }
  return json;
}

// Leaves out a field that has its default, so that an older helper need not know it.
template <class Body>
Json fields_json(const Body& body) {
  Json json = Json::object();
  Body::fields(body, [&json]<class Value>(const char* name, const Value& value) {
    if constexpr (std::is_same_v<Value, std::optional<launch::Typed>>) {
      if (value)
        json[name] = renamed(launch::to_json(queue_kind().options, *value), kMoreThere, kMoreHere);
    } else if (value != Value{}) {
      json[name] = value;
    }
  });
  return json;
}

/// Throws if a value has the wrong type.
template <class Body>
Body read_fields(const Json& json) {
  (void)json.get_ref<const Json::object_t&>();
  Body body;
  Body::fields(body, [&json]<class Value>(const char* name, Value& value) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    if constexpr (std::is_same_v<Value, std::optional<launch::Typed>>) {
      value = launch::read_typed(queue_kind().options, renamed(*found, kMoreHere, kMoreThere));
    } else {
      found->get_to(value);
    }
  });
  return body;
}

/// Parses the question of that name if the group has one.
template <class Group>
bool read_one(const std::string& name, const Json& asked,
              const std::array<const char*, std::variant_size_v<Group>>& names, Question& into) {
  return [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    return ((name == names[kAt] &&
             (into = Group(read_fields<std::variant_alternative_t<kAt, Group>>(asked)), true)) ||
            ...);
  }
  (std::make_index_sequence<std::variant_size_v<Group>>());
}

template <class Group, class Names>
Json group_json(const Group& group, const Names& names) {
  Json json = std::visit([](const auto& body) { return fields_json(body); }, group);
  json["do"] = names[group.index()];
  return json;
}
Json json_of(const FileQuestion& asked) { return group_json(asked, kFileQuestions); }
Json json_of(const RemoteAction& act) { return group_json(act, kRemoteActions); }
Json json_of(const RemoteCommandLine& typed) {
  return group_json(std::variant<RemoteCommandLine>(typed), std::array{kTyped});
}

using Words = std::vector<std::string>;
/// The command itself, and arguments that always follow those made from the fields.
std::pair<Words, Words> command(const RemoteStop& /*act*/) { return {{"stop"}, {}}; }
std::pair<Words, Words> command(const RemoteResume& /*act*/) { return {{"resume"}, {"--detach"}}; }
std::pair<Words, Words> command(const RemoteDelete& /*act*/) { return {{"delete"}, {}}; }
std::pair<Words, Words> command(const RemoteStartRun& /*act*/) {
  return {{"run", "/dev/stdin"}, {"--detach", "--json"}};
}
std::pair<Words, Words> command(const RemoteStartStudy& /*act*/) {
  return {{"sweep"}, {"--detach"}};
}
std::pair<Words, Words> command(const RemoteMeasure& /*act*/) { return {{"ab"}, {"--detach"}}; }
std::pair<Words, Words> command(const RemoteExamine& /*act*/) { return {{"doctor"}, {"--json"}}; }
std::pair<Words, Words> command(const RemoteUse& /*act*/) { return {{"top"}, {"--json"}}; }

/// Turns each field into an option of its name, except for the one that the command is about.
struct FieldWords {
  RemoteCommandLine& typed;
  void add(const Words& words) const {
    typed.words.insert(typed.words.end(), words.begin(), words.end());
  }
  void operator()(const std::string& name, const std::string& value) const {
    if (value.empty()) return;
    if (name == "settings") {
      typed.input = value;
    } else if (name == "name" || name == "first" || name == "second") {
      add({value});
    } else {
      add(name == "series" ? Words{"--" + value}
                           : Words{name == "runs_dir" ? "--runs-dir" : "--" + name, value});
    }
  }
  void operator()(const std::string& name, const Words& values) const {
    for (const std::string& value : values) add({"--" + name, value});
  }
  void operator()(const std::string& name, bool on) const {
    if (on) add({name == "dry_run" ? "--dry-run" : "--" + name});
  }
  void operator()(const std::string& name, std::int64_t count) const {
    if (count > 0) add({"--" + name, std::to_string(count)});
  }
  void operator()(const std::string& /*name*/, const std::optional<launch::Typed>& queue) const {
    if (queue) add(place::words_of(queue_kind(), *queue));
  }
};

}  // namespace

Json to_json(const Question& question) {
  return std::visit([](const auto& group) { return json_of(group); }, question);
}

Result<Question> parse_question(const Json& asked) {
  try {
    const std::string name = asked.at("do").get<std::string>();
    Question question;
    if (read_one<FileQuestion>(name, asked, kFileQuestions, question) ||
        read_one<RemoteAction>(name, asked, kRemoteActions, question))
      return question;
    if (name == kTyped) return read_fields<RemoteCommandLine>(asked);
    return bad_request(not_known(name));
  } catch (const Json::exception& error) {
    return bad_request(std::string("a question of a wrong form came: ") + error.what());
  }
}

std::string not_known(const std::string& name) { return "\"" + name + "\" is not known here"; }

RemoteCommandLine command_of(const RemoteAction& act) {
  return std::visit(
      [](const auto& one) {
        auto [before, behind] = command(one);
        RemoteCommandLine typed{std::move(before), {}};
        const FieldWords words{typed};
        one.fields(one, words);
        words.add(behind);
        return typed;
      },
      act);
}

}  // namespace ringside::remote
