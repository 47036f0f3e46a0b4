// Measures the cost of monitoring for a rank, as a share of its step: the checksum of the
// parameters by which replicas are compared (train.compare_every at its default), and posting one
// step's record to the telemetry ring. One thread, batch 32, a step without optimizer and
// all-reduce. Prints one line of JSON.
#include <cstdio>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "protocol/messages/codec.h"
#include "protocol/messages/step_records.h"
#include "tests/bench/rounds.h"
#include "trainer/engine/loop/replica_watch.h"
#include "trainer/models/model.h"
#include "trainer/telemetry/byte_ring.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 9;
constexpr std::int64_t kBatch = 32;

/// Median processor seconds of one call, with `calls` calls per round.
template <class Work>
double seconds_of(int calls, Work&& work) {
  work();
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_seconds();
    for (int i = 0; i < calls; ++i) work();
    rounds.push_back((cpu_seconds() - begin) / calls);
  }
  return median(rounds);
}

double post_seconds() {
  telemetry::ByteRing ring(std::size_t{8} << 20);
  const messages::Stamp stamp{0, 0, 0, 1};
  messages::StepReport body;
  body.loss = 0.5F;
  return seconds_of(100'000, [&] {
    messages::put_record(ring.reserve(messages::encoded_bytes(body)), stamp, body);
    ring.commit();
    ring.pop();
  });
}

std::string measured(const char* name, const messages::ImageShape& images, double post_s) {
  messages::ModelSpec spec;
  spec.name = name;
  auto model = models::make_model(spec, images, 1);
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().message.c_str());
    return {};
  }
  std::vector<at::Tensor> parameters;
  for (const auto& [key, tensor] : model->named_parameters()) parameters.push_back(tensor);
  const at::Tensor input = torch::randn({kBatch, images.channels, images.height, images.width});
  const at::Tensor labels = torch::zeros({kBatch}, at::kLong);
  const double step_s =
      seconds_of(3, [&] { model->loss(model->forward(input), labels).backward(); });
  const double sum_s = seconds_of(20, [&] { engine::sum_of_bits(parameters); });
  const double every = static_cast<double>(messages::TrainSpec().compare_every);
  return ",\"" + std::string(name) + "\":{" + field("step_ms", step_s * 1e3) + "," +
         field("sum_ms", sum_s * 1e3) + "," + field("compare_pct", 100 * sum_s / every / step_s) +
         "," + field("post_pct", 100 * post_s / step_s) + "}";
}

int run() {
  at::set_num_threads(1);
  const double post_s = post_seconds();
  const std::string line = "{\"bench\":\"watching\"," + field("post_us", post_s * 1e6) +
                           measured("convnet", {1, 28, 28}, post_s) +
                           measured("resnet18", {3, 32, 32}, post_s) + "}";
  std::puts(line.c_str());
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() { return ringside::bench::run(); }
