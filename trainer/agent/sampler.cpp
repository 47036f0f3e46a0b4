#include "trainer/agent/sampler.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "protocol/base/clock.h"
#include "trainer/probe/host_sampler.h"

namespace ringside::agent {
namespace {

// Number of samples between two measurements of a GPU's PCIe traffic. The GPUs take turns, so that
// a sample of eight GPUs is not delayed by all of them.
constexpr std::size_t kPcieEvery = 10;

}  // namespace

// Shared with the thread, which keeps it alive if it is abandoned.
struct Sampler::Box {
  Box(std::shared_ptr<probe::GpuProbe> gpus, std::vector<std::string> wanted,
      std::filesystem::path disk, std::int64_t period)
      : probe(std::move(gpus)),
        uuids(std::move(wanted)),
        host("/", std::move(disk)),
        period_ns(period),
        ready_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  ~Box() { ::close(ready_fd); }

  void run();
  Reading read(const std::vector<std::int64_t>& ranks);
  std::optional<Reading> take();  ///< requires the lock
  std::vector<messages::DeviceLink> links_of(const std::vector<Device>& devices) const;

  // Used by the thread only.
  std::shared_ptr<probe::GpuProbe> probe;
  std::vector<std::string> uuids;
  probe::HostSampler host;
  std::unique_ptr<probe::GpuHealth> health;
  std::size_t readings = 0;
  // Used by both sides.
  const std::int64_t period_ns;
  const int ready_fd;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::int64_t> pids;
  std::optional<Reading> newest;
  bool stop = false;
  bool ended = false;
  bool hurry = false;     ///< start the next sample at once
  std::size_t begun = 0;  ///< number of samples started
  std::size_t done = 0;
};

Sampler::Reading Sampler::Box::read(const std::vector<std::int64_t>& ranks) {
  Reading reading;
  reading.mono_ns = mono_now_ns();
  reading.host = host.sample(ranks, reading.mono_ns);
  if (!probe) return reading;
  for (std::size_t at = 0; at < probe->gpus().size(); ++at) {
    const std::string& uuid = probe->gpus()[at].uuid;
    if (std::find(uuids.begin(), uuids.end(), uuid) == uuids.end()) continue;
    const std::int64_t now_ns = mono_now_ns();
    const bool with_pcie = readings % kPcieEvery == reading.devices.size() % kPcieEvery;
    reading.devices.push_back({now_ns, probe->sample(at, now_ns, with_pcie)});
  }
  if (readings++ == 0) {
    reading.links = links_of(reading.devices);
    health = probe->health(uuids);
  }
  reading.troubles = health->look();
  return reading;
}

// Clears the descriptor under the lock: a sample arriving in between would be taken and yet
// reported as ready.
std::optional<Sampler::Reading> Sampler::Box::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(ready_fd, &count, sizeof count);
  return std::exchange(newest, std::nullopt);
}

/// Links between the sampled devices. The topology does not change during a run.
std::vector<messages::DeviceLink> Sampler::Box::links_of(const std::vector<Device>& devices) const {
  std::vector<messages::DeviceLink> links;
  const auto uuid_of = [&](std::int32_t index) {
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& device) {
      return device.sample.device_index == index;
    });
    return found == devices.end() ? std::string() : found->sample.device_uuid;
  };
  for (const probe::GpuLink& link :
       devices.size() > 1 ? probe->links() : std::vector<probe::GpuLink>{}) {
    messages::DeviceLink said{uuid_of(link.a), uuid_of(link.b), probe::link_word(link)};
    if (!said.from_uuid.empty() && !said.to_uuid.empty()) links.push_back(std::move(said));
  }
  return links;
}

void Sampler::Box::run() {
  std::unique_lock lock(mutex);
  auto next = std::chrono::steady_clock::now();
  while (!stop) {
    const std::vector<std::int64_t> ranks = pids;
    hurry = false;
    ++begun;
    lock.unlock();
    Reading reading = read(ranks);
    lock.lock();
    // An unread sample is replaced, but the links and problems that only it has are kept.
    if (newest && !newest->links.empty()) reading.links = std::move(newest->links);
    if (newest)
      reading.troubles.insert(reading.troubles.begin(), newest->troubles.begin(),
                              newest->troubles.end());
    newest = std::move(reading);
    done = begun;
    changed.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t told = ::write(ready_fd, &one, sizeof one);
    next = std::max(next + std::chrono::nanoseconds(period_ns), std::chrono::steady_clock::now());
    changed.wait_until(lock, next, [this] { return stop || hurry; });
  }
  lock.unlock();
  health.reset();  // a call of the driver
  lock.lock();
  ended = true;
  changed.notify_all();
}

Sampler::Sampler(std::shared_ptr<probe::GpuProbe> probe, std::vector<std::string> uuids,
                 std::filesystem::path disk, std::int64_t period_ns,
                 std::vector<std::int64_t> ranks)
    : box_(std::make_shared<Box>(std::move(probe), std::move(uuids), std::move(disk), period_ns)) {
  box_->pids = std::move(ranks);
  std::thread([box = box_] { box->run(); }).detach();
}

Sampler::~Sampler() {
  std::unique_lock lock(box_->mutex);
  box_->stop = true;
  box_->changed.notify_all();
  box_->changed.wait_for(lock, std::chrono::seconds(1), [this] { return box_->ended; });
}

void Sampler::set_ranks(std::vector<std::int64_t> pids) {
  const std::lock_guard lock(box_->mutex);
  box_->pids = std::move(pids);
}

int Sampler::ready_fd() const { return box_->ready_fd; }

std::optional<Sampler::Reading> Sampler::take() {
  const std::lock_guard lock(box_->mutex);
  return box_->take();
}

std::optional<Sampler::Reading> Sampler::read_now(std::int64_t wait_ns) {
  std::unique_lock lock(box_->mutex);
  const std::size_t wanted = box_->begun + 1;
  box_->hurry = true;
  box_->changed.notify_all();
  if (!box_->changed.wait_for(lock, std::chrono::nanoseconds(wait_ns),
                              [this, wanted] { return box_->done >= wanted; }))
    return std::nullopt;
  return box_->take();
}

}  // namespace ringside::agent
