// Names, colours and markers of a study's series, and its progress.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/view/number_format.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/scaling/scaling_view.h"

namespace ringside::view {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string size_text(const StudySettingFacts& setting) {
  if (setting.nodes <= 1) return count_text(setting.devices);
  return count_text(setting.nodes) + " × " + count_text(setting.devices / setting.nodes);
}

bool has_ceiling(const StudySettingFacts& setting, const analysis::Scaling& scaling) {
  return setting.ceiling > 0 && std::ranges::all_of(scaling.points, [&](const auto& point) {
           return point.key != setting.key || analysis::holds(setting.ceiling, point.speedup.mean);
         });
}

const StudyRun* typical_run(const StudySettingFacts& setting) {
  double sum = 0;
  int count = 0;
  for (const StudyRun& run : setting.runs) {
    if (!run.finished() || !std::isfinite(run.seconds)) continue;
    sum += run.seconds;
    ++count;
  }
  const StudyRun* nearest = nullptr;
  for (const StudyRun& run : setting.runs) {
    if (!run.finished() || !std::isfinite(run.seconds)) continue;
    if (nearest == nullptr ||
        std::abs(run.seconds - sum / count) < std::abs(nearest->seconds - sum / count))
      nearest = &run;
  }
  return nearest;
}

std::string waterfall_wait(const StudyFacts& facts) {
  if (facts.study.of_settings()) {
    const std::string time = pair_words(facts);
    return time + (time.empty() ? "" : " ") +
           "Settings on one number of devices have no speedup that could be taken apart; their "
           "runs can be compared in Runs.";
  }
  const auto measured = std::count_if(facts.settings.begin(), facts.settings.end(),
                                      [](const auto& one) { return typical_run(one) != nullptr; });
  const bool compared = measured > 1 && typical_run(facts.settings.front()) != nullptr;
  return compared ? "Reading the two runs…"
                  : "Where the rest of the ideal speedup goes, once the baseline and another "
                    "setting have finished.";
}

StudyProgress progress_of(const StudyFacts& facts) {
  StudyProgress progress;
  progress.planned = facts.study.planned();
  for (const StudySettingFacts& setting : facts.settings) {
    for (const StudyRun& run : setting.runs) {
      progress.live = progress.live || run.live;
      if (run.finished()) ++progress.finished;
      if (!run.finished() && !run.live) ++progress.failed;
    }
  }
  const std::size_t told = progress.finished + progress.failed;
  progress.waiting = progress.planned > told ? progress.planned - told : 0;
  return progress;
}

std::vector<std::string> delete_words(const StudyFacts& facts) {
  const auto runs = static_cast<std::int64_t>(facts.study.runs());
  const std::string its = runs == 1 ? "its run" : "its " + count_text(runs) + " runs";
  return {"Delete " + facts.study.head.study + ", keep " + its,
          "Delete " + facts.study.head.study + " with the runs that it made"};
}

std::string progress_text(const StudyFacts& facts) {
  const StudyProgress progress = progress_of(facts);
  if (progress.complete()) return "all finished";
  const std::string done = std::to_string(progress.finished) + " of " +
                           std::to_string(progress.planned) + " runs finished";
  if (!progress.live)
    return done + (progress.failed > 0 ? ", " + std::to_string(progress.failed) + " not" : "");
  std::string waits;  // the first waiting job, and what it waits for
  for (const StudySettingFacts& setting : facts.settings) {
    for (const StudyRun& run : setting.runs) {
      if (run.live && run.word != "queued")
        return done + ", " + run.label + " (" + setting.key + ") " + run.word;
      if (run.live && waits.empty() && !run.detail.empty()) waits = " " + run.detail;
    }
  }
  return done + ", queued" + waits;
}

std::string series_words(const std::string& series, const StudyFacts& facts) {
  const std::string device = facts.on_gpus ? "GPU" : "rank";
  if (series == runs::kBaselineSeries) return "1 " + device + " baseline";
  if (series == "weak") return "Weak";
  if (series == "strong") return "Strong";
  if (series == "dp") return "DataParallel";
  if (series == "bf16" || series == "fp16") return "DDP + " + upper(series) + " AMP";
  if (series.find('=') != series.npos) return series;
  return series == "torch" ? "DDP, PyTorch's precision" : "DDP " + upper(series);
}

Token series_token(const std::string& series) {
  if (series == runs::kBaselineSeries) return Token::kHigh;
  if (series == "weak") return Token::kSeriesA;
  if (series == "strong") return Token::kSeriesB;
  return series == "dp" ? Token::kSeriesD : Token::kSeriesC;
}

Marker series_marker(const std::string& series) {
  if (series == "strong") return Marker::kSquare;
  if (series == "dp") return Marker::kCross;
  return series == "weak" || series == runs::kBaselineSeries ? Marker::kDisc : Marker::kDiamond;
}

}  // namespace ringside::view
