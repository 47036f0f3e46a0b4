#include "gui/watch/tensorboard_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gui/export/tf_events.h"
#include "gui/watch/hparams.h"
#include "gui/watch/protobuf.h"
#include "gui/watch/tensor_number.h"
#include "protocol/base/printable.h"

namespace ringside::watch {
namespace {

using Type = ProtoField::Type;

constexpr std::size_t kRecordHeadBytes = 12;  // u64 length and its u32 checksum
constexpr std::size_t kEndBytes = 4;          // u32 checksum of the record
constexpr std::size_t kMostOtherTags = 100'000;

// Fields of Event, SessionLog, Summary.Value and SummaryMetadata.
constexpr std::uint32_t kSummary = 5, kSessionLog = 7;
constexpr std::uint32_t kSessionStatus = 1, kSessionStart = 1;
constexpr std::uint32_t kTag = 1, kSimple = 2, kOldHistogram = 3, kImage = 4, kHistogram = 5,
                        kAudio = 6, kNodeName = 7, kTensor = 8, kMetadata = 9;

bool has_head(std::string_view rest) {
  return fixed_of<std::uint32_t>(rest.substr(8)) == exporting::masked_crc32c(rest.substr(0, 8));
}

struct Plugin {
  std::string_view name;
  std::string_view content;
};

Plugin plugin_of(std::string_view metadata) {
  Plugin plugin;
  ProtoReader reader(metadata);
  for (ProtoField field; reader.next(field);) {
    if (!field.is(1, Type::kBytes)) continue;
    ProtoReader data(field.bytes);
    for (ProtoField part; data.next(part);) {
      if (part.is(1, Type::kBytes)) plugin.name = part.bytes;
      if (part.is(2, Type::kBytes)) plugin.content = part.bytes;
    }
  }
  return plugin;
}

bool begins_session(std::string_view session_log) {
  ProtoReader reader(session_log);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kSessionStatus, Type::kVarint)) return field.value == kSessionStart;
  }
  return false;
}

/// The kind of a summary value that is not a number.
const char* kind_of(std::uint32_t field) {
  switch (field) {
    case kImage:
      return "an image is not a scalar";
    case kAudio:
      return "a sound is not a scalar";
    case kOldHistogram:
    case kHistogram:
      return "a histogram is not a scalar";
    default:
      return "a tensor that is text or more than one number is not a scalar";
  }
}

}  // namespace

bool begins_as_tensorboard(std::string_view bytes) {
  return bytes.size() >= kRecordHeadBytes && has_head(bytes);
}

std::string TensorBoardReader::foreign() const {
  return any_record_ || offset_ == 0 ? "" : "this is not an event file of TensorBoard";
}

void TensorBoardReader::damaged(std::string what, Findings& found) {
  if (!std::exchange(lost_, true))
    leave_out(found.left_out, {std::move(what), Place{"byte", offset_}.text()});
}

bool TensorBoardReader::read_value(std::string_view bytes, double wall_s, Step step,
                                   Findings& found) {
  std::string_view tag;
  std::string_view node;
  std::optional<double> number;
  std::uint32_t other = 0;
  Plugin plugin;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kTag, Type::kBytes)) tag = field.bytes;
    if (field.is(kNodeName, Type::kBytes)) node = field.bytes;
    if (field.is(kMetadata, Type::kBytes)) plugin = plugin_of(field.bytes);
    if (field.is(kSimple, Type::kFixed32))
      number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
    if (field.is(kTensor, Type::kBytes)) number = tensor_number(field.bytes);
    if (field.number >= kOldHistogram && field.number <= kTensor && field.number != kNodeName)
      other = field.number;
  }
  if (!reader.whole()) return false;
  if (tag.empty()) tag = node;
  if (plugin.name == "hparams") {
    if (std::string text = hparams_text(plugin.content); !text.empty())
      found.settings = std::move(text);
    return true;
  }
  std::string name(tag);
  // A writer names the plugin only with the first value of a tag.
  const bool other_plugin = !plugin.name.empty() && plugin.name != "scalars";
  if (other_plugin && other_tags_.size() < kMostOtherTags) other_tags_.insert(name);
  if (!number || other_plugin || other_tags_.contains(name)) {
    if (other == 0) return true;
    leave_out(
        found.left_out,
        {kind_of(other), Place{"byte", offset_}.text() + ", " + printable_line(tag), 1, true});
    return true;
  }
  add_point(found, {std::move(name), step, *number, wall_s, kNoRank}, {"byte", offset_});
  return true;
}

void TensorBoardReader::read_event(std::string_view bytes, Findings& found) {
  double wall_s = kNoTime;
  Step step = 0;
  std::string_view summary;
  bool restart = false;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kFixed64)) wall_s = std::bit_cast<double>(field.value);
    if (field.is(2, Type::kVarint)) step = static_cast<Step>(field.value);
    if (field.is(kSummary, Type::kBytes)) summary = field.bytes;
    if (field.is(kSessionLog, Type::kBytes)) restart = begins_session(field.bytes);
  }
  bool whole = reader.whole();
  if (whole && restart) found.restarts.push_back({found.points.size(), step});
  ProtoReader values(summary);
  for (ProtoField value; whole && values.next(value);) {
    if (value.is(1, Type::kBytes)) whole = read_value(value.bytes, wall_s, step, found);
  }
  if (!whole || !values.whole())
    leave_out(found.left_out,
              {"a record is not an event of TensorBoard", Place{"byte", offset_}.text()});
}

/// Number of bytes until a record may begin; all but the last bytes if there is none in `rest`.
std::size_t TensorBoardReader::skip_to_record(std::string_view rest, bool at_end) const {
  std::size_t skipped = 1;
  for (; rest.size() - skipped >= kRecordHeadBytes; ++skipped) {
    const std::string_view here = rest.substr(skipped);
    if (has_head(here) && fixed_of<std::uint64_t>(here) <= kMaxRecordBytes) return skipped;
  }
  return at_end ? rest.size() : skipped;
}

std::size_t TensorBoardReader::take_record(std::string_view rest, bool at_end, Findings& found) {
  if (rest.size() < kRecordHeadBytes) {
    if (!at_end) return 0;
    damaged("the last record is not whole", found);
    return rest.size();
  }
  if (!has_head(rest)) {
    damaged(offset_ == 0 ? "the file does not begin with a record of TensorBoard"
                         : "a record is damaged: the checksum of its length does not match",
            found);
    return skip_to_record(rest, at_end);
  }
  const auto length = fixed_of<std::uint64_t>(rest);
  if (length > kMaxRecordBytes) {
    leave_out(found.left_out,
              {"a record is above the limit of " + std::to_string(kMaxRecordBytes >> 20U) + " MiB",
               Place{"byte", offset_}.text()});
    any_record_ = true;
    skipped_ = length > std::numeric_limits<std::uint64_t>::max() / 2 ? length : length + kEndBytes;
    return kRecordHeadBytes;
  }
  const std::size_t size = kRecordHeadBytes + length + kEndBytes;
  if (rest.size() < size) {
    if (!at_end) return 0;
    damaged("the last record is not whole", found);
    return skip_to_record(rest, at_end);
  }
  const std::string_view record = rest.substr(kRecordHeadBytes, length);
  if (fixed_of<std::uint32_t>(rest.substr(size - kEndBytes)) != exporting::masked_crc32c(record)) {
    damaged("a record is damaged: its checksum does not match", found);
    // The record's length is not trusted: a truncated record may be followed by the next one.
    return skip_to_record(rest, at_end);
  }
  any_record_ = true;
  lost_ = false;
  read_event(record, found);
  return size;
}

std::size_t TensorBoardReader::take(std::string_view bytes, bool at_end, Findings& found) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t skipped = std::min<std::uint64_t>(skipped_, rest.size());
    skipped_ -= skipped;
    const std::size_t taken = skipped > 0 ? skipped : take_record(rest, at_end, found);
    if (taken == 0) break;
    used += taken;
    offset_ += taken;
  }
  return used;
}

}  // namespace ringside::watch
