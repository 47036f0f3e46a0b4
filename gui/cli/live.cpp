// `ringside tail RUN --live`.
#include "gui/cli/live.h"

#include <algorithm>

#include "gui/cli/interrupts.h"
#include "gui/cli/print/live_block.h"
#include "gui/cli/print/live_face.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_figures.h"
#include "gui/session/run/live_run.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

constexpr double kDrawS = 0.25;

void sleep_for(double seconds) {
  pause_ns(static_cast<std::int64_t>(std::max(0.0, seconds) * 1e9));
}

}  // namespace

Result<int> show_live(const CommonOptions& options) {
  if (!is_terminal(stdout))
    return bad_request(
        "--live draws in a terminal, and standard output is none: leave it out, or "
        "`ringside show " +
        options.run + "`");
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
  const auto beside = runs::read_baseline(found.folder, spec);
  const RunId other = runs::baseline_id(found.folder, spec);
  const auto listed = runs::find_run(options.runs_folder(), other);
  const view::BaselineContext baseline{beside ? beside->model.get() : nullptr, other,
                                       listed ? listed->number : 0};
  const Interrupts interrupts;
  session::LiveRun run(found, spec, {0, 0, false}, [] {});
  LiveBlock block(stdout, true);
  std::uint64_t drawn = 0;
  while (!interrupts.any()) {
    run.update();
    const bool ended = run.read_to_end();
    if (drawn != run.number_revision() || ended) {
      drawn = run.number_revision();
      const FaceSize size{static_cast<std::size_t>(std::max(20, columns_of(stdout) - 1)),
                          static_cast<std::size_t>(std::max(2, rows_of(stdout) - 1))};
      block.draw(live_face(run.model(), run.context(), baseline, size, wants_color(stdout)));
      if (!output_arrives()) return 1;
    }
    if (ended) break;
    sleep_for(std::min(kDrawS, run.next_update_s()));
  }
  block.leave();
  if (!run.context().unreadable.empty()) return failure(run.context().unreadable);
  return interrupts.any() ? interrupts.exit_code() : 0;
}

}  // namespace ringside::cli
