// SQLite as a store of records, for comparison: the system's library, loaded if it exists, with the
// few functions that a batched insert needs. Write-ahead log, one transaction per batch,
// synchronous = NORMAL. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace ringside::bench {

class SqlitePeer {
 public:
  /// Returns null if there is no libsqlite3.
  static std::unique_ptr<SqlitePeer> load();
  ~SqlitePeer();
  SqlitePeer(const SqlitePeer&) = delete;
  SqlitePeer& operator=(const SqlitePeer&) = delete;

  /// Inserts `batches` times `rows` rows of six columns (rank, number, time, name, step, value)
  /// into a new database; returns processor seconds, or 0 after an error.
  double insert(const std::filesystem::path& database, std::size_t batches, std::uint64_t rows);

 private:
  struct Api;
  explicit SqlitePeer(std::unique_ptr<Api> api);
  std::unique_ptr<Api> api_;
};

}  // namespace ringside::bench
