#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

const PickleDict* PickleValue::dict() const {
  const auto* held = get<std::shared_ptr<PickleDict>>();
  return held == nullptr ? nullptr : held->get();
}

const PickleList* PickleValue::list() const {
  const auto* held = get<std::shared_ptr<PickleList>>();
  return held == nullptr ? nullptr : held->get();
}

const PickleValue* PickleValue::find(const std::string& key) const {
  const PickleDict* entries = dict();
  if (entries == nullptr) return nullptr;
  for (const auto& [name, entry] : *entries) {
    const auto* text = name.get<std::string>();
    if (text != nullptr && *text == key) return &entry;
  }
  return nullptr;
}

std::int64_t PickleValue::integer(const std::string& key, std::int64_t otherwise) const {
  const PickleValue* entry = find(key);
  const auto* number = entry == nullptr ? nullptr : entry->get<std::int64_t>();
  return number == nullptr ? otherwise : *number;
}

}  // namespace ringside::engine
