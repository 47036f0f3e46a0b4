#include "trainer/models/pool.h"

#include <bit>

#include <torch/torch.h>

namespace ringside::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Size of the output in rows of 2 x 2 windows. A row has `pixels` windows of `depth` values that
// are adjacent in memory. In channels_last `depth` is the number of channels; in contiguous format
// it is 1, and each channel counts as an image.
struct Layout {
  std::int64_t images = 0;
  std::int64_t rows = 0;  ///< number of output rows
  std::int64_t pixels = 0;
  std::int64_t depth = 1;
  std::int64_t width() const { return 2 * pixels * depth; }  ///< values in a row of the input
};

Layout layout_of(const at::Tensor& x, at::MemoryFormat format) {
  const bool innermost = format == at::MemoryFormat::ChannelsLast;
  return {innermost ? x.size(0) : x.size(0) * x.size(1), x.size(2) / 2, x.size(3) / 2,
          innermost ? x.size(1) : 1};
}

// The larger of two values, where NaN is larger than all, as in ATen.
float larger(float a, float b) { return b > a || b != b ? b : a; }

// Calls row(offset of its input, offset of its output) for every row of windows.
template <class Row>
void for_rows(const Layout& layout, const Row& row) {
  for (std::int64_t i = 0; i < layout.images * layout.rows; ++i)
    row(i * 2 * layout.width(), i * layout.pixels * layout.depth);
}

// Calls window(offset of its left value, offset of its output, distance to its right value) for
// every window of a row. There are two loops so that the compiler can vectorize: the distance is 1
// in the first, and neighbouring windows are adjacent in the second.
template <class Window>
void for_windows(const Layout& layout, const Window& window) {
  if (layout.depth == 1) {
    for (std::int64_t p = 0; p < layout.pixels; ++p) window(2 * p, p, std::int64_t{1});
    return;
  }
  for (std::int64_t p = 0; p < layout.pixels; ++p) {
    for (std::int64_t c = 0; c < layout.depth; ++c)
      window(p * 2 * layout.depth + c, p * layout.depth + c, layout.depth);
  }
}

void pool_row(const Layout& layout, const float* __restrict top, const float* __restrict bottom,
              float* __restrict out) {
  for_windows(layout, [&](std::int64_t at, std::int64_t to, std::int64_t beside) {
    const float above = larger(top[at], top[at + beside]);
    const float most = larger(larger(above, bottom[at]), bottom[at + beside]);
    out[to] = most <= 0.0F ? 0.0F : most;
  });
}

// All bits set if `on`, otherwise none.
std::uint32_t mask(bool on) { return -std::uint32_t{on}; }

// The gradient goes to the first of the four values that is the maximum, or nowhere if ReLU made it
// 0. Masks instead of branches, whose mispredictions would make it ten times slower.
void spread_row(const Layout& layout, const float* __restrict top, const float* __restrict bottom,
                const float* __restrict out, const float* __restrict gradient,
                float* __restrict to_top, float* __restrict to_bottom) {
  for_windows(layout, [&](std::int64_t at, std::int64_t from, std::int64_t beside) {
    const float most = out[from];
    const std::uint32_t given =
        std::bit_cast<std::uint32_t>(gradient[from]) & mask(!(most <= 0.0F));
    const std::uint32_t a = mask(top[at] == most);
    const std::uint32_t b = mask(top[at + beside] == most) & ~a;
    const std::uint32_t c = mask(bottom[at] == most) & ~(a | b);
    const std::uint32_t d = mask(bottom[at + beside] == most) & ~(a | b | c);
    to_top[at] = std::bit_cast<float>(given & a);
    to_top[at + beside] = std::bit_cast<float>(given & b);
    to_bottom[at] = std::bit_cast<float>(given & c);
    to_bottom[at + beside] = std::bit_cast<float>(given & d);
  });
}

struct PooledRelu : torch::autograd::Function<PooledRelu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input) {
    const at::MemoryFormat format = input.suggest_memory_format();
    const at::Tensor x = input.contiguous(format);
    const at::Tensor out = at::empty({x.size(0), x.size(1), x.size(2) / 2, x.size(3) / 2},
                                     x.options().memory_format(format));
    const Layout layout = layout_of(x, format);
    const std::int64_t width = layout.width();
    const auto* from = x.const_data_ptr<float>();
    auto* to = out.mutable_data_ptr<float>();
    for_rows(layout, [&](std::int64_t in, std::int64_t at) {
      pool_row(layout, from + in, from + in + width, to + at);
    });
    context->save_for_backward({x, out});
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::MemoryFormat format = x.suggest_memory_format();
    const at::Tensor gradient = gradients[0].contiguous(format);
    const at::Tensor result = at::empty_like(x);
    const Layout layout = layout_of(x, format);
    const std::int64_t width = layout.width();
    const auto* from = x.const_data_ptr<float>();
    const auto* out = saved[1].const_data_ptr<float>();
    const auto* given = gradient.const_data_ptr<float>();
    auto* to = result.mutable_data_ptr<float>();
    for_rows(layout, [&](std::int64_t in, std::int64_t at) {
      spread_row(layout, from + in, from + in + width, out + at, given + at, to + in,
                 to + in + width);
    });
    return {result};
  }
};

}  // namespace

at::Tensor pooled_relu(const at::Tensor& x) {
  const bool ours = x.is_cpu() && x.scalar_type() == at::kFloat && x.dim() == 4 &&
                    x.size(2) % 2 == 0 && x.size(3) % 2 == 0 && x.numel() > 0;
  return ours ? PooledRelu::apply(x) : at::relu(at::max_pool2d(x, 2));
}

}  // namespace ringside::models
