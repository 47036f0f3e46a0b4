// What compiling costs on this machine: never changed, so that what the programs cost to compile
// can be told as a multiple of it (./dev build-cost). Standard headers and templates in about the
// mix of the product; not part of any program.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace {

template <std::size_t N>
struct Record {
  std::array<double, N + 1> values{};
  std::string name = std::to_string(N);
  std::map<std::string, std::vector<double>> columns;
  std::variant<std::int64_t, double, std::string, std::array<char, N + 1>> kind;
  bool operator<(const Record& other) const {
    return std::tie(name, values) < std::tie(other.name, other.values);
  }
};

template <std::size_t N>
double summed(std::vector<Record<N>> all) {
  std::sort(all.begin(), all.end());
  std::unordered_map<std::string, std::function<double(const Record<N>&)>> by_name;
  double sum = 0;
  for (Record<N>& one : all) {
    one.columns[one.name].push_back(one.values.front());
    by_name[one.name] = [&sum](const Record<N>& record) { return sum + record.values.back(); };
    sum += std::visit([](const auto& kind) { return static_cast<double>(sizeof(kind)); }, one.kind);
  }
  for (const Record<N>& one : all) sum += by_name.at(one.name)(one);
  return sum;
}

template <std::size_t... N>
double all_of(std::index_sequence<N...>) {
  return (summed<N>(std::vector<Record<N>>(N)) + ... + 0.0);
}

}  // namespace

double build_reference(const std::string& text) {
  const std::regex pattern("([a-z]+)_([0-9]+)");
  std::smatch found;
  const double extra = std::regex_search(text, found, pattern) ? 1 : 0;
  return all_of(std::make_index_sequence<5>()) + extra +
         static_cast<double>(std::filesystem::path(text).string().size());
}
