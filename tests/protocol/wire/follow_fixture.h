// A live log in memory behind a TestAgent, and a viewer that collects what it is sent.
#pragma once

#include "protocol/runlog/log_writer.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {

struct LiveLog {
  explicit LiveLog(TestAgent& owner, Node of_node = 0) : agent(owner), node(of_node) {
    writer.emplace(
        *runlog::LogWriter::open(support::open_memory_file(disk), {"run-1", node, 1, 2, ""}));
    agent.server->add_log(
        agent.endpoint.run_token, "run-1", node,
        [this]() -> Result<std::unique_ptr<ByteFile>> {
          ++opened;
          return support::open_memory_file(disk);
        },
        writer->end_bytes());
  }

  void append(std::uint32_t records) {
    REQUIRE(writer->append(payload_of(node, 0, next_seq, records), records));
    next_seq += records;
    agent.server->notify_appended(agent.endpoint.run_token, node, writer->end_bytes());
  }
  void finish() { agent.server->finish_log(agent.endpoint.run_token, node); }

  TestAgent& agent;
  Node node;
  std::shared_ptr<support::MemoryDisk> disk = std::make_shared<support::MemoryDisk>();
  std::optional<runlog::LogWriter> writer;
  std::uint64_t next_seq = 0;
  int opened = 0;
  /// Handles of the server on the disk: all but this one's and the writer's.
  long readers() const { return disk.use_count() - 2; }
};

/// Collects a log from `offset` on. poll() never waits.
struct Viewer {
  explicit Viewer(const AgentEndpoint& endpoint) : client(*FollowClient::connect(endpoint)) {}

  void poll() {
    for (FollowEvent event = client.receive(0); event.kind != FollowEvent::Kind::kNothing;
         event = client.receive(0)) {
      if (event.kind == FollowEvent::Kind::kBytes) {
        in_order = in_order && event.offset == start + bytes.size();
        bytes.insert(bytes.end(), event.bytes.begin(), event.bytes.end());
      }
      ended = ended || event.kind == FollowEvent::Kind::kEnd;
      if (event.kind == FollowEvent::Kind::kRefused) refused = event.text;
      if (event.kind == FollowEvent::Kind::kReply)
        replies.push_back((event.ok ? "yes " : "no ") + event.text);
    }
  }
  void follow(Node node, std::uint64_t offset) {
    start = offset;
    client.follow(node, offset);
  }

  FollowClient client;
  std::uint64_t start = 0;
  std::vector<std::byte> bytes;
  std::vector<std::string> replies;
  std::string refused;
  bool in_order = true;
  bool ended = false;
};

}  // namespace ringside::wire
