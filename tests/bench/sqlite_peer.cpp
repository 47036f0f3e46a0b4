#include "tests/bench/sqlite_peer.h"

#include <dlfcn.h>

#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr int kOk = 0;
constexpr int kDone = 101;

}  // namespace

// Signatures as in the public documentation of the C interface (sqlite.org/c3ref).
struct SqlitePeer::Api {
  int (*open)(const char*, void**) = nullptr;
  int (*close)(void*) = nullptr;
  int (*exec)(void*, const char*, int (*)(void*, int, char**, char**), void*, char**) = nullptr;
  int (*prepare)(void*, const char*, int, void**, const char**) = nullptr;
  int (*bind_int64)(void*, int, std::int64_t) = nullptr;
  int (*bind_double)(void*, int, double) = nullptr;
  int (*bind_text)(void*, int, const char*, int, void (*)(void*)) = nullptr;
  int (*step)(void*) = nullptr;
  int (*reset)(void*) = nullptr;
  int (*finalize)(void*) = nullptr;

  bool run(void* database, const char* sql) const {
    return exec(database, sql, nullptr, nullptr, nullptr) == kOk;
  }
  bool insert_row(void* statement, std::int64_t number) const {
    bind_int64(statement, 1, 0);
    bind_int64(statement, 2, number);
    bind_int64(statement, 3, 0);
    bind_text(statement, 4, "twelve chars", 12, nullptr);
    bind_int64(statement, 5, number);
    bind_double(statement, 6, 0.5);
    const bool done = step(statement) == kDone;
    return reset(statement) == kOk && done;
  }
};

SqlitePeer::SqlitePeer(std::unique_ptr<Api> api) : api_(std::move(api)) {}
SqlitePeer::~SqlitePeer() = default;

std::unique_ptr<SqlitePeer> SqlitePeer::load() {
  void* library = ::dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto api = std::make_unique<Api>();
  bool whole = true;
  const auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    whole = whole && function != nullptr;
  };
  find(api->open, "sqlite3_open");
  find(api->close, "sqlite3_close");
  find(api->exec, "sqlite3_exec");
  find(api->prepare, "sqlite3_prepare_v2");
  find(api->bind_int64, "sqlite3_bind_int64");
  find(api->bind_double, "sqlite3_bind_double");
  find(api->bind_text, "sqlite3_bind_text");
  find(api->step, "sqlite3_step");
  find(api->reset, "sqlite3_reset");
  find(api->finalize, "sqlite3_finalize");
  if (!whole) return nullptr;
  return std::unique_ptr<SqlitePeer>(new SqlitePeer(std::move(api)));
}

double SqlitePeer::insert(const std::filesystem::path& database, std::size_t batches,
                          std::uint64_t rows) {
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(database.string() + suffix);
  void* base = nullptr;
  void* statement = nullptr;
  bool good =
      api_->open(database.c_str(), &base) == kOk && api_->run(base, "PRAGMA journal_mode=WAL") &&
      api_->run(base, "PRAGMA synchronous=NORMAL") &&
      api_->run(base,
                "CREATE TABLE records(rank INT, number INT, mono_ns INT, name TEXT, "
                "step INT, value REAL)") &&
      api_->prepare(base, "INSERT INTO records VALUES(?,?,?,?,?,?)", -1, &statement, nullptr) ==
          kOk;
  const double start = cpu_seconds();
  std::int64_t number = 0;
  for (std::size_t batch = 0; batch < batches && good; ++batch) {
    good = api_->run(base, "BEGIN");
    for (std::uint64_t row = 0; row < rows && good; ++row)
      good = api_->insert_row(statement, number++);
    good = good && api_->run(base, "COMMIT");
  }
  const double seconds = cpu_seconds() - start;
  if (statement != nullptr) api_->finalize(statement);
  if (base != nullptr) api_->close(base);
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(database.string() + suffix);
  return good ? seconds : 0.0;
}

}  // namespace ringside::bench
