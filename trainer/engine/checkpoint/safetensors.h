// Files of named tensors in the safetensors format: the length of a header (8 bytes,
// little-endian), the header in JSON (name -> dtype, shape, first and last byte of the data), and
// the data. Source: the README of the safetensors library, version 0.4 and later. Nothing in such a
// file is executed.
#pragma once

#include <cstdint>
#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Tensors on the CPU, in the order of their data. Every length is checked before memory is
/// allocated; the data of all tensors must fill the file without gap or overlap. A bad request
/// names the invalid tensor and the problem.
Result<models::NamedTensors> read_safetensors(const std::filesystem::path& path);

/// Accepts any device and layout. Tensors with large elements come first, so that all data are
/// aligned. Atomic. Returns the size in bytes.
Result<std::int64_t> write_safetensors(const std::filesystem::path& path,
                                       const models::NamedTensors& tensors);

}  // namespace ringside::engine
