#include "gui/cli/print/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "gui/analysis/accuracy.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/table_print.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/log_damage.h"
#include "protocol/base/calendar.h"
#include "protocol/messages/records.h"
#include "protocol/messages/spec/spec_fields.h"

namespace ringside::cli {
namespace {

using messages::Phase;

// Converts fields of records and settings to JSON.
template <class T>
Json value_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(messages::name_of(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_or_null(static_cast<double>(value));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(value_json(item));
    return list;
  }
}

Json float_json(float value) {
  // The double nearest to the float's shortest decimal text: 0.1, not 0.10000000149.
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::strtod(std::string(static_cast<const char*>(text.data()), end).c_str(), nullptr);
}

Json pass_json(const analysis::PassResult& pass, Phase phase) {
  return {{"epoch", pass.epoch},
          {"phase", std::string(messages::name_of(phase))},
          {"loss", number_or_null(pass.loss)},
          {"accuracy", number_or_null(pass.accuracy())},
          {"counted", pass.counted < 0 ? Json(nullptr) : Json(pass.counted)},
          {"padded", pass.padded},
          {"seconds", number_or_null(pass.seconds)},
          {"last_step", pass.last_step},
          {"complete", pass.complete}};
}

Json rank_json(const model::RankModel& rank) {
  Json json = {{"rank", rank.rank}, {"node", rank.node}};
  json["state"] =
      rank.state ? Json(std::string(messages::name_of(rank.state->state))) : Json(nullptr);
  json["text"] = rank.state ? rank.state->text : "";
  json["exit_code"] =
      rank.state && rank.state->exit_code >= 0 ? Json(rank.state->exit_code) : Json(nullptr);
  json["signal"] = rank.state && rank.state->signal > 0 ? Json(rank.state->signal) : Json(nullptr);
  json["steps"] = rank.steps_reported;
  json["newest_step"] = rank.newest_step;
  json["pid"] = rank.hello ? Json(rank.hello->pid) : Json(nullptr);
  json["device"] = rank.hello ? Json(rank.hello->device_name) : Json(nullptr);
  json["backend"] = rank.hello ? Json(rank.hello->backend) : Json(nullptr);
  json["threads"] = rank.hello ? Json(rank.hello->threads) : Json(nullptr);
  json["cpus"] = rank.hello && !rank.hello->cpus.empty() ? Json(rank.hello->cpus) : Json(nullptr);
  json["records"] = rank.counts.received;
  json["lost_records"] = rank.counts.lost;
  return json;
}

/// Whether a setting applies to custom programs; all others are defaults of our trainer without
/// meaning for them.
bool is_told_to_programs(const std::string& key) {
  constexpr std::array<std::string_view, 6> kTold = {"name",      "program.", "devices.",
                                                     "baseline.", "limits.",  "train.stop_on"};
  return std::ranges::any_of(kTold, [&](std::string_view told) { return key.starts_with(told); });
}

}  // namespace

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string utc_text(std::int64_t wall_ns) {
  return wall_ns == 0 ? std::string() : ringside::utc_text(wall_ns, true);
}

Json result_json(const std::vector<runs::RunSummary>& runs, double expected_s) {
  static constexpr std::array<std::string_view, 10> kKeys{
      "id",         "folder",         "world_size",    "state",
      "seconds",    "train_seconds",  "samples_per_s", "val_accuracy",
      "final_loss", "loss_not_finite"};
  Json json{{"experiment", runs.back().folder.id()},
            {"runs", rows_json(view::with_columns(run_table(runs), kKeys))},
            {"speedup", number_or_null(runs.back().figures.speedup)},
            {"efficiency", number_or_null(runs.back().figures.efficiency)}};
  if (expected_s > 0) json["expected_s"] = expected_s;
  return json;
}

Json log_json(const runs::LogDamage& damage) {
  const auto& log = damage.log;
  const auto& stamp = damage.end.stamp;
  Json last = nullptr;
  if (stamp) {
    last = {{"record", damage.end.kind},
            {"rank", stamp->rank == kNoRank ? Json(nullptr) : Json(stamp->rank)},
            {"step", damage.end.step >= 0 ? Json(damage.end.step) : Json(nullptr)},
            {"mono_ns", stamp->mono_ns}};
  }
  return {{"segments", log.segments},
          {"records", log.decoded.records},
          {"skipped_bytes", log.skipped_bytes},
          {"first_skipped", log.skipped_bytes > 0 ? Json(log.first_skipped) : Json(nullptr)},
          {"lost_segments", log.lost_segments},
          {"lost_records", damage.lost_records},
          {"missing_nodes", damage.missing_nodes},
          {"tail_bytes", log.tail_bytes},
          {"cut_off", damage.cut()},
          {"last_record", std::move(last)},
          {"damage", view::damage_text(damage)}};
}

Json alert_json(const analysis::Alert& alert, const model::RunModel& model) {
  const view::EventView event = view::event_view(alert, model, nullptr);
  const std::string phase(analysis::name_of(alert.late.cause));
  return {{"kind", std::string(analysis::info_of(alert.kind).name)},
          {"severity", std::string(messages::name_of(alert.severity))},
          {"rank", alert.rank == kNoRank ? Json(nullptr) : Json(alert.rank)},
          {"step", alert.step < 0 ? Json(nullptr) : Json(alert.step)},
          {"phase", phase.empty() ? Json(nullptr) : Json(phase)},
          {"text", view::plain(event.main)}};
}

view::RunContext context_of(const runs::RunSummary& run, const model::RunModel& model) {
  view::RunContext context;
  view::set_state(context, run.state, model);
  context.now_ns = model.last_ns();
  return context;
}

Json details_json(const runs::RunSummary& run, const runs::ReadRun& read) {
  Json json = rows_json(run_table({&run, 1})).front();
  json["ranks"] = Json::array();
  for (const Rank rank : read.model->ranks())
    json["ranks"].push_back(rank_json(*read.model->rank(rank)));
  json["epochs"] = Json::array();
  for (const Phase phase : {Phase::kTrain, Phase::kValidate, Phase::kTest}) {
    for (const auto& pass : analysis::all_passes(*read.model, phase))
      json["epochs"].push_back(pass_json(pass, phase));
  }
  json["alerts"] = Json::array();
  for (const auto& alert : view::alerts_of(*read.model, context_of(run, *read.model)))
    json["alerts"].push_back(alert_json(alert, *read.model));
  json["notices"] = Json::array();
  for (const auto& entry : read.model->notices())
    json["notices"].push_back(record_json(entry.stamp, entry.notice));
  json["log"] = log_json(read.damage);
  json["spec"] = spec_json(run.spec);
  return json;
}

Json record_json(const messages::Stamp& stamp, const messages::Record& record) {
  Json json;
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        json = {{"record", std::string(Body::kName)},
                {"node", stamp.node},
                {"rank", stamp.rank == kNoRank ? Json(nullptr) : Json(stamp.rank)},
                {"seq", stamp.seq},
                {"mono_ns", stamp.mono_ns}};
        Body::fields(body, [&](std::string_view name, const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, float>) {
            json[std::string(name)] = float_json(value);
          } else {
            json[std::string(name)] = value_json(value);
          }
        });
      },
      record);
  return json;
}

Json spec_json(const messages::RunSpec& spec) {
  Json json = Json::object();
  const bool ours = spec.program.argv.empty();
  messages::each_setting(
      spec, [&](const std::string& key, const messages::Field& field, const auto& value) {
        if (!ours && !is_told_to_programs(key)) return;
        const auto dot = key.find('.');
        Json& section = dot == key.npos ? json : json[key.substr(0, dot)];
        section[std::string(field.key)] = value_json(value);
      });
  return json;
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ringside::cli
