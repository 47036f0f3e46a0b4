#include "tests/protocol/runlog/crash_trial.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <new>
#include <random>
#include <vector>

#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"

namespace ringside::runlog {
namespace {

constexpr std::uint64_t kMostRecords = 40;  // per append

double value_of(std::uint64_t seq) { return static_cast<double>(seq) * 1.5 - 7; }

// Records whose content can be verified without the original.
std::vector<std::byte> payload_of(std::uint64_t first, std::uint64_t count) {
  std::vector<std::byte> payload;
  for (std::uint64_t seq = first; seq < first + count; ++seq) {
    messages::append_record(payload, {0, 0, seq, static_cast<std::int64_t>(seq)},
                            messages::Scalar{"x", static_cast<Step>(seq), value_of(seq)});
  }
  return payload;
}

class Checker final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    const auto* scalar = std::get_if<messages::Scalar>(&record);
    const bool right = scalar != nullptr && scalar->value == value_of(stamp.seq) &&
                       scalar->step == static_cast<Step>(stamp.seq) && scalar->name == "x";
    wrong = wrong || !right || (count > 0 && stamp.seq <= last);
    gaps += count == 0 ? stamp.seq : stamp.seq - last - 1;
    last = stamp.seq;
    ++count;
  }
  std::uint64_t count = 0;
  std::uint64_t last = 0;
  std::uint64_t gaps = 0;
  bool wrong = false;
};

// Memory shared by both processes, which survives the killed one.
class Acknowledged {
 public:
  Acknowledged() {
    void* page = ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) count_ = new (page) std::atomic<std::uint64_t>(0);
  }
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;
  ~Acknowledged() {
    if (count_ != nullptr) ::munmap(count_, sizeof(std::atomic<std::uint64_t>));
  }
  std::atomic<std::uint64_t>* get() const { return count_; }

 private:
  std::atomic<std::uint64_t>* count_ = nullptr;
};

[[noreturn]] void append_for_ever(LogWriter& writer, std::mt19937_64& random,
                                  std::atomic<std::uint64_t>& acknowledged) {
  for (std::uint64_t next = 0;;) {
    const std::uint64_t count = 1 + random() % kMostRecords;
    if (!writer.append(payload_of(next, count), count)) ::_exit(1);
    next += count;
    acknowledged.store(next);
    if (random() % 16 == 0 && !writer.sync()) ::_exit(1);
  }
}

// Lets a process write that many records, then kills it at any point.
std::uint64_t write_and_kill(const std::filesystem::path& path, std::mt19937_64& random) {
  const Acknowledged acknowledged;
  if (acknowledged.get() == nullptr) return 0;
  std::filesystem::remove(path);
  auto writer =
      LogWriter::open(std::move(*open_file(path, OpenMode::kCreateNew)), {"crash", 0, 0, 0, ""});
  if (!writer) return 0;
  const std::uint64_t enough = random() % 2000;
  const pid_t pid = ::fork();
  if (pid == 0) append_for_ever(*writer, random, *acknowledged.get());
  if (pid < 0) return 0;
  while (acknowledged.get()->load() < enough && ::waitpid(pid, nullptr, WNOHANG) == 0)
    ::sched_yield();
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return acknowledged.get()->load();
}

// Damages the file and returns the offset.
std::uint64_t spoil(const std::filesystem::path& path, Damage damage, std::mt19937_64& random) {
  const std::uint64_t size = std::filesystem::file_size(path);
  const std::uint64_t at =
      kFileHeaderBytes + random() % std::max<std::uint64_t>(1, size - kFileHeaderBytes);
  if (damage == Damage::kCut) std::filesystem::resize_file(path, at);
  if (damage == Damage::kFlip && at < size) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ (1 << (random() % 8))));
  }
  return at;
}

// Whether a writer can continue the damaged log, and its records are read back.
bool continues(const std::filesystem::path& path, std::uint64_t recovered) {
  auto file = open_file(path, OpenMode::kAppend);
  if (!file) return false;
  auto writer = LogWriter::open(std::move(*file), {"crash", 0, 0, 0, ""});
  if (!writer || !writer->append(payload_of(1'000'000, 3), 3)) return false;
  Checker again;
  return read_log(path, again) && !again.wrong && again.count == recovered + 3;
}

}  // namespace

CrashTrial run_crash_trial(const std::filesystem::path& path, Damage damage, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  CrashTrial trial;
  trial.acknowledged = write_and_kill(path, random);
  const std::uint64_t at = damage == Damage::kNone ? 0 : spoil(path, damage, random);
  Checker found;
  const auto progress = read_log(path, found);
  trial.recovered = found.count;
  if (!progress) {
    trial.problem = "cannot be opened: " + progress.error().message;
  } else if (found.wrong) {
    trial.problem = "a record that nobody wrote";
  } else if (damage == Damage::kNone) {
    trial.lost_after_ack = trial.acknowledged > found.count ? trial.acknowledged - found.count : 0;
    if (trial.lost_after_ack > 0 || found.gaps > 0) trial.problem = "acknowledged records are gone";
    if (found.count > trial.acknowledged + kMostRecords) trial.problem = "more than was written";
  } else if (found.gaps > kMostRecords) {
    trial.problem = "one place of damage cost more than its segment";
  } else if (damage == Damage::kCut && progress->consumed_bytes + progress->tail_bytes != at) {
    trial.problem = "the cut is not reported";
  }
  if (trial.problem.empty() && !continues(path, trial.recovered))
    trial.problem = "cannot be continued";
  return trial;
}

}  // namespace ringside::runlog
