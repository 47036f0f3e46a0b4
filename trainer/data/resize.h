// Antialiased bilinear resizing of 8-bit images, to the bit as Pillow does it and with it
// torchvision's Resize on images: a triangle filter as wide as the shrinking, first along rows,
// then along columns, each pass rounded to bytes (Pillow, src/libImaging/Resample.c). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/data/transform.h"

namespace ringside::data {

/// `planes` holds `count` planes of `from`; `out` gets as many of `to`. `rows` is working memory.
void resize_planes(const std::uint8_t* planes, std::size_t count, Size from, Size to,
                   std::vector<std::uint8_t>& rows, std::vector<std::uint8_t>& out);

}  // namespace ringside::data
