// The content of a pickle of plain data: numbers, texts, lists, dicts and tensors. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

struct PickleValue;
using PickleList = std::vector<PickleValue>;                          ///< lists and tuples
using PickleDict = std::vector<std::pair<PickleValue, PickleValue>>;  ///< in insertion order

/// Name of a Python class or function; only compared, never called.
struct PickleGlobal {
  std::string name;
};

/// The elements that a tensor refers to: those of one data record.
struct PickleStorage {
  at::ScalarType type = at::kFloat;
  at::Tensor elements;  ///< one-dimensional, on the CPU
};

struct PickleValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, at::Tensor,
               std::shared_ptr<PickleList>, std::shared_ptr<PickleDict>, PickleGlobal,
               PickleStorage>
      value;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  const PickleDict* dict() const;
  const PickleList* list() const;
  const at::Tensor* tensor() const { return get<at::Tensor>(); }
  /// The entry of a dict under a text key; null when this is not a dict or has no such key.
  const PickleValue* find(const std::string& key) const;
  /// The integer under a dict's key, or `otherwise`.
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
};

}  // namespace ringside::engine
