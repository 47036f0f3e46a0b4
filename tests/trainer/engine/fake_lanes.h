// The two lanes of a device that is behind its host: enqueued work is done later, one piece at a
// time, on a random lane that its events allow. Events have CUDA's semantics.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "trainer/cuda/cuda_api.h"

namespace ringside::testing {

/// Owned by the test, since the trainer owns only the interface to it.
struct FakeLanes {
  using Lane = cuda::CopyStream::Lane;

  explicit FakeLanes(std::uint32_t seed) : chance(seed) {}

  std::mt19937 chance;
  std::int64_t asked = 0;  ///< number of polls of events by the host
  /// Pieces of work that are done at each poll.
  int done_per_question = 1;

  /// Work of the trainer after a batch was copied.
  void compute(std::function<void()> work) { lane(Lane::kCompute).push_back({std::move(work)}); }

  /// Does the next piece of a lane; false: there is none, or it waits for the other lane.
  bool advance(Lane which) {
    auto& pieces = lane(which);
    if (pieces.empty()) return false;
    const Piece& piece = pieces.front();
    if (piece.waits_for >= 0 && done[piece.event()] < piece.version) return false;
    if (piece.work) piece.work();
    if (piece.records >= 0) done[piece.event()] = piece.version;
    pieces.pop_front();
    return true;
  }
  bool advance() {
    const auto first = chance() % 2 == 0 ? Lane::kCompute : Lane::kCopy;
    const auto other = first == Lane::kCompute ? Lane::kCopy : Lane::kCompute;
    return advance(first) || advance(other);
  }
  void finish() {
    while (advance()) {
    }
  }

  struct Piece {
    std::function<void()> work;
    int records = -1;  ///< number of the event
    int waits_for = -1;
    int version = 0;
    std::size_t event() const {
      return static_cast<std::size_t>(records >= 0 ? records : waits_for);
    }
  };
  std::deque<Piece>& lane(Lane which) { return lanes[which == Lane::kCopy ? 1 : 0]; }

  std::deque<Piece> lanes[2];
  std::vector<int> recorded;  ///< version of each event
  std::vector<int> done;
};

class FakeCopyStream final : public cuda::CopyStream {
 public:
  FakeCopyStream(FakeLanes& lanes, std::size_t events) : lanes_(lanes) {
    lanes_.recorded.assign(events, 0);
    lanes_.done.assign(events, 0);
  }
  void copy(const at::Tensor& to, const at::Tensor& from) override {
    lanes_.lane(Lane::kCopy).push_back({[to, from] { to.copy_(from); }});
  }
  void record(Lane lane, std::size_t event) override {
    lanes_.lane(lane).push_back({{}, static_cast<int>(event), -1, ++lanes_.recorded.at(event)});
  }
  void wait(Lane lane, std::size_t event) override {
    lanes_.lane(lane).push_back({{}, -1, static_cast<int>(event), lanes_.recorded.at(event)});
  }
  bool done(std::size_t event) override {
    ++lanes_.asked;
    for (int i = 0; i < lanes_.done_per_question; ++i) lanes_.advance();
    return lanes_.done.at(event) == lanes_.recorded.at(event);
  }

 private:
  FakeLanes& lanes_;
};

}  // namespace ringside::testing
