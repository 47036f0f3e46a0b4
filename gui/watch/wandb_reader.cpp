#include "gui/watch/wandb_reader.h"

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "gui/watch/file_reader.h"
#include "gui/watch/protobuf.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

using Json = nlohmann::json;
using Type = ProtoField::Type;

// Fields of Record, HistoryRecord, HistoryItem and ConfigItem, RunRecord, RunExitRecord, TBRecord.
constexpr std::uint32_t kHistory = 2, kConfig = 5, kTensorBoard = 9, kRun = 17, kExit = 18;
constexpr std::uint32_t kHistoryItem = 1, kHistoryStep = 2;
constexpr std::uint32_t kItemKey = 1, kItemNestedKey = 2, kItemJson = 16;
constexpr std::uint32_t kRunConfig = 4, kRunDisplayName = 8;
constexpr std::uint32_t kLogDir = 1;
constexpr std::size_t kMostSettingsBytes = 4000;
constexpr int kDeepest = 16;

/// The number in a JSON text, including the words of Python's encoder; nothing if it is not a
/// number.
std::optional<double> json_number(std::string_view json) {
  double value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (error == std::errc::result_out_of_range) return json.front() == '-' ? -INFINITY : INFINITY;
  if (error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return value;
}

struct Item {
  std::string name;
  std::string_view json;
};

bool read_item(std::string_view bytes, Item& item) {
  std::string nested;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kItemKey, Type::kBytes)) item.name = field.bytes;
    if (field.is(kItemJson, Type::kBytes)) item.json = field.bytes;
    if (!field.is(kItemNestedKey, Type::kBytes)) continue;
    if (!nested.empty()) nested += '.';
    nested += field.bytes;
  }
  if (item.name.empty()) item.name = std::move(nested);
  return reader.whole();
}

class History {
 public:
  History(Findings& found, const Place& place) : found_(found), place_(place) {}

  bool read(std::string_view bytes, Step& next_step) {
    bool whole = true;
    ProtoReader reader(bytes);
    for (ProtoField field; reader.next(field);) {
      if (field.is(kHistoryStep, Type::kBytes)) read_step(field.bytes);
      if (field.is(kHistoryItem, Type::kBytes)) whole = take_item(field.bytes) && whole;
    }
    const Step at = step_ ? *step_ : own_step_.value_or(next_step);
    if (at < std::numeric_limits<Step>::max()) next_step = at + 1;
    for (auto& [name, value] : values_)
      add_point(found_, {std::move(name), at, value, wall_s_, kNoRank}, place_);
    return whole && reader.whole();
  }

 private:
  void read_step(std::string_view bytes) {
    step_ = 0;
    ProtoReader number(bytes);
    for (ProtoField part; number.next(part);) {
      if (part.is(1, Type::kVarint)) step_ = static_cast<Step>(part.value);
    }
  }

  /// Takes an item. Names that begin with an underscore are W&B's own.
  bool take_item(std::string_view bytes) {
    Item item;
    if (!read_item(bytes, item)) return false;
    const auto value = json_number(item.json);
    if (item.name == "_timestamp" && value) wall_s_ = *value;
    if (item.name == "_step") own_step_ = whole_number(item.json);
    if (item.name.starts_with('_')) return true;
    if (value) {
      values_.emplace_back(std::move(item.name), *value);
    } else if (item.json.starts_with('{')) {
      take_object(item.name, Json::parse(item.json, nullptr, false), 0);
    } else {
      leave(item.name, "a text or a list in the history is not a number");
    }
    return true;
  }

  /// A dictionary gives a value for each of its numbers; one with a _type is an image or the like.
  void take_object(const std::string& name, const Json& json, int depth) {
    if (json.is_number() || json.is_boolean()) {
      values_.emplace_back(name, json.is_number() ? json.get<double>() : json.get<bool>() ? 1 : 0);
    } else if (!json.is_object() || json.contains("_type") || depth > kDeepest) {
      leave(name, "an image, a histogram, a table or a text in the history is not a number");
    } else {
      for (const auto& [key, inner] : json.items()) take_object(name + "." + key, inner, depth + 1);
    }
  }

  void leave(const std::string& name, const char* what) {
    leave_out(found_.left_out, {what, place_.text() + ", " + printable_line(name), 1, true});
  }

  Findings& found_;
  const Place& place_;
  std::optional<Step> step_;
  std::optional<Step> own_step_;
  double wall_s_ = kNoTime;
  std::vector<std::pair<std::string, double>> values_;
};

/// Reads the settings that people chose: those that begin with an underscore are W&B's own.
void read_config(std::string_view config, std::string& settings) {
  ProtoReader reader(config);
  for (ProtoField field; reader.next(field);) {
    Item item;
    if (!field.is(1, Type::kBytes) || !read_item(field.bytes, item)) continue;
    if (item.name.empty() || item.name.starts_with('_')) continue;
    if (settings.size() + item.name.size() + item.json.size() > kMostSettingsBytes) return;
    add_listed(settings, printable_line(item.name) + "=" + printable_line(item.json));
  }
}

void read_run(std::string_view run, Findings& found) {
  ProtoReader inner(run);
  for (ProtoField part; inner.next(part);) {
    if (part.is(kRunDisplayName, Type::kBytes) && part.bytes.size() <= kMaxNameBytes)
      found.title = part.bytes;
    if (part.is(kRunConfig, Type::kBytes)) read_config(part.bytes, found.settings);
  }
}

/// False: it is not a record, or an incomplete one. `next_step`: step of a history record without
/// one.
bool read_wandb_record(std::string_view bytes, const Place& place, Step& next_step,
                       Findings& found) {
  bool whole = true;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.type != Type::kBytes) continue;
    ProtoReader inner(field.bytes);
    if (field.number == kHistory)
      whole = History(found, place).read(field.bytes, next_step) && whole;
    if (field.number == kConfig) read_config(field.bytes, found.settings);
    if (field.number == kRun) read_run(field.bytes, found);
    if (field.number == kTensorBoard) {
      for (ProtoField part; inner.next(part);) {
        if (part.is(kLogDir, Type::kBytes)) found.same_as.emplace_back(part.bytes);
      }
    }
    if (field.number == kExit) {
      found.exit_code = 0;
      for (ProtoField part; inner.next(part);) {
        if (part.is(1, Type::kVarint)) found.exit_code = static_cast<std::int32_t>(part.value);
      }
    }
  }
  return whole && reader.whole();
}

constexpr std::string_view kFileHead(":W&B\xe1\xbe\0", 7);
constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kChunkHeadBytes = 7;  // u32 checksum, u16 length, u8 type
enum ChunkType : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
constexpr const char* kNotWhole = "the last record is not whole";

/// Checksum of the type and the payload.
std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

/// Size of the chunk at the front according to its head.
std::size_t chunk_bytes(std::string_view rest) {
  return kChunkHeadBytes + fixed_of<std::uint16_t>(rest.substr(4));
}

/// Whether an intact chunk is at the front, in a block with `left` remaining bytes.
bool holds_chunk(std::string_view rest, std::size_t left) {
  if (rest.size() < kChunkHeadBytes || left < kChunkHeadBytes) return false;
  const auto type = static_cast<std::uint8_t>(rest[6]);
  const std::size_t size = chunk_bytes(rest);
  return type >= kFull && type <= kLast && size <= left && size <= rest.size() &&
         fixed_of<std::uint32_t>(rest) == crc32_of(rest.substr(6, size - 6));
}

}  // namespace

std::string WandbReader::foreign() const {
  return any_record_ || begins_well_ || offset_ == 0
             ? ""
             : "this is not a file of W&B, or one of a newer version";
}

/// Reports damage, once for consecutive damaged parts.
void WandbReader::damaged(const std::string& what, Findings& found) {
  if (!std::exchange(lost_, true)) leave_out(found.left_out, {what, Place{"byte", offset_}.text()});
  inside_ = false;
}

void WandbReader::take_part(std::uint8_t type, std::string_view part, Findings& found) {
  const bool begins = type == kFull || type == kFirst;
  if (begins == inside_) {
    damaged("a part of a record is missing", found);
    if (!begins) return;
  }
  if (begins) record_.clear();
  lost_ = false;
  inside_ = type == kFirst || type == kMiddle;
  if (record_.size() + part.size() > kMaxRecordBytes) {
    damaged("a record is above the limit of " + std::to_string(kMaxRecordBytes >> 20U) + " MiB",
            found);
    return;
  }
  if (type != kFull) record_ += part;
  any_record_ = true;
  if (inside_) return;
  const Place place{"byte", offset_};
  if (!read_wandb_record(type == kFull ? part : record_, place, next_step_, found))
    leave_out(found.left_out, {"a record is not, or not wholly, one of W&B", place.text()});
}

/// Skips to the next readable chunk. `block`: the bytes of the rest of a block that were read so
/// far; `complete`: no more bytes of the block will come.
std::size_t WandbReader::pass_damage(std::string_view block, bool complete, const char* what,
                                     Findings& found) {
  std::size_t next = 1;
  while (next < block.size() && !holds_chunk(block.substr(next), block.size() - next)) ++next;
  if (next >= block.size() && !complete) return 0;
  damaged(what, found);
  return std::min(next, block.size());
}

std::size_t WandbReader::take_chunk(std::string_view rest, bool at_end, Findings& found) {
  const std::size_t left = kBlockBytes - offset_ % kBlockBytes;
  const std::string_view block = rest.substr(0, left);
  const bool complete = at_end || block.size() == left;
  if (left < kChunkHeadBytes) return complete ? block.size() : 0;  // too short for another chunk
  if (holds_chunk(block, left)) {
    const std::size_t size = chunk_bytes(block);
    take_part(static_cast<std::uint8_t>(block[6]),
              block.substr(kChunkHeadBytes, size - kChunkHeadBytes), found);
    return size;
  }
  const bool torn = block.size() < kChunkHeadBytes ||
                    (chunk_bytes(block) <= left && chunk_bytes(block) > block.size());
  if (torn && !complete) return 0;
  return pass_damage(block, complete,
                     torn ? kNotWhole : "a record is damaged: its checksum does not match", found);
}

std::size_t WandbReader::take_head(std::string_view bytes, bool at_end, Findings& found) {
  const std::size_t known = std::min(bytes.size(), kFileHead.size());
  const bool fits = bytes.substr(0, known) == kFileHead.substr(0, known);
  if (fits && known < kFileHead.size() && !at_end) return 0;
  if (!fits) damaged("the file does not begin as one of W&B", found);
  begins_well_ = fits;
  return known;
}

std::size_t WandbReader::take(std::string_view bytes, bool at_end, Findings& found) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t taken =
        offset_ == 0 ? take_head(rest, at_end, found) : take_chunk(rest, at_end, found);
    if (taken == 0) break;
    used += taken;
    offset_ += taken;
  }
  if (at_end && inside_) damaged(kNotWhole, found);
  return used;
}

}  // namespace ringside::watch
