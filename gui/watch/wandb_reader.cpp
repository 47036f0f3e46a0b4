#include "gui/watch/wandb_reader.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "gui/watch/protobuf.h"
#include "gui/watch/wandb_records.h"

namespace ringside::watch {
namespace {

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
