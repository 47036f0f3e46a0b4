#include "trainer/data/loader.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "trainer/data/sample_reader.h"

namespace ringside::data {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

BufferSource heap_buffers() {
  return {[](std::size_t bytes) {
            return std::aligned_alloc(kAlignment,
                                      (bytes + kAlignment - 1) / kAlignment * kAlignment);
          },
          [](void* memory) { std::free(memory); }};
}

/// Blocks signals in loader threads, since they are meant for the trainer.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

/// A ring of buffers: batch n is in slot n % size. A worker claims the next number once the
/// previous batch in its slot has been returned, fills it outside the lock and marks the slot;
/// next() waits for its number.
class Loader::Ring {
 public:
  Ring(const Dataset& dataset, const LoaderOptions& options)
      : dataset_(dataset),
        reader_(dataset, options.seed),
        batch_size_(options.batch_size),
        kept_(options.kept),
        ahead_(options.workers > 0 ? std::max<std::int64_t>(options.prefetch, 1) : 0),
        bytes_(options.bytes),
        buffers_(options.buffers.allocate ? options.buffers : heap_buffers()) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  ~Ring() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    for (const Slot& slot : slots_) {
      if (slot.batch.images != nullptr) buffers_.release(slot.batch.images);
      if (slot.batch.bytes != nullptr) buffers_.release(slot.batch.bytes);
      if (slot.batch.labels != nullptr) buffers_.release(slot.batch.labels);
    }
  }

  Result<void> open(std::int64_t workers) {
    const auto pixels = static_cast<std::int64_t>(dataset_.sample_size());
    if (pixels < 1) return bad_request("data set \"" + dataset_.name + "\" holds no images");
    const std::int64_t slots = kept_ + ahead_;
    if (batch_size_ > kMostBytes / (pixels * 4) / slots) {
      return bad_request("batches of " + std::to_string(batch_size_) +
                         " images do not fit in memory");
    }
    slots_.resize(static_cast<std::size_t>(slots));
    for (Slot& slot : slots_) {
      const auto size = static_cast<std::size_t>(batch_size_);
      const std::size_t pixels_of_all = size * dataset_.sample_size();
      if (bytes_) {
        slot.batch.bytes = static_cast<std::uint8_t*>(buffers_.allocate(pixels_of_all));
      } else {
        slot.batch.images = static_cast<float*>(buffers_.allocate(pixels_of_all * sizeof(float)));
      }
      slot.batch.labels =
          static_cast<std::int64_t*>(buffers_.allocate(size * sizeof(std::int64_t)));
      const bool images = slot.batch.images != nullptr || slot.batch.bytes != nullptr;
      if (!images || slot.batch.labels == nullptr) {
        return failure("no memory for " + std::to_string(slots) + " batches of " +
                       std::to_string(batch_size_) + " images; lower batch.size");
      }
    }
    const SignalsBlocked blocked;
    try {
      for (std::int64_t i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      return failure("cannot start " + std::to_string(workers) +
                     " loader threads: " + error.what() + "; lower data.workers");
    }
    return {};
  }

  Result<void> start(std::span<const std::uint32_t> indices, std::uint64_t epoch) {
    for (const std::uint32_t index : indices) {
      if (index >= dataset_.count) {
        return bad_request("sample " + std::to_string(index) + " is outside the " +
                           std::to_string(dataset_.count) + " of data set \"" + dataset_.name +
                           "\"");
      }
    }
    {
      std::unique_lock lock(mutex_);
      claimed_ = batches_;  // no further batch of the old epoch is begun
      ready_.wait(lock, [this] { return busy_ == 0; });
      indices_.assign(indices.begin(), indices.end());
      batches_ = (static_cast<std::int64_t>(indices.size()) + batch_size_ - 1) / batch_size_;
      epoch_ = epoch;
      claimed_ = 0;
      handed_out_ = -1;
      error_.reset();
      for (Slot& slot : slots_) {
        slot.batch.number = -1;
        slot.filled = {};
      }
    }
    work_.notify_all();
    return {};
  }

  const Batch* next() {
    if (error_ || handed_out_ + 1 >= batches_) return nullptr;
    Slot& slot = slot_of(handed_out_ + 1);
    if (workers_.empty()) {
      slot.filled = fill(slot.batch, ++handed_out_, scratch_);
      slot.batch.number = handed_out_;
    } else {
      std::unique_lock lock(mutex_);
      ++handed_out_;
      work_.notify_one();
      ready_.wait(lock, [&] { return slot.batch.number == handed_out_; });
    }
    if (slot.filled) return &slot.batch;
    error_ = slot.filled.error();
    return nullptr;
  }

  const std::optional<Error>& error() const { return error_; }
  std::int64_t batches() const { return batches_; }

 private:
  struct Slot {
    Batch batch;  ///< its number, accessed under the lock, marks it as filled
    Result<void> filled;
  };

  Slot& slot_of(std::int64_t number) {
    return slots_[static_cast<std::size_t>(number) % slots_.size()];
  }

  void work() {
    SampleReader::Scratch scratch;
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] {
        return stopping_ || (claimed_ < batches_ && claimed_ <= handed_out_ + ahead_);
      });
      if (stopping_) return;
      const std::int64_t number = claimed_++;
      ++busy_;
      lock.unlock();
      Slot& slot = slot_of(number);
      slot.filled = fill(slot.batch, number, scratch);
      lock.lock();
      slot.batch.number = number;
      --busy_;
      ready_.notify_one();
    }
  }

  Result<void> fill(Batch& batch, std::int64_t number, SampleReader::Scratch& scratch) const {
    const auto begin = static_cast<std::size_t>(number * batch_size_);
    const std::size_t size =
        std::min(static_cast<std::size_t>(batch_size_), indices_.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t index = indices_[begin + i];
      const std::size_t first = i * dataset_.sample_size();
      batch.labels[i] = dataset_.labels[index];
      auto read = bytes_ ? reader_.read(index, epoch_, scratch, batch.bytes + first)
                         : reader_.read(index, epoch_, scratch, batch.images + first);
      if (!read) return read;
    }
    batch.size = static_cast<std::int64_t>(size);
    return {};
  }

  const Dataset& dataset_;
  const SampleReader reader_;
  const std::int64_t batch_size_;
  const std::int64_t kept_;
  const std::int64_t ahead_;  ///< maximum number of batches filled beyond the newest one in use
  const bool bytes_;
  const BufferSource buffers_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> indices_;
  std::uint64_t epoch_ = 0;
  std::int64_t batches_ = 0;
  std::int64_t claimed_ = 0;      ///< number of the next batch to fill
  std::int64_t handed_out_ = -1;  ///< newest number returned by next()
  std::int64_t busy_ = 0;
  bool stopping_ = false;
  std::optional<Error> error_;     ///< for the training thread, like scratch_
  SampleReader::Scratch scratch_;  ///< for next() when there are no workers
  std::vector<std::thread> workers_;
};

Loader::Loader(std::unique_ptr<Ring> ring) : ring_(std::move(ring)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

Result<Loader> Loader::create(const Dataset& dataset, const LoaderOptions& options) {
  if (options.batch_size < 1 || options.workers < 0 || options.workers > 1024 ||
      options.prefetch < 0 || options.prefetch > 4096 || options.kept < 1 || options.kept > 4096) {
    return bad_request(
        "the loader needs a batch size above 0, 0 to 1024 workers and at most 4096 "
        "batches ahead; check batch.size and data.workers");
  }
  auto ring = std::make_unique<Ring>(dataset, options);
  RINGSIDE_TRY(ring->open(options.workers));
  return Loader(std::move(ring));
}

Result<void> Loader::start(std::span<const std::uint32_t> indices, Epoch epoch) {
  return ring_->start(indices, static_cast<std::uint64_t>(epoch));
}
const Batch* Loader::next() { return ring_->next(); }
const std::optional<Error>& Loader::error() const { return ring_->error(); }
std::int64_t Loader::batches() const { return ring_->batches(); }

}  // namespace ringside::data
