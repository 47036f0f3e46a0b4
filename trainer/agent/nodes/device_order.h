// The order in which the nodes of a run queue for the devices of their hosts: one after the other,
// by host name, which is the same for all runs. An agent that waits for a host thus holds only
// devices of earlier hosts, so that two runs cannot deadlock. Pure; one object per agent, on node
// 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::agent {

class DeviceOrder {
 public:
  /// A node that was silent for `silent_ns` no longer counts as present.
  DeviceOrder(Node nodes, std::int64_t silent_ns);

  void on_message(Node node, std::int64_t now_ns);
  void on_ready(Node node, const std::string& host, bool has_devices, std::int64_t now_ns);
  void on_tick(std::int64_t now_ns);
  /// Nodes from this number on are not waited for any more.
  void keep(Node nodes);

  /// The node that should queue now; empty when nodes are missing or all have their devices.
  std::optional<Node> next() const;
  bool complete() const;
  /// "waits for nodes 1 and 3 of 4", "waits until node 1 (b) has its devices"; empty when complete.
  std::string waiting_for() const;
  bool misses_somebody() const;
  /// Reports a node that gave up the devices that it had, so that others may have queued behind it;
  /// empty when none did.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Place {
    std::string host;
    bool there = false;
    bool has_devices = false;
    std::int64_t last_record_ns = 0;
  };
  Place& at(Node node) { return places_[static_cast<std::size_t>(node)]; }
  bool knows(Node node) const { return static_cast<std::size_t>(node) < places_.size(); }
  std::string name_of(Node node) const;
  void lose(Node node);

  std::vector<Place> places_;
  std::int64_t silent_ns_;
  std::string trouble_;
};

}  // namespace ringside::agent
