#include "gui/session/run/log_searcher.h"

#include <utility>

#include "gui/runs/text_search.h"
#include "gui/session/run_texts.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

view::LogSearch search_texts(const runlog::RunFolder& folder, const std::string& text,
                             const std::atomic<bool>& cancel) {
  constexpr std::size_t kMostOfFile = 1000;
  view::LogSearch search;
  search.text = text;
  for (const StreamTails::File& file : StreamTails::files_of(folder)) {
    // A file that cannot be read is skipped; the others are still searched.
    const auto found = runs::search_file(file.path, text, kMostOfFile, cancel);
    if (!found || found->matches == 0) {
      search.bytes += found ? found->bytes : 0;
      continue;
    }
    ++search.files;
    search.matches += found->matches;
    search.bytes += found->bytes;
    for (const runs::FoundLine& line : found->lines) {
      auto styled = view::styled_lines(line.text, false, 1);
      styled.resize(1);
      search.found.push_back({file.rank, line.line, std::move(styled[0].text),
                              std::move(styled[0].color), file.path.filename() == "stderr"});
    }
  }
  return search;
}

}  // namespace

LogSearcher::LogSearcher(runlog::RunFolder folder, Jobs& jobs)
    : folder_(std::move(folder)), jobs_(jobs) {}

LogSearcher::~LogSearcher() { state_->cancelled = true; }

void LogSearcher::begin(const std::string& text) {
  state_->cancelled = true;
  state_ = std::make_shared<State>();
  ++begun_;
  state_->shown.text = text;
  state_->shown.running = !text.empty();
  if (text.empty()) return;
  jobs_.start(
      "search " + std::to_string(mono_now_ns()),
      [text, state = state_, folder = folder_]() -> Jobs::Completion {
        auto found = search_texts(folder, text, state->cancelled);
        return [state, found = std::move(found)] {
          state->shown = found;
          state->done = true;
        };
      },
      JobKind::kReads);
}

}  // namespace ringside::session
