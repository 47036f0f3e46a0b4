// Antialiased bilinear resizing of 8-bit images, bitwise equal to Pillow and thus to torchvision's
// Resize of images: a triangle filter whose width is the scale factor, first along rows, then along
// columns, each pass rounded to bytes (Pillow, src/libImaging/Resample.c). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/data/transform.h"

namespace ringside::data {

/// `planes` has `count` planes of size `from`; `out` gets as many of size `to`. `rows` is scratch
/// memory.
void resize_planes(const std::uint8_t* planes, std::size_t count, Size from, Size to,
                   std::vector<std::uint8_t>& rows, std::vector<std::uint8_t>& out);

}  // namespace ringside::data
