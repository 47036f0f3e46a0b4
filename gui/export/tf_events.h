// Encodes TensorBoard's event files: scalars as protocol buffers, each in the frame of a TFRecord.
// Pure; any thread. Sources of the format, all in TensorFlow: frame and masked checksum in
// tensorflow/core/lib/io/record_writer.h and tensorflow/core/lib/hash/crc32c.h, messages in
// tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto; their encoding in
// protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::exporting {

/// A value with its tag. TensorBoard stores single precision.
struct TaggedValue {
  std::string_view tag;  ///< UTF-8
  float value = 0;
};

/// The checksum (crc >> 15 | crc << 17) + 0xa282ead8; masked, because a CRC of data that contains
/// CRCs is weak.
std::uint32_t masked_crc32c(std::string_view bytes);

/// Appends u64 length, u32 masked checksum of the length, the bytes, u32 masked checksum of the
/// bytes; little-endian.
void append_tf_record(std::string& file, std::string_view bytes);

/// Appends Event{wall_time, file_version "brain.Event:2"}, the first record of a file. Seconds
/// since 1970.
void append_file_version(std::string& file, double wall_time_s);

/// Appends Event{wall_time, step, summary{value{tag, simple_value}...}}.
void append_scalars(std::string& file, double wall_time_s, std::int64_t step,
                    std::span<const TaggedValue> values);

}  // namespace ringside::exporting
