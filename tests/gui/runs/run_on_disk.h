// Run folders as an agent leaves them, made from records, for tests of programs that read folders.
#pragma once

#include <unistd.h>

#include <utility>
#include <vector>

#include "protocol/host/files.h"
#include "protocol/host/host.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/support/demo_run.h"

namespace ringside::support {

/// Writes records into the log of a run folder, some per segment.
class LogSink final : public messages::RecordSink {
 public:
  explicit LogSink(const runlog::RunFolder& folder,
                   std::int64_t wall_ns = 1'795'271'067'000'000'000,
                   std::int64_t mono_ns = 1'000'000'000'000,
                   const std::string& boot_id = current_boot_id())
      : writer_(runlog::LogWriter::open(*open_file(folder.log_path(0), OpenMode::kAppend),
                                        {folder.id(), 0, wall_ns, mono_ns, boot_id})
                    .value()) {}
  ~LogSink() override { flush(); }
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    messages::append_any_record(payload_, stamp, record);
    if (++records_ >= 20) flush();
  }
  void flush() {
    if (records_ > 0) (void)writer_.append(payload_, records_);
    payload_.clear();
    records_ = 0;
  }

 private:
  runlog::LogWriter writer_;
  std::vector<std::byte> payload_;
  std::uint64_t records_ = 0;
};

inline runlog::RunFolder make_folder(const std::filesystem::path& runs_dir, const std::string& id,
                                     const messages::RunSpec& spec) {
  std::filesystem::create_directories(runs_dir / id);
  runlog::RunFolder folder(runs_dir / id);
  (void)write_text_atomically(folder.spec_path(), messages::to_toml(spec));
  return folder;
}

/// A complete run of demo_run.h.
inline runlog::RunFolder make_run(const std::filesystem::path& runs_dir, const std::string& id,
                                  const DemoOptions& options, const std::string& baseline = {}) {
  auto spec = demo_spec(options);
  spec.model.name = "resnet18";
  spec.baseline.run = baseline;
  auto folder = make_folder(runs_dir, id, spec);
  LogSink sink(folder);
  play_demo(options, sink);
  return folder;
}

/// The endpoint of a live process (this one) or of a dead one (with a wrong start time).
inline wire::AgentEndpoint agent_endpoint_of(const std::string& id, bool alive) {
  wire::AgentEndpoint endpoint = wire::endpoint_of_this_process();
  endpoint.run_id = id;
  endpoint.telemetry_endpoint = "tcp://127.0.0.1:9";
  endpoint.viewer_endpoint = "tcp://127.0.0.1:9";
  endpoint.server_public_key = std::string(40, 'a');
  endpoint.client_public_key = std::string(40, 'b');
  endpoint.client_secret_key = std::string(40, 'c');
  if (!alive) ++endpoint.agent_start_ticks;
  return endpoint;
}

inline constexpr const char* kOtherBoot = "11111111-2222-3333-4444-555555555555";

/// Makes the run one of another machine, whose agent cannot be seen here.
inline Result<void> put_elsewhere(const runlog::RunFolder& folder) {
  wire::AgentEndpoint endpoint = agent_endpoint_of(folder.id(), true);
  endpoint.boot_id = kOtherBoot;
  endpoint.host += "-other";
  return wire::write_agent_endpoint(folder.agent_path(), endpoint);
}

}  // namespace ringside::support
