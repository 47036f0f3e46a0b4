// A strict reader of RFC 4180, written from the RFC and not from our writer, to check the writer's
// output. Throws on anything that the RFC does not allow, so that the test fails there.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::tests {

using CsvRows = std::vector<std::vector<std::string>>;

inline CsvRows parse_csv(std::string_view text) {
  CsvRows rows;
  std::vector<std::string> row;
  std::size_t at = 0;
  const auto quoted = [&](std::string& cell) {
    for (++at;; ++at) {
      if (at >= text.size()) throw std::runtime_error("a quoted cell does not end");
      if (text[at] != '"') {
        cell += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += '"';
        ++at;
      } else {
        ++at;
        return;
      }
    }
  };
  while (at < text.size()) {
    std::string cell;
    if (text[at] == '"') quoted(cell);
    while (at < text.size() && text[at] != ',' && text[at] != '\r') {
      if (text[at] == '"' || text[at] == '\n')
        throw std::runtime_error("a bare quote or line feed");
      cell += text[at++];
    }
    row.push_back(std::move(cell));
    if (at >= text.size()) throw std::runtime_error("the last row has no line end");
    if (text[at] == ',') {
      ++at;
      continue;
    }
    if (text.substr(at, 2) != "\r\n")
      throw std::runtime_error("a carriage return without a line feed");
    at += 2;
    rows.push_back(std::move(row));
    row.clear();
  }
  return rows;
}

}  // namespace ringside::tests
