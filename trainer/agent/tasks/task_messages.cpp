#include "trainer/agent/tasks/task_messages.h"

#include <nlohmann/json.hpp>

namespace ringside::agent {
namespace {

using Json = nlohmann::json;

Json to_json(const probe::GpuInfo& gpu) {
  return {{"index", gpu.index}, {"uuid", gpu.uuid}, {"mig_of", gpu.mig_of}, {"name", gpu.name}};
}

probe::GpuInfo gpu_from(const Json& json) {
  probe::GpuInfo gpu;
  gpu.index = json.at("index").get<std::int32_t>();
  gpu.uuid = json.at("uuid").get<std::string>();
  gpu.mig_of = json.at("mig_of").get<std::string>();
  gpu.name = json.at("name").get<std::string>();
  return gpu;
}

Json to_json(const TaskHello& hello) {
  Json gpus = Json::array();
  for (const probe::GpuInfo& gpu : hello.place.gpus) gpus.push_back(to_json(gpu));
  return {{"is", "hello"},
          {"version", hello.version},
          {"local_rank", hello.local_rank},
          {"environment", hello.place.environment},
          {"cores", hello.place.cores},
          {"gpus", gpus}};
}

Json to_json(const StartRank& start) {
  return {{"is", "start"},
          {"argv", start.argv},
          {"environment", start.environment},
          {"folder", start.folder},
          {"cwd", start.cwd}};
}

Json to_json(const RankStarted& started) {
  return {{"is", "started"}, {"pid", started.pid}, {"problem", started.problem}};
}

Json to_json(const RankEnded& ended) {
  return {{"is", "ended"}, {"code", ended.status.exit_code}, {"signal", ended.status.signal}};
}

Json to_json(const ReapRank& /*reap*/) { return {{"is", "reap"}}; }

Json to_json(const Leave& leave) {
  return {{"is", "leave"}, {"exit_code", leave.exit_code}, {"why", leave.why}};
}

TaskHello hello_from(const Json& json) {
  TaskHello hello;
  hello.version = json.at("version").get<std::string>();
  hello.local_rank = json.at("local_rank").get<std::int32_t>();
  hello.place.environment = json.at("environment").get<std::vector<std::string>>();
  hello.place.cores = json.at("cores").get<std::vector<int>>();
  for (const Json& gpu : json.at("gpus")) hello.place.gpus.push_back(gpu_from(gpu));
  return hello;
}

Result<TaskMessage> message_from(const Json& json) {
  const auto is = json.at("is").get<std::string>();
  if (is == "hello") return hello_from(json);
  if (is == "start") {
    return StartRank{json.at("argv").get<std::vector<std::string>>(),
                     json.at("environment").get<std::vector<std::string>>(),
                     json.at("folder").get<std::string>(), json.at("cwd").get<std::string>()};
  }
  if (is == "started")
    return RankStarted{json.at("pid").get<std::int64_t>(), json.at("problem").get<std::string>()};
  if (is == "ended")
    return RankEnded{ExitStatus{json.at("code").get<int>(), json.at("signal").get<int>()}};
  if (is == "reap") return ReapRank{};
  if (is == "leave")
    return Leave{json.at("exit_code").get<std::int32_t>(), json.at("why").get<std::string>()};
  return failure("no message between agent and task is called \"" + is + "\"");
}

}  // namespace

std::vector<std::uint8_t> encode(const TaskMessage& message) {
  return Json::to_cbor(std::visit([](const auto& one) { return to_json(one); }, message));
}

Result<TaskMessage> decode(std::span<const std::uint8_t> bytes) {
  try {
    return message_from(Json::from_cbor(bytes.begin(), bytes.end()));
  } catch (const Json::exception& error) {
    return failure(std::string("not a message between agent and task: ") + error.what());
  }
}

}  // namespace ringside::agent
