#include "gui/view/sampler/sampler_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "gui/analysis/sampling.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "protocol/messages/notice_codes.h"

namespace ringside::view {
namespace {

/// The most bars of the chart; with more epochs a bar covers several.
constexpr std::size_t kMostAccuracyBars = 240;
constexpr std::size_t kMovedTicks = 6;
/// The number of ranks that have a colour of their own.
constexpr Rank kLegendRanks = 8;
constexpr std::size_t kMostRuns = 200;

Sentence fact(std::string number, std::string words) {
  return {{std::move(number), Style::kStrongNumber}, {" " + std::move(words)}};
}

Sentence each_of(const model::EpochShards& pass) {
  const std::int64_t each = pass.drawn / std::max<std::int64_t>(1, pass.parts);
  const bool equal = each * pass.parts == pass.drawn;
  Sentence text = fact(count_text(each), equal ? "each" : "or more each");
  if (pass.padded == 0) return text;
  text.push_back({", "});
  text.push_back({count_text(pass.padded), Style::kStrongNumber});
  text.push_back({" padded"});
  return text;
}

std::vector<Sentence> facts_of(const model::RunModel& run) {
  std::vector<Sentence> facts;
  const auto passes = run.shards().passes();
  if (passes.empty()) return facts;
  const auto& newest = passes.back();
  facts.push_back(fact(count_text(newest.dataset_size), "samples"));
  facts.push_back(fact(count_text(newest.world_size), newest.world_size == 1 ? "rank" : "ranks"));
  if (newest.parts < newest.world_size)
    facts.push_back(fact(count_text(newest.parts), newest.parts == 1 ? "shard" : "shards"));
  facts.push_back(each_of(newest));
  const auto epochs = static_cast<std::int64_t>(passes.size());
  facts.push_back(fact(count_text(epochs), epochs == 1 ? "epoch" : "epochs"));
  const auto& sampler = run.spec().sampler;
  const std::string seed = std::to_string(passes.front().sampler_seed);
  if (!run.spec().program.argv.empty()) {
    facts.push_back({{"sampler seed "}, {seed, Style::kStrongNumber}});
  } else {
    facts.push_back({{sampler.shuffle ? "shuffle on, " : "shuffle off, "},
                     {sampler.set_epoch ? "seed " : "set_epoch off, seed "},
                     {seed, Style::kStrongNumber}});
  }
  if (run.shards().sampled()) facts.push_back({{"every n-th index is reported", Style::kDim}});
  return facts;
}

std::vector<SamplerView::Count> counts_of(const std::vector<SampleCheckView>& checks) {
  std::vector<SamplerView::Count> counts;
  const auto add = [&](Tone tone, const char* one, const char* many) {
    const auto count =
        std::ranges::count_if(checks, [tone](const auto& check) { return check.tone == tone; });
    if (count > 0) counts.push_back({plural(count, one, many), tone});
  };
  add(Tone::kOk, "passed", "passed");
  add(Tone::kWarning, "note", "notes");
  add(Tone::kError, "failed", "failed");
  add(Tone::kDim, "unknown", "unknown");
  return counts;
}

/// The first samples of a rank in columns, "24987 10412  3391 47120". `digits` is their width.
std::string first_text(const model::ShardDetail* detail, std::size_t rank, std::size_t digits) {
  if (detail == nullptr || rank >= detail->ranks.size()) return {};
  std::string text;
  const auto& part = detail->ranks[rank];
  for (std::size_t i = 0; i < part.firsts; ++i)
    text += fmt::format("{}{:>{}}", i == 0 ? "" : " ", part.first[i], digits);
  return text;
}

std::string fingerprint(const model::EpochShards& pass) {
  return fmt::format("{:08x}", pass.order_hash >> 32U);
}

std::string same_note(const model::EpochShards& pass) {
  if (pass.stride > 1) return "All reported positions are equal, not only the first ones.";
  return "All " + count_text(pass.drawn) + " positions are equal, not only the first ones.";
}

/// Adds the two pairs of epochs to choose from: the newest, and either the picked pair or the last
/// one before an order was repeated.
void add_pairs(const model::RunModel& run, std::int64_t pass, FirstSamplesView& view) {
  const auto newest = static_cast<std::int64_t>(run.shards().passes().size()) - 1;
  if (newest < 2) return;
  const std::int64_t repeated = analysis::order_repeats(run).first;
  const std::int64_t healthy = repeated >= 2 ? repeated - 1 : 1;
  const std::int64_t other = pass != newest ? pass : healthy;
  for (const std::int64_t second : {newest, other}) {
    view.pairs.push_back(
        {"epoch " + pass_label(run, second - 1) + " and " + pass_label(run, second), second});
  }
  if (other == newest) view.pairs.pop_back();
  view.chosen = pass == newest ? 0 : 1;
}

const model::NoticeEntry* unseen_notice(const model::RunModel& run) {
  const auto& notices = run.notices();
  const auto found = std::ranges::find_if(
      notices, [](const auto& entry) { return entry.notice.code == messages::kSamplesUnseen; });
  return found == notices.end() ? nullptr : &*found;
}

std::string capitalized(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

std::string no_shards(const model::RunModel& run) {
  if (!run.shards().passes().empty()) return {};
  if (run.world_size() < 2 && !run.spec().program.argv.empty()) return label::kOneRank;
  return model::has_ended(run) || unseen_notice(run) != nullptr ? label::kNeverShards
                                                                : label::kNoShards;
}

Sentence why_no_shards(const model::RunModel& run) {
  Sentence text{{no_shards(run), Style::kStrong}};
  if (no_shards(run) == label::kOneRank) return text;
  if (const auto* unseen = unseen_notice(run)) {
    text.push_back({" " + capitalized(unseen->notice.text) + "."});
  } else if (model::has_ended(run) && run.newest_common_step() < 0) {
    text.push_back({" The run ended before its first step."});
  } else if (model::has_ended(run) && run.spec().program.argv.empty()) {
    text.push_back({" The run ended before an epoch had drawn all of them."});
  } else if (model::has_ended(run)) {
    text.push_back(
        {" Only samples that a DistributedSampler dealt out to a DataLoader were seen."});
  }
  return text;
}

std::string of_two_epochs(const model::RunModel& run) {
  return model::has_ended(run) ? label::kOneEpoch : label::kSecondEpoch;
}

Tone repeat_tone(const model::RunModel& run) {
  return analysis::order_requested(run) ? Tone::kWarning : Tone::kError;
}

std::int64_t shown_pass(const model::RunModel& run, std::int64_t picked) {
  const auto newest = static_cast<std::int64_t>(run.shards().passes().size()) - 1;
  return picked < 0 ? newest : std::min(picked, newest);
}

std::string pass_label(const model::RunModel& run, std::int64_t pass) {
  const auto passes = run.shards().passes();
  const auto& one = passes[static_cast<std::size_t>(pass)];
  const std::string epoch = std::to_string(one.epoch + 1);
  const auto same =
      std::ranges::count_if(passes, [&one](const auto& other) { return other.epoch == one.epoch; });
  return same < 2 ? epoch : epoch + ", attempt " + std::to_string(one.attempt + 1);
}

FirstSamplesView first_samples(const model::RunModel& run, std::int64_t pass) {
  FirstSamplesView view;
  view.none = no_shards(run);
  if (pass < 0) return view;
  const auto& shards = run.shards();
  const auto passes = shards.passes();
  if (pass == 0 && passes.size() > 1) pass = 1;  // two epochs are compared if there are two
  const auto place = static_cast<std::size_t>(pass);
  const auto* const after = shards.detail(place);
  const auto* const before = place > 0 ? shards.detail(place - 1) : nullptr;
  view.after = "Epoch " + pass_label(run, pass);
  view.after_print = fingerprint(passes[place]);
  view.found = repeat_tone(run);
  if (place > 0) {
    view.before = "Epoch " + pass_label(run, pass - 1);
    view.before_print = fingerprint(passes[place - 1]);
    view.same_order = passes[place].order_hash == passes[place - 1].order_hash;
  }
  const std::size_t digits = std::to_string(shards.dataset_size() - 1).size();
  const std::size_t ranks = after == nullptr ? 0 : after->ranks.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto& row = view.rows.emplace_back();
    row.rank = static_cast<Rank>(rank);
    row.before = first_text(before, rank, digits);
    row.after = first_text(after, rank, digits);
    row.same = !row.before.empty() && row.before == row.after;
  }
  if (view.same_order) view.note = same_note(passes[place]);
  add_pairs(run, pass, view);
  return view;
}

MovedView moved_view(const model::RunModel& run) {
  MovedView view;
  const auto passes = run.shards().passes();
  const Rank world = passes.empty() ? run.world_size() : passes.back().world_size;
  const Rank parts = passes.empty() ? world : passes.back().parts;
  if (world < 2) {
    view.empty = {{label::kOneRank}};
  } else if (parts < 2) {
    view.empty = {{"Every rank draws the same samples."}};
  } else if (passes.empty()) {
    view.empty = {{no_shards(run)}};
  } else if (passes.size() < 2) {
    view.empty = {{capitalized(of_two_epochs(run)) + "."}};
  }
  if (!view.empty.empty()) return view;
  const std::size_t group = (passes.size() + kMostAccuracyBars - 1) / kMostAccuracyBars;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const double share = analysis::migration(passes[i]);
    if (i % group == 0) view.bars.push_back({share, false});
    MovedView::Bar& bar = view.bars.back();
    bar.still = bar.still || share == 0;
    bar.share = std::isnan(bar.share) ? share : std::fmin(bar.share, share);
  }
  const std::size_t every =
      std::max<std::size_t>(1, (passes.size() + kMovedTicks - 1) / kMovedTicks);
  for (std::size_t i = 0; i < passes.size(); i += every) {
    view.ticks.push_back({static_cast<double>(i / group), std::to_string(passes[i].epoch + 1)});
  }
  view.expected = analysis::expected_migration(parts);
  view.expected_text = fmt::format("expected {}/{}", parts - 1, parts);
  const double now = analysis::migration(passes.back());
  view.now = percent1_text(now);
  view.still = now == 0;
  view.found = repeat_tone(run);
  return view;
}

SampledRuns sampled_runs(std::span<const RunSummary> runs, const std::string& shown, int number,
                         const std::string& title) {
  SampledRuns result;
  const auto add = [&result](const std::string& id, std::string words) {
    result.ids.push_back(id);
    result.words.push_back(std::move(words));
  };
  for (const RunSummary& run : runs.first(std::min(kMostRuns, runs.size()))) {
    if (run.id == shown) result.chosen = static_cast<int>(result.ids.size());
    const std::string ranks = run.ranks < 1 ? ""
                                            : ", " + plural(run.ranks, run.gpus ? "GPU" : "rank",
                                                            run.gpus ? "GPUs" : "ranks");
    add(run.id,
        run_label(run.number, run.id) + " " + (run.name.empty() ? run.title : run.name) + ranks);
  }
  if (result.chosen >= 0 || shown.empty()) return result;
  result.chosen = static_cast<int>(result.ids.size());
  add(shown, run_label(number, shown) + " " + title);
  return result;
}

SamplerView build_sampler_view(const model::RunModel& run, const SamplerChoice& choice) {
  SamplerView view;
  const std::int64_t pass = shown_pass(run, choice.pass);
  view.no_shards = no_shards(run);
  view.facts = facts_of(run);
  view.alarm = sampler_alarm(run);
  view.checks = sample_checks(run);
  view.counts = counts_of(view.checks);
  view.first = first_samples(run, pass);
  view.moved = moved_view(run);
  view.validation = validation_view(run);
  view.shards = shard_table(run, pass);
  if (pass >= 0) view.shards_epoch = "epoch " + pass_label(run, pass);
  view.legend.resize(static_cast<std::size_t>(std::min(run.world_size(), kLegendRanks)));
  std::iota(view.legend.begin(), view.legend.end(), 0);
  return view;
}

}  // namespace ringside::view
