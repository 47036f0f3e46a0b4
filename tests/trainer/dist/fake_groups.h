// Process groups without communication: this rank's values stand for all ranks'. They can hang,
// report an error, and complete all-reduces in a different order, which no real group does on
// request.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "trainer/dist/process_groups.h"

namespace ringside::testing {

class FakeBackend final : public c10d::Backend {
 public:
  using Done = c10::intrusive_ptr<c10d::Work>;

  FakeBackend(std::string name, int world_size) : Backend(0, world_size), name_(std::move(name)) {}

  std::atomic<c10d::ErrorType> error{c10d::ErrorType::SUCCESS};
  /// All-reduces wait until this many have started, and then complete, the newest first.
  std::size_t held_back = 1;
  /// Bytes of each all-reduce, in the order in which they were started.
  std::vector<std::size_t> reduced_bytes;
  /// "name: what", in order; shared by the groups of a test.
  std::vector<std::string>* calls = nullptr;

  const std::string getBackendName() const override { return name_; }
  c10d::ErrorType getError() override { return error; }
  void shutdown() override { log("shutdown"); }

  Done broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions&) override {
    return done(tensors);
  }
  Done allgather(std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
                 const c10d::AllgatherOptions&) override {
    for (at::Tensor& output : outputs[0]) output.copy_(inputs[0]);
    return done(inputs);
  }
  Done barrier(const c10d::BarrierOptions&) override {
    log("barrier");
    return done({});
  }
  Done allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions&) override {
    reduced_bytes.push_back(tensors.front().nbytes());
    auto future = make_future();
    under_way_.emplace_back(future, tensors);
    if (under_way_.size() >= held_back) {
      for (; !under_way_.empty(); under_way_.pop_back())
        under_way_.back().first->markCompleted(c10::IValue(under_way_.back().second));
    }
    return c10d::Work::create_from_future(future);
  }

 private:
  using Future = c10::intrusive_ptr<c10::ivalue::Future>;

  static Future make_future() {
    return c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
  }
  static Done done(const std::vector<at::Tensor>& tensors) {
    auto future = make_future();
    future->markCompleted(c10::IValue(tensors));
    return c10d::Work::create_from_future(future);
  }
  void log(const char* what) {
    if (calls != nullptr) calls->push_back(name_ + ": " + what);
  }

  std::string name_;
  std::vector<std::pair<Future, std::vector<at::Tensor>>> under_way_;
};

/// Rank 0 of `world_size`, with the backends "gradients", which reports errors, and "metrics".
struct FakeGroups {
  explicit FakeGroups(int world_size = 2)
      : gradients(c10::make_intrusive<FakeBackend>("gradients", world_size)),
        metrics(c10::make_intrusive<FakeBackend>("metrics", world_size)) {
    groups.world_size = world_size;
    groups.backend = "fake";
    groups.reports_errors = true;
    groups.gradients = group_of(gradients, world_size);
    groups.metrics = group_of(metrics, world_size);
  }

  c10::intrusive_ptr<FakeBackend> gradients;
  c10::intrusive_ptr<FakeBackend> metrics;
  dist::ProcessGroups groups;

 private:
  static c10::intrusive_ptr<c10d::ProcessGroup> group_of(
      const c10::intrusive_ptr<FakeBackend>& backend, int world_size) {
    auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(), 0,
                                                         world_size);
    group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
    group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::CUSTOM,
                      c10::intrusive_ptr<c10d::Backend>(backend));
    return group;
  }
};

}  // namespace ringside::testing
