#include "gui/session/run/sampler_controller.h"

#include <algorithm>
#include <utility>

#include "gui/view/carry_out.h"
#include "gui/view/run_context.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kShardBudgetNs = 8'000'000;  // per frame

}  // namespace

void SamplerController::choose(const std::string& id, const RunsController& runs) {
  if (chosen_ && chosen_->id == id) return;
  if (chosen_) retired_.take(std::move(chosen_->feed));
  chosen_.reset();
  choice_ = {};
  ++revision_;
  const runs::RunSummary* const run = runs.find(id);
  if (run == nullptr) return;
  chosen_ = Chosen{id, run->number, run->name, std::make_unique<model::RunModel>(run->spec),
                   std::make_unique<Feed>(run->folder, Feed::Options{0, 0, false}, wake_)};
}

void SamplerController::apply(const view::SamplerCommand& command, const RunsController& runs) {
  view::carry_out(
      command, [&](const view::ShowSamplesOf& wanted) { choose(wanted.id, runs); },
      [this](const view::SetSamplesPerCell& wanted) {
        choice_.per_cell = std::max<std::int64_t>(1, wanted.samples);
      },
      [this](const view::ScrollSamples& wanted) {
        choice_.first_sample = std::max<std::int64_t>(0, wanted.first_sample);
      },
      [this](const view::ScrollEpochs& wanted) { choice_.first_row = wanted.first_row; },
      [this](const view::PickEpoch& wanted) { choice_.pass = wanted.pass; });
}

bool SamplerController::update() {
  retired_.sweep();
  const bool changed = chosen_ && chosen_->feed->drain(*chosen_->model, kShardBudgetNs);
  if (changed) ++revision_;
  return changed;
}

void SamplerController::fill(const view::LiveInput& live, view::SamplerInput& input) const {
  input.choice = choice_;
  if (chosen_ && chosen_->id != live.context.id) {
    input.model = chosen_->model.get();
    input.id = chosen_->id;
    input.number = chosen_->number;
    input.title = chosen_->title;
    input.revision = revision_;
    return;
  }
  input.model = live.model;
  input.id = live.context.id;
  input.number = live.context.number;
  if (live.model != nullptr) input.title = view::run_title(*live.model);
  input.revision = live.number_revision;
}

}  // namespace ringside::session
