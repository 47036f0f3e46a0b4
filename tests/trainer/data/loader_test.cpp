#include "trainer/data/loader.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>

#include "tests/support/catch.h"
#include "trainer/data/resize.h"

using namespace ringside;
using namespace ringside::data;
using Indices = std::vector<std::uint32_t>;

namespace {

// Two channels of 2 x 3; pixel p of image i is 10 i + p (mod 256), label i.
Dataset small_set(std::int64_t count = 23) {
  Dataset set;
  set.name = "small";
  set.count = count;
  set.channels = 2;
  set.height = 2;
  set.width = 3;
  set.stored = {2, 3};
  set.classes = 100;
  set.mean = {0.5F, 0.25F};
  set.std = {0.5F, 2.0F};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t p = 0; p < 12; ++p) {
      set.images.push_back(static_cast<std::uint8_t>(10 * i + p));
    }
    set.labels.push_back(i);
  }
  return set;
}

Loader loader_loader_of(const Dataset& set, std::int64_t workers, std::int64_t batch_size = 4,
                        std::int64_t kept = 1) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.workers = workers;
  options.prefetch = 2;
  options.kept = kept;
  auto loader = Loader::create(set, options);
  if (!loader) FAIL(loader.error().message);
  return std::move(*loader);
}

Indices shuffled(std::size_t count) {
  Indices indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = static_cast<std::uint32_t>(i * 7 % count);
  return indices;
}

bool is_sample(const Dataset& set, const Batch& batch, std::int64_t place, std::uint32_t index) {
  if (batch.labels[place] != set.labels[index]) return false;
  for (std::int64_t p = 0; p < 12; ++p) {
    const auto channel = static_cast<std::size_t>(p / 6);
    const float pixel = static_cast<float>(set.images[index * 12 + static_cast<std::size_t>(p)]);
    const float expected = (pixel / 255.0F - set.mean[channel]) / set.std[channel];
    if (batch.images[place * 12 + p] != expected) return false;
  }
  return true;
}

// Reads the epoch to its end and compares every value.
void check_epoch(Loader& loader, const Dataset& set, const Indices& indices, std::int64_t size) {
  REQUIRE(loader.start(indices));
  const auto total = static_cast<std::int64_t>(indices.size());
  CHECK(loader.batches() == (total + size - 1) / size);
  std::int64_t seen = 0;
  std::int64_t number = 0;
  while (const Batch* batch = loader.next()) {
    REQUIRE(batch->number == number++);
    REQUIRE(batch->size == std::min(size, total - seen));
    for (std::int64_t i = 0; i < batch->size; ++i) {
      REQUIRE(is_sample(set, *batch, i, indices[static_cast<std::size_t>(seen + i)]));
    }
    seen += batch->size;
  }
  CHECK(seen == total);
  CHECK(loader.next() == nullptr);
}

}  // namespace

TEST_CASE("batches come in the order of the indices for any number of workers") {
  const Dataset set = small_set();
  for (const std::int64_t workers : {0, 1, 3}) {
    INFO(workers);
    Loader loader = loader_loader_of(set, workers);
    for (int epoch = 0; epoch < 20; ++epoch) check_epoch(loader, set, shuffled(23), 4);
    check_epoch(loader, set, {5, 5, 5}, 4);
    check_epoch(loader, set, {}, 4);
    check_epoch(loader, set, shuffled(8), 4);
  }
}

TEST_CASE("random crops and flips are the same for any number of workers and ranks") {
  Dataset set = small_set(60);
  set.height = set.width = 2;
  set.transform = {0, 2, 1, true, true};
  const auto pixels_of = [&](std::int64_t workers, const Indices& indices, Epoch epoch) {
    Loader loader = loader_loader_of(set, workers);
    REQUIRE(loader.start(indices, epoch));
    std::vector<std::vector<float>> samples(60);
    std::size_t at = 0;
    while (const Batch* batch = loader.next()) {
      for (std::int64_t i = 0; i < batch->size; ++i, ++at) {
        samples[indices[at]].assign(batch->images + i * 8, batch->images + (i + 1) * 8);
      }
    }
    return samples;
  };
  const auto alone = pixels_of(0, shuffled(60), 3);
  CHECK(pixels_of(3, shuffled(60), 3) == alone);
  CHECK(pixels_of(1, shuffled(60), 4) != alone);
  Indices even;
  for (std::uint32_t i = 0; i < 60; i += 2) even.push_back(i);
  const auto half = pixels_of(2, even, 3);
  for (const std::uint32_t index : even) CHECK(half[index] == alone[index]);
}

TEST_CASE("a crop has the image's pixels, and zeros outside the image") {
  Dataset set = small_set(200);
  set.height = set.width = 3;
  set.transform = {0, 3, 1, true, true};
  Loader loader = loader_loader_of(set, 1, 200);
  Indices indices(200);
  std::iota(indices.begin(), indices.end(), 0U);
  REQUIRE(loader.start(indices, 7));
  const Batch* batch = loader.next();
  REQUIRE(batch != nullptr);
  for (std::uint32_t index = 0; index < 200; ++index) {
    const Window window = window_of(set.transform, {2, 3}, {3, 3}, 0, 7, index);
    for (std::int64_t p = 0; p < 18; ++p) {
      const std::int64_t x = window.mirrored ? 2 - p % 3 : p % 3;
      const std::int64_t row = p / 3 % 3 + window.top;
      const std::int64_t column = x + window.left;
      const bool inside = row >= 0 && row < 2 && column >= 0 && column < 3;
      const auto channel = static_cast<std::size_t>(p / 9);
      const auto at = index * 12 + channel * 6 + static_cast<std::size_t>(row * 3 + column);
      const float pixel = inside ? static_cast<float>(set.images[at]) : 0.0F;
      REQUIRE(batch->images[index * 18 + p] ==
              (pixel / 255.0F - set.mean[channel]) / set.std[channel]);
    }
  }
}

TEST_CASE("images in memory are resized when batches are made") {
  Dataset set = small_set(4);
  set.height = 4;
  set.width = 6;
  set.transform.resize = 4;
  Loader loader = loader_loader_of(set, 2);
  REQUIRE(loader.start(Indices{2}));
  const Batch* batch = loader.next();
  REQUIRE(batch != nullptr);
  std::vector<std::uint8_t> rows;
  std::vector<std::uint8_t> planes;
  resize_planes(set.images.data() + 24, 2, {2, 3}, {4, 6}, rows, planes);
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const std::size_t channel = p / 24;
    REQUIRE(batch->images[p] ==
            (static_cast<float>(planes[p]) / 255.0F - set.mean[channel]) / set.std[channel]);
  }
}

TEST_CASE("byte batches match the floats, including crops, flips and resizing") {
  Dataset set = small_set(40);
  if (GENERATE(false, true)) {
    set.height = set.width = 5;
    set.transform = {4, 5, 1, true, true};
  }
  const std::int64_t workers = GENERATE(0, 2);
  LoaderOptions options;
  options.batch_size = 7;
  options.workers = workers;
  options.seed = 3;
  auto floats = Loader::create(set, options);
  options.bytes = true;
  auto bytes = Loader::create(set, options);
  REQUIRE(floats);
  REQUIRE(bytes);
  REQUIRE(floats->start(shuffled(40), 5));
  REQUIRE(bytes->start(shuffled(40), 5));
  const auto pixels = static_cast<std::int64_t>(set.sample_size());
  while (const Batch* expected = floats->next()) {
    const Batch* batch = bytes->next();
    REQUIRE(batch != nullptr);
    CHECK(batch->images == nullptr);
    REQUIRE(batch->size == expected->size);
    for (std::int64_t p = 0; p < batch->size * pixels; ++p) {
      const auto channel = static_cast<std::size_t>(p % pixels / (pixels / 2));
      const auto byte = static_cast<float>(batch->bytes[p]);
      REQUIRE(expected->images[p] == (byte / 255.0F - set.mean[channel]) / set.std[channel]);
    }
    for (std::int64_t i = 0; i < batch->size; ++i) CHECK(batch->labels[i] == expected->labels[i]);
  }
}

TEST_CASE("workers beyond the number of batches loaded ahead stay idle") {
  const Dataset set = small_set();
  LoaderOptions options;
  options.batch_size = 4;
  options.workers = 5;
  options.prefetch = 0;  // means one, since there are workers
  int buffers = 0;
  options.buffers.allocate = [&](std::size_t bytes) {
    ++buffers;
    return std::malloc(bytes);
  };
  options.buffers.release = [](void* memory) { std::free(memory); };
  auto loader = Loader::create(set, options);
  REQUIRE(loader);
  CHECK(buffers == 2 * 2);
  check_epoch(*loader, set, shuffled(23), 4);
}

TEST_CASE("a data set without images has no batches") {
  Dataset set;
  set.name = "integers";
  set.count = 3;
  set.labels = {0, 1, 2};
  const auto loader = Loader::create(set, {});
  REQUIRE_FALSE(loader);
  CHECK(loader.error().kind == ErrorKind::kRequest);
}

TEST_CASE("many small batches through many workers are correct") {
  const Dataset set = small_set(1000);
  Loader loader = loader_loader_of(set, 7, 1);
  check_epoch(loader, set, shuffled(1000), 1);
}

TEST_CASE("an epoch can be aborted") {
  const Dataset set = small_set();
  for (const std::int64_t workers : {0, 1, 3}) {
    Loader loader = loader_loader_of(set, workers);
    for (std::int64_t read = 0; read < 6; ++read) {
      REQUIRE(loader.start(shuffled(23)));
      for (std::int64_t i = 0; i < read; ++i) REQUIRE(loader.next() != nullptr);
      check_epoch(loader, set, shuffled(11), 4);
    }
    REQUIRE(loader.start(shuffled(23)));  // the loader ends with work in progress
  }
}

TEST_CASE("kept batches stay valid while newer ones are read") {
  const Dataset set = small_set();
  for (const std::int64_t workers : {0, 2}) {
    Loader loader = loader_loader_of(set, workers, 2, 3);
    const Indices indices = shuffled(23);
    REQUIRE(loader.start(indices));
    std::vector<const Batch*> last;
    while (const Batch* batch = loader.next()) {
      last.push_back(batch);
      if (last.size() > 3) last.erase(last.begin());
      for (const Batch* kept : last) {
        const auto first = static_cast<std::size_t>(kept->number * 2);
        REQUIRE(is_sample(set, *kept, 0, indices[first]));
      }
    }
  }
}

TEST_CASE("there is no batch before the first start") {
  const Dataset set = small_set();
  Loader loader = loader_loader_of(set, 1);
  CHECK(loader.batches() == 0);
  CHECK(loader.next() == nullptr);
}

TEST_CASE("buffers come from the caller's source and are returned to it") {
  const Dataset set = small_set();
  std::atomic<int> alive = 0;
  LoaderOptions options;
  options.workers = 2;
  options.buffers.allocate = [&](std::size_t bytes) {
    ++alive;
    return std::malloc(bytes);
  };
  options.buffers.release = [&](void* memory) {
    --alive;
    std::free(memory);
  };
  {
    auto loader = Loader::create(set, options);
    REQUIRE(loader);
    CHECK(alive == 2 * (4 + 1));
    check_epoch(*loader, set, shuffled(23), 64);
    CHECK(alive == 2 * (4 + 1));
  }
  CHECK(alive == 0);
}

TEST_CASE("failing to allocate memory is an error without a leak") {
  const Dataset set = small_set();
  int alive = 0;
  LoaderOptions options;
  options.buffers.allocate = [&](std::size_t bytes) -> void* {
    if (alive == 3) return nullptr;
    ++alive;
    return std::malloc(bytes);
  };
  options.buffers.release = [&](void* memory) {
    --alive;
    std::free(memory);
  };
  const auto loader = Loader::create(set, options);
  REQUIRE_FALSE(loader);
  CHECK(loader.error().kind == ErrorKind::kFailure);
  CHECK(alive == 0);
}

TEST_CASE("invalid loader options are refused") {
  const Dataset set = small_set();
  const auto refused = [&](std::int64_t batch_size, std::int64_t workers, std::int64_t kept) {
    LoaderOptions options;
    options.batch_size = batch_size;
    options.workers = workers;
    options.kept = kept;
    const auto loader = Loader::create(set, options);
    return !loader && loader.error().kind == ErrorKind::kRequest;
  };
  CHECK(refused(0, 0, 1));
  CHECK(refused(4, -1, 1));
  CHECK(refused(4, 1, 0));
  CHECK(refused(std::int64_t{1} << 60, 1, 1));
  Loader loader = loader_loader_of(set, 1);
  const auto started = loader.start(Indices{1, 23});
  REQUIRE_FALSE(started);
  CHECK(started.error().message.find("sample 23") != std::string::npos);
}
