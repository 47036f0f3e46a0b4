#include "gui/view/window/top_bar.h"

#include <algorithm>
#include <cctype>

#include "gui/analysis/progress.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

/// The bar has fewer divisions if there are more epochs than this, so that lines do not fill it.
constexpr std::int64_t kMostDivisions = 12;

int divisions(std::int64_t epochs) {
  if (epochs <= kMostDivisions) return static_cast<int>(std::max<std::int64_t>(0, epochs));
  for (int parts = static_cast<int>(kMostDivisions); parts > 1; --parts) {
    if (epochs % parts == 0) return parts;
  }
  return 0;
}

TopBarView without_run(const std::optional<LastResult>& last) {
  TopBarView bar;
  bar.title = "No active run";
  if (!last) return bar;
  std::string word = last->state.word;
  if (!word.empty()) word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  bar.subtitle = "Last: " + last->number + " " + last->title + ", " + word + " in " +
                 clock_text(last->seconds);
  if (last->speedup) bar.subtitle += ", " + speedup_text(*last->speedup);
  return bar;
}

Sentence labelled(const char* label, std::string value, std::string rest) {
  return {{std::string(label) + " ", Style::kDim},
          {std::move(value), Style::kStrongNumber},
          {std::move(rest), Style::kNumber}};
}

void add_progress(const analysis::Progress& progress, bool over, TopBarView& bar) {
  if (over && progress.steps_done == 0) return;  // it never trained, so no epoch began
  bar.has_progress = progress.steps_planned > 0;
  bar.share = progress.share;
  bar.percent = percent1_text(progress.share);
  bar.epochs = divisions(progress.epochs);
  if (progress.steps_per_epoch > 0 && progress.epochs > 0) {
    bar.epoch =
        labelled("Epoch", count_text(progress.epoch + 1), "/" + count_text(progress.epochs));
    bar.step = labelled("Step", count_text(progress.step_in_epoch),
                        "/" + count_text(progress.steps_per_epoch));
  } else {
    const std::string rest =
        progress.steps_planned > 0 ? "/" + count_text(progress.steps_planned) : "";
    bar.step = labelled("Step", count_text(progress.steps_done), rest);
  }
}

void add_transport(const RunContext& context, bool over, TopBarView& bar) {
  bar.can_seek = context.replaying;
  bar.can_pause = context.replaying ? context.contact == Contact::kReplay : !over;
  bar.paused = context.paused && bar.can_pause;
  bar.pause_word = !bar.paused         ? label::kPause
                   : context.replaying ? label::kPlay
                                       : label::kBackToLive;
  if (!context.replaying) return;
  bar.replay_speed = replay_speed_text(context.replay_speed);
  bar.has_progress = true;
  bar.share = context.replay_share;
  bar.epochs = 0;
}

}  // namespace

bool can_resume(const model::RunModel& model, const RunContext& context) {
  const auto& state = model.run_state();
  const bool finished = state && state->state == messages::State::kFinished;
  return is_over(model, context) && !finished && !context.replaying && !model.checkpoints().empty();
}

std::string replay_speed_text(double speed) {
  return speed < 1 ? decimal_text(speed, 1) + "×" : ideal_text(speed);
}

TopBarView build_top_bar(const model::RunModel* model, const RunContext& context,
                         const std::optional<LastResult>& last) {
  if (model == nullptr) return without_run(last);
  TopBarView bar;
  bar.has_run = true;
  bar.number = run_label(context.number, context.id);
  bar.title = context.name.empty() ? run_title(*model) : printable_line(context.name);
  if (context.newer > 0)
    bar.subtitle =
        plural(static_cast<std::int64_t>(context.newer), "newer run", "newer runs") + " · ";
  bar.subtitle += batch_line(*model);
  bar.state = run_state_view(*model, context);
  bar.injected = injected_text(model->spec());
  const bool over = is_over(*model, context);
  const auto progress = analysis::progress(*model, over ? model->last_ns() : context.now_ns);
  add_progress(progress, over, bar);
  if (progress.elapsed_s)
    bar.elapsed = {{clock_text(*progress.elapsed_s), Style::kStrongNumber},
                   {" elapsed", Style::kDim}};
  if (!over && progress.eta_s)
    bar.eta = {{"ETA ", Style::kDim}, {clock_text(*progress.eta_s), Style::kStrongNumber}};
  bar.can_stop = !over && context.ours && context.contact != Contact::kReplay;
  bar.can_export = model->first_ns() > 0;
  bar.can_resume = can_resume(*model, context);
  if (bar.can_resume)
    bar.resume_hint = "A new attempt from the checkpoint of epoch " +
                      count_text(model->checkpoints().back().checkpoint.epoch + 1);
  const bool again = !model->spec().program.argv.empty() || progress.steps_done == 0;
  if (over && !context.replaying && again && !messages::is_watched(model->spec()))
    bar.run_again = context.id;
  add_transport(context, over, bar);
  return bar;
}

}  // namespace ringside::view
