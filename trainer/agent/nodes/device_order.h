// The order in which the nodes of an experiment queue for the devices of their hosts: one after the
// other, by the names of the hosts, the same in every experiment. Whoever waits for a host holds
// devices of earlier ones alone, so no two experiments can wait for each other. Pure; one object
// per experiment, on node 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::agent {

class DeviceOrder {
 public:
  /// `silent_ns`: a node that was silent for so long does not count as present any more.
  DeviceOrder(Node nodes, std::int64_t silent_ns);

  void on_heard(Node node, std::int64_t now_ns);
  void on_ready(Node node, const std::string& host, bool has_devices, std::int64_t now_ns);
  void on_tick(std::int64_t now_ns);
  /// Nodes from this number on are not waited for any more.
  void keep(Node nodes);

  /// The node that is to queue now. Nothing: somebody is missing yet, or all have theirs.
  std::optional<Node> next() const;
  bool complete() const;
  /// "waits for nodes 1 and 3 of 4", "waits until node 1 (b) has its devices"; empty: complete.
  std::string waiting_for() const;
  /// Somebody is not there yet.
  bool misses_somebody() const;
  /// Says that a node which had its devices gave them up: others may have queued behind it. Empty:
  /// none did.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Place {
    std::string host;
    bool there = false;
    bool has_devices = false;
    std::int64_t heard_ns = 0;
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
