#include "trainer/agent/nodes/device_order.h"

#include <algorithm>

#include "trainer/agent/nodes/node_messages.h"

namespace ringside::agent {

DeviceOrder::DeviceOrder(Node nodes, std::int64_t silent_ns)
    : places_(static_cast<std::size_t>(nodes)), silent_ns_(silent_ns) {}

void DeviceOrder::on_message(Node node, std::int64_t now_ns) {
  if (knows(node)) at(node).last_record_ns = now_ns;
}

void DeviceOrder::on_ready(Node node, const std::string& host, bool has_devices,
                           std::int64_t now_ns) {
  if (!knows(node)) return;
  if (at(node).has_devices && !has_devices) lose(node);
  at(node) = {host, true, has_devices, now_ns};
}

void DeviceOrder::on_tick(std::int64_t now_ns) {
  for (std::size_t i = 1; i < places_.size(); ++i) {
    if (!places_[i].there || now_ns - places_[i].last_record_ns < silent_ns_) continue;
    if (places_[i].has_devices) lose(static_cast<Node>(i));
    places_[i].there = places_[i].has_devices = false;
  }
}

void DeviceOrder::keep(Node nodes) {
  places_.resize(std::min(places_.size(), static_cast<std::size_t>(std::max(nodes, 1))));
}

void DeviceOrder::lose(Node node) {
  trouble_ = name_of(node) +
             " left while the others queued for their devices: start the agents of all nodes again";
}

std::optional<Node> DeviceOrder::next() const {
  std::optional<Node> first;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].there) return std::nullopt;
    const auto node = static_cast<Node>(i);
    const bool earlier = !first || places_[i].host < places_[static_cast<std::size_t>(*first)].host;
    if (!places_[i].has_devices && earlier) first = node;
  }
  return first;
}

bool DeviceOrder::complete() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.there && place.has_devices; });
}

bool DeviceOrder::misses_somebody() const {
  return std::any_of(places_.begin() + 1, places_.end(),
                     [](const Place& place) { return !place.there; });
}

std::string DeviceOrder::waiting_for() const {
  std::vector<Node> missing;
  for (std::size_t i = 1; i < places_.size(); ++i) {
    if (!places_[i].there) missing.push_back(static_cast<Node>(i));
  }
  if (!missing.empty())
    return "waits for " + name_nodes(missing) + " of " + std::to_string(places_.size());
  const auto node = next();
  return node ? "waits until " + name_of(*node) + " has its devices" : std::string();
}

std::string DeviceOrder::name_of(Node node) const {
  return "node " + std::to_string(node) + " (" + places_[static_cast<std::size_t>(node)].host + ")";
}

}  // namespace ringside::agent
