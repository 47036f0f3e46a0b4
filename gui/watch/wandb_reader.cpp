#include "gui/watch/wandb_reader.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <charconv>

#include "gui/watch/protobuf.h"

namespace ringside::watch {
namespace {

using Type = ProtoField::Type;

constexpr std::string_view kFileHead(":W&B\xe1\xbe\0", 7);
constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kChunkHeadBytes = 7;  // u32 checksum, u16 length, u8 type
enum ChunkType : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// Fields of Record, HistoryRecord, HistoryItem, RunRecord and RunExitRecord.
constexpr std::uint32_t kHistory = 2, kRun = 17, kExit = 18;
constexpr std::uint32_t kHistoryItem = 1, kHistoryStep = 2;
constexpr std::uint32_t kItemKey = 1, kItemNestedKey = 2, kItemJson = 16;
constexpr std::uint32_t kRunDisplayName = 8;

/// As zlib computes it, over the type and what follows.
std::uint32_t crc32_of(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

/// A JSON number, or one of the words of Python's encoder; nothing for what is not a number.
std::optional<double> json_number(std::string_view json) {
  double value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
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

/// Empty: all is well. Names that begin with an underscore are W&B's own.
std::string read_history(std::string_view bytes, Step& next_step, Findings& found) {
  std::optional<double> step;
  double wall_s = kNoTime;
  std::vector<std::pair<std::string, double>> values;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kHistoryStep, Type::kBytes)) {
      step = 0;
      ProtoReader number(field.bytes);
      for (ProtoField part; number.next(part);) {
        if (part.is(1, Type::kVarint)) step = static_cast<double>(part.value);
      }
    }
    if (!field.is(kHistoryItem, Type::kBytes)) continue;
    Item item;
    if (!read_item(field.bytes, item)) return "an item of the history is not one";
    if (item.name.size() > kMaxNameBytes)
      return "a name has " + std::to_string(item.name.size()) + " bytes, above the limit of " +
             std::to_string(kMaxNameBytes);
    const auto value = json_number(item.json);
    if (!value) continue;
    if (item.name == "_timestamp") wall_s = *value;
    if (item.name == "_step" && !step) step = *value;
    if (!item.name.starts_with('_')) values.emplace_back(std::move(item.name), *value);
  }
  if (!reader.whole()) return "a record of the history is not one";
  const bool fits = step && *step >= 0 && *step < 1e15;
  const Step at = fits ? static_cast<Step>(*step) : next_step;
  next_step = at + 1;
  for (const auto& [name, value] : values) add_point(found, name, at, value, wall_s);
  return {};
}

std::string read_record(std::string_view bytes, Step& next_step, Findings& found) {
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.type != Type::kBytes) continue;
    if (field.number == kHistory) {
      if (std::string problem = read_history(field.bytes, next_step, found); !problem.empty())
        return problem;
    }
    ProtoReader inner(field.bytes);
    if (field.number == kExit) {
      found.exit_code = 0;
      for (ProtoField part; inner.next(part);) {
        if (part.is(1, Type::kVarint)) found.exit_code = static_cast<std::int32_t>(part.value);
      }
    }
    if (field.number == kRun) {
      for (ProtoField part; inner.next(part);) {
        if (part.is(kRunDisplayName, Type::kBytes) && part.bytes.size() <= kMaxNameBytes)
          found.title = part.bytes;
      }
    }
  }
  return reader.whole() ? std::string() : "a record is not one of protocol buffers";
}

}  // namespace

Result<void> WandbReader::take_part(std::uint8_t type, std::string_view part, Findings& found) {
  const bool begins = type == kFull || type == kFirst;
  if (type < kFull || type > kLast || begins == inside_)
    return damaged_at(offset_, "a part of a record is out of place");
  if (begins) record_.clear();
  if (record_.size() + part.size() > kMaxRecordBytes)
    return damaged_at(
        offset_, "a record is above the limit of " + std::to_string(kMaxRecordBytes) + " bytes");
  inside_ = type == kFirst || type == kMiddle;
  if (type != kFull) record_ += part;
  if (inside_) return {};
  const std::string problem = read_record(type == kFull ? part : record_, next_step_, found);
  if (!problem.empty()) return damaged_at(offset_, problem);
  return {};
}

Result<std::size_t> WandbReader::take_chunk(std::string_view rest, Findings& found) {
  const std::size_t left = kBlockBytes - offset_ % kBlockBytes;
  if (left < kChunkHeadBytes) return rest.size() < left ? 0 : left;  // nothing begins there
  if (rest.size() < kChunkHeadBytes) return 0;
  const std::size_t length = fixed_of<std::uint16_t>(rest.substr(4));
  const auto type = static_cast<std::uint8_t>(rest[6]);
  if (kChunkHeadBytes + length > left)
    return damaged_at(offset_, "a part of a record reaches beyond its block");
  if (rest.size() < kChunkHeadBytes + length) return 0;
  if (fixed_of<std::uint32_t>(rest) != crc32_of(rest.substr(6, 1 + length)))
    return damaged_at(offset_, "the checksum of a record does not match");
  const auto taken = take_part(type, rest.substr(kChunkHeadBytes, length), found);
  if (!taken) return pass(taken);
  return kChunkHeadBytes + length;
}

Result<std::size_t> WandbReader::take(std::string_view bytes, bool, Findings& found) {
  std::size_t used = 0;
  if (offset_ == 0) {
    const std::size_t known = std::min(bytes.size(), kFileHead.size());
    if (bytes.substr(0, known) != kFileHead.substr(0, known))
      return damaged_at(0, "this is not a file of W&B, or one of a newer version");
    if (known < kFileHead.size()) return std::size_t{0};
    used = offset_ = known;
  }
  for (;;) {
    const auto chunk = take_chunk(bytes.substr(used), found);
    if (!chunk) return pass(chunk);
    if (*chunk == 0) return used;
    used += *chunk;
    offset_ += *chunk;
  }
}

}  // namespace ringside::watch
