#include "gui/view/live/log_view.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <limits>
#include <map>
#include <regex>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/alerts/blame.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/node_map.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

using messages::Severity;

std::string node_name(Node node) { return "Node " + count_text(node); }

Node node_of(const model::RunModel& model, Rank rank) {
  const model::RankModel* known = rank == kNoRank ? nullptr : model.rank(rank);
  return known == nullptr ? kNoNode : known->node;
}

/// A key that is unique among the lines of `kind`: `at` is the end in a rank's stream, or else the
/// time.
std::uint64_t key_of(Rank rank, unsigned kind, std::uint64_t at) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  return (at * 8 + kind) * kSpread + static_cast<std::uint64_t>(rank + 1) * (kSpread | 1U << 20U);
}
constexpr unsigned kEventKind = 2;
constexpr unsigned kFoundKind = 3;  // and 4 for stderr
constexpr unsigned kDayKind = 5;

LogStream stream_of(Rank rank, bool is_error_stream) {
  if (rank == kNoRank) return LogStream::kNone;
  return is_error_stream ? LogStream::kErr : LogStream::kOut;
}

LogLine line_at(const model::RunModel& model, std::int64_t at_ns, Rank rank, Severity severity,
                std::string text) {
  LogLine line;
  line.at_ns = at_ns;
  line.rank = rank;
  line.node = node_of(model, rank);
  line.severity = severity;
  line.text = std::move(text);
  line.key = key_of(rank, kEventKind, static_cast<std::uint64_t>(at_ns)) ^
             std::hash<std::string>()(line.text);
  if (model.wall_offset_ns()) line.time = wall_clock_text(at_ns + *model.wall_offset_ns());
  return line;
}

std::string epoch_text(const model::RunModel& model, const analysis::PassResult& train) {
  const Step steps = model.steps_per_epoch();
  const Step taken = analysis::pass_end(model, train.epoch, train.last_step) - steps * train.epoch;
  const std::string how = steps > 0 && taken < steps ? " ended after " + count_text(taken) +
                                                           " of " + plural(steps, "step", "steps")
                                                     : std::string(" done");
  std::string text =
      "epoch " + count_text(train.epoch + 1) + how + ": train loss " + loss_long_text(train.loss);
  if (const auto validation = analysis::pass_of(model, messages::Phase::kValidate, train.epoch);
      validation && validation->complete) {
    text += validation->correct < 0
                ? "  val loss " + loss_long_text(validation->loss)
                : "  val acc " + accuracy_text(validation->accuracy()) + " (" +
                      count_text(validation->correct) + "/" + count_text(validation->counted) + ")";
    text +=
        "  train " + seconds_text(train.seconds) + "  eval " + seconds_text(validation->seconds);
  } else {
    text += "  train " + seconds_text(train.seconds);
  }
  return text;
}

void add_epochs(const model::RunModel& model, std::vector<LogLine>& lines) {
  for (const auto& pass : analysis::passes(model, messages::Phase::kTrain)) {
    if (!pass.reported) continue;
    const auto validation = analysis::pass_of(model, messages::Phase::kValidate, pass.epoch);
    const std::int64_t at =
        validation ? std::max(pass.ended_ns, validation->ended_ns) : pass.ended_ns;
    lines.push_back(line_at(model, at, kNoRank, Severity::kInfo, epoch_text(model, pass)));
  }
}

/// Whether a state is a pass of an epoch, or the training that continues after one.
bool is_routine(messages::State state, messages::State before) {
  const auto pauses = [](messages::State one) {
    return one == messages::State::kEvaluating || one == messages::State::kSaving;
  };
  return pauses(state) || (state == messages::State::kTraining && pauses(before));
}

void add_states(const model::RunModel& model, std::vector<LogLine>& lines) {
  messages::State before = messages::State::kQueued;
  for (const auto& change : model.run_states()) {
    const StateView view = state_view(change.state.state);
    const bool bad = change.state.state == messages::State::kFailed;
    std::string text = "run: " + view.word;
    if (!change.state.text.empty()) text += ": " + change.state.text;
    lines.push_back(line_at(model, change.at_ns, kNoRank, bad ? Severity::kError : Severity::kInfo,
                            std::move(text)));
    lines.back().routine = is_routine(change.state.state, before);
    before = change.state.state;
  }
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    if (!known.state || known.state->state != messages::State::kFailed) continue;
    std::string text = ending_text(known.state->exit_code, known.state->signal);
    if (const std::string where = on_node(model, rank); !where.empty())
      text.insert(0, where.substr(1) + ": ");
    if (const std::string reason = failure_reason(known.state->text, rank); !reason.empty())
      text += ": " + reason;
    lines.push_back(line_at(model, known.state_ns, rank, Severity::kError, std::move(text)));
  }
}

/// Returns a function that checks whether a line matches, or in `error` why the pattern is invalid.
std::function<bool(const std::string&)> matcher(const std::string& filter, std::string& error) {
  if (filter.empty()) return [](const std::string&) { return true; };
  if (filter.size() > 2 && filter.front() == '/' && filter.back() == '/') {
    try {
      const std::regex pattern(filter.substr(1, filter.size() - 2),
                               std::regex::ECMAScript | std::regex::icase);
      // The library's search recurses per character: a line of megabytes must not overflow the
      // stack.
      constexpr std::size_t kSearched = 2000;
      return [pattern](const std::string& text) {
        return std::regex_search(text.substr(0, kSearched), pattern);
      };
    } catch (const std::regex_error&) {
      error = "This regular expression is not valid. Text without slashes is matched literally.";
      return [](const std::string&) { return false; };
    }
  }
  const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  std::string wanted(filter);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), lower);
  return [wanted, lower](const std::string& text) {
    const auto same = [lower](char a, char b) { return lower(static_cast<unsigned char>(a)) == b; };
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
  };
}

bool is_wanted(const LogChoice& choice, Rank rank, Node node) {
  if (!choice.all) return choice.rank == rank;
  return choice.node == kNoNode || choice.node == node;
}

/// Sets the time at which the node's agent saw the line. A line that no agent has seen yet sorts
/// last; in folders of older agents, which stored no times, lines sort before the events.
void give_time(const model::RunModel& model, const RankText& text, std::size_t end, LogLine& line) {
  const auto offset = model.wall_offset_ns();
  if (text.marks.empty() || !offset) return;
  const std::int64_t wall_ns = seen_wall_ns(text, text.begin + end);
  line.at_ns = std::numeric_limits<std::int64_t>::max();
  if (wall_ns == 0) return;
  line.at_ns = model.time_of_wall(line.node, wall_ns).value_or(0);
  line.time = wall_clock_text(line.at_ns + *offset);
}

void add_texts(const model::RunModel& model, std::span<const RankText> texts,
               const LogChoice& choice, std::vector<LogLine>& lines) {
  for (const RankText& text : texts) {
    const Node node = node_of(model, text.rank);
    if (!is_wanted(choice, text.rank, node)) continue;
    LevelGuess level;
    for (StyledLine& raw : styled_lines(text.bytes, text.begins_inside_line, choice.most_lines)) {
      LogLine line;
      line.rank = text.rank;
      line.node = node;
      line.severity = level.of(raw.text);
      line.stream = stream_of(text.rank, text.is_error_stream);
      line.key = key_of(text.rank, text.is_error_stream ? 1 : 0, text.begin + raw.end);
      line.text = std::move(raw.text);
      line.color = std::move(raw.color);
      give_time(model, text, raw.end, line);
      lines.push_back(std::move(line));
    }
  }
}

/// Shows the results of the search in the whole files instead of the lines that were read.
void show_search(const model::RunModel& model, const LogSearch& search, const LogChoice& choice,
                 LogView& view) {
  for (const LogSearch::Found& found : search.found) {
    const Node node = node_of(model, found.rank);
    if (!is_wanted(choice, found.rank, node)) continue;
    LogLine line;
    line.rank = found.rank;
    line.node = node;
    line.time = "line " + count_text(static_cast<std::int64_t>(found.line));
    line.text = found.text;
    line.color = found.color;
    line.stream = stream_of(found.rank, found.is_error_stream);
    line.key = key_of(found.rank, kFoundKind + (found.is_error_stream ? 1 : 0), found.line);
    line.severity = LevelGuess{}.of(found.text);
    if (line.severity >= choice.lowest) view.lines.push_back(std::move(line));
  }
  const auto shown = static_cast<std::int64_t>(search.found.size());
  const auto all = static_cast<std::int64_t>(search.matches);
  view.searched = search.running
                      ? label::kSearching
                      : (all > shown ? "The last " + count_text(shown) + " of " : "") +
                            plural(all, "line", "lines") + " with \"" + search.text + "\" in " +
                            plural(static_cast<std::int64_t>(search.files), "file", "files") +
                            ", " + mb_text(static_cast<double>(search.bytes)) + " read";
  if (view.lines.empty() && !search.running)
    view.empty = {{"No file of this run contains it.", Style::kDim}};
}

/// Adds a tab for each node if there are several; returns the index of each.
std::map<Node, std::size_t> add_node_tabs(const model::RunModel& model, std::vector<LogTab>& tabs) {
  std::map<Node, std::size_t> places;
  for (const Rank rank : model.ranks()) places[model.rank(rank)->node] = 0;
  if (places.size() < 2) return {};
  for (auto& [node, place] : places) {
    place = tabs.size();
    tabs.push_back({kNoRank, true, node_name(node), 0, false, node});
  }
  return places;
}

/// `failed`: the rank whose tab comes before those of the other ranks, if one failed.
std::vector<LogTab> tabs_of(const model::RunModel& model, Rank failed,
                            const std::vector<LogLine>& lines) {
  std::vector<LogTab> tabs{{kNoRank, true, label::kAllRanks, 0, false}};
  std::map<Rank, std::size_t> by_rank;
  const auto add = [&](Rank rank, std::string label) {
    by_rank[rank] = tabs.size();
    tabs.push_back({rank, false, std::move(label), 0, rank != kNoRank && rank == failed, kNoNode,
                    rank_place(model, rank)});
  };
  if (failed != kNoRank) add(failed, rank_name(failed));
  const std::map<Node, std::size_t> by_node = add_node_tabs(model, tabs);
  for (const Rank rank : model.ranks()) {
    if (rank != failed) add(rank, rank_name(rank));
  }
  add(kNoRank, label::kLauncher);
  for (const LogLine& line : lines) {
    if (line.severity == Severity::kInfo) continue;
    if (const auto tab = by_rank.find(line.rank); tab != by_rank.end())
      ++tabs[tab->second].warnings;
    if (const auto tab = by_node.find(line.node); tab != by_node.end())
      ++tabs[tab->second].warnings;
  }
  return tabs;
}

/// The text of a notice, with its node if the agent is not that of node 0.
std::string notice_text(const model::NoticeEntry& entry) {
  const bool elsewhere = entry.stamp.rank == kNoRank && entry.stamp.node != 0;
  return (elsewhere ? "node " + count_text(entry.stamp.node) + ": " : std::string()) +
         entry.notice.text;
}

void add_dates(const model::RunModel& model, std::int64_t today_wall_ns,
               std::vector<LogLine>& lines) {
  const auto offset = model.wall_offset_ns();
  if (today_wall_ns == 0 || !offset) return;
  const auto date_of = [](std::int64_t wall_ns) { return date_time_text(wall_ns).substr(0, 10); };
  std::string date = date_of(today_wall_ns);
  std::vector<LogLine> dated;
  for (LogLine& line : lines) {
    if (!line.time.empty()) {
      if (std::string its = date_of(line.at_ns + *offset); its != date) {
        date = std::move(its);
        LogLine& day = dated.emplace_back();
        day.text = date;
        day.at_ns = line.at_ns;
        day.key = key_of(kNoRank, kDayKind, static_cast<std::uint64_t>(line.at_ns));
        day.day = true;
      }
    }
    dated.push_back(std::move(line));
  }
  lines = std::move(dated);
}

}  // namespace

const char* name_of(LogStream stream) {
  if (stream == LogStream::kNone) return "";
  return stream == LogStream::kErr ? "stderr" : "stdout";
}

std::vector<LogLine> event_lines(const model::RunModel& model) {
  std::vector<LogLine> lines;
  for (const auto& entry : model.notices()) {
    lines.push_back(line_at(model, entry.stamp.mono_ns, entry.stamp.rank, entry.notice.severity,
                            notice_text(entry)));
    lines.back().node = entry.stamp.node;
  }
  for (const auto& entry : model.checkpoints()) {
    lines.push_back(line_at(model, entry.stamp.mono_ns, entry.stamp.rank, Severity::kInfo,
                            "checkpoint saved: " + entry.checkpoint.path + "  " +
                                mb_text(static_cast<double>(entry.checkpoint.size_bytes))));
  }
  add_epochs(model, lines);
  add_states(model, lines);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LogLine& a, const LogLine& b) { return a.at_ns < b.at_ns; });
  return lines;
}

LogView build_log(const model::RunModel& model, std::span<const RankText> texts,
                  const LogChoice& choice, const LogSearch* search, std::int64_t today_wall_ns) {
  LogView view;
  std::vector<LogLine> lines = event_lines(model);
  view.first_failed = analysis::failures(model).first;
  view.tabs = tabs_of(model, view.first_failed, lines);
  view.can_search = choice.filter.size() >= 2 && choice.filter.front() != '/';
  if (search != nullptr && !search->text.empty()) {
    show_search(model, *search, choice, view);
    return view;
  }
  std::vector<LogLine> all;
  add_texts(model, texts, choice, all);
  std::move(lines.begin(), lines.end(), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(),
                   [](const LogLine& a, const LogLine& b) { return a.at_ns < b.at_ns; });
  const auto matches = matcher(choice.filter, view.filter_error);
  std::erase_if(all, [&](const LogLine& line) {
    return !is_wanted(choice, line.rank, line.node) || line.severity < choice.lowest ||
           !matches(line.text);
  });
  if (all.size() > choice.most_lines) {
    const std::size_t hidden = all.size() - choice.most_lines;
    view.hidden = plural(static_cast<std::int64_t>(hidden), "earlier line", "earlier lines");
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hidden));
  }
  add_dates(model, today_wall_ns, all);
  view.lines = std::move(all);
  if (view.lines.empty() && view.filter_error.empty()) {
    view.empty = {{choice.filter.empty() && choice.lowest == Severity::kInfo
                       ? label::kNoOutput
                       : label::kNoMatchingLine,
                   Style::kDim}};
  }
  return view;
}

}  // namespace ringside::view
