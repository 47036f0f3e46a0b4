// Models of made-up runs, with the context of a viewer.
#pragma once

#include "gui/model/run_model.h"
#include "gui/view/run_context.h"
#include "protocol/messages/records.h"
#include "tests/support/demo_run.h"

namespace ringside::support {

inline model::RunModel model_of(const DemoOptions& options) {
  model::RunModel model(demo_spec(options));
  play_demo(options, model);
  return model;
}

/// Two ranks that were stopped after 20 of the 40 steps of the third epoch, and reported that pass.
inline model::RunModel model_stopped_within(messages::Phase phase) {
  DemoOptions options = demo_small(2);
  options.finish = false;
  options.steps = 100;
  model::RunModel model = model_of(options);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::EpochReport body;
    body.epoch = 2;
    body.phase = phase;
    body.correct = 50;
    body.counted = 100;
    body.last_step = 99;
    model.accept({0, rank, 100'000, model.last_ns() + 1}, body);
  }
  return model;
}

/// A run of a program that reports no loss.
inline model::RunModel model_without_loss(const DemoOptions& options) {
  class Silent final : public messages::RecordSink {
   public:
    explicit Silent(model::RunModel& model) : model_(model) {}
    void accept(const messages::Stamp& stamp, const messages::Record& record) override {
      messages::Record said = record;
      if (auto* step = std::get_if<messages::StepReport>(&said)) step->loss = messages::kUnknownF;
      model_.accept(stamp, said);
    }

   private:
    model::RunModel& model_;
  };
  model::RunModel model(demo_spec(options));
  Silent sink(model);
  play_demo(options, sink);
  return model;
}

/// The context of a viewer attached to an active run, 12 ms after its newest record.
inline view::RunContext live_context(const model::RunModel& model) {
  view::RunContext context;
  context.id = "20261121T142400Z-7f3a1c";
  context.number = 1042;
  context.contact = view::Contact::kLive;
  context.now_ns = model.last_ns() + 12'000'000;
  context.log_bytes = 116'700'000;
  return context;
}

inline view::RunContext ended_context(const model::RunModel& model) {
  view::RunContext context = live_context(model);
  context.contact = view::Contact::kEnded;
  context.now_ns = model.last_ns();
  return context;
}

inline view::BaselineContext baseline_context(const model::RunModel& model) {
  return {&model, "20261120T101500Z-00aa11", 983};
}

}  // namespace ringside::support
