#include "trainer/engine/flop_count.h"

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

namespace ringside::engine {
namespace {

constexpr std::array<const char*, 5> kKinds = {"float32", "tf32", "bfloat16", "float16", "float64"};
std::array<std::atomic<std::int64_t>, kKinds.size()> flops_by_kind{};
// An operator that calls itself with a shorter type, as under autocast, is counted once, for the
// inner call.
thread_local std::int64_t flops_of_thread = 0;

enum class Formula { kNone, kConvolution, kItsBackward, kProduct, kProductAndSum };

Formula formula_of(std::string_view name) {
  if (name == "aten::convolution") return Formula::kConvolution;
  if (name == "aten::convolution_backward") return Formula::kItsBackward;
  if (name == "aten::mm" || name == "aten::bmm") return Formula::kProduct;
  if (name == "aten::addmm" || name == "aten::baddbmm") return Formula::kProductAndSum;
  return Formula::kNone;
}

using Values = std::vector<c10::IValue>;

/// An operator in progress. Its inputs are recorded here, since they are gone when its end is
/// reported.
struct Begun : at::ObserverContext {
  Formula formula = Formula::kNone;
  Values given;
  std::int64_t flops_before = flops_of_thread;
};

/// FLOPs of a convolution with `positions` in each image, for its result or either of its
/// gradients.
std::int64_t convolution_flops(const at::Tensor& positions, const at::Tensor& weight) {
  return 2 * positions.numel() / positions.size(1) * weight.numel();
}

std::int64_t flops_of(const Begun& begun, const Values& made) {
  const auto tensor = [&begun](std::size_t i) -> const at::Tensor& {
    return begun.given[i].toTensor();
  };
  switch (begun.formula) {
    case Formula::kConvolution:
      return convolution_flops(begun.given[6].toBool() ? tensor(0) : made[0].toTensor(), tensor(1));
    case Formula::kItsBackward: {
      const auto wanted = begun.given[10].toBoolList();
      return (int{wanted[0]} + int{wanted[1]}) *
             convolution_flops(tensor(begun.given[7].toBool() ? 1 : 0), tensor(2));
    }
    case Formula::kProduct:
      return 2 * tensor(0).numel() * tensor(1).size(-1);
    case Formula::kProductAndSum:
      return 2 * tensor(1).numel() * tensor(2).size(-1);
    case Formula::kNone:
      break;
  }
  return 0;
}

std::size_t kind_of(const at::Tensor& given, bool convolves) {
  switch (given.scalar_type()) {
    case at::kBFloat16:
      return 2;
    case at::kHalf:
      return 3;
    case at::kDouble:
      return 4;
    default:
      break;
  }
  const at::Context& context = at::globalContext();
  const bool short_products = convolves ? context.allowTF32CuDNN() : context.allowTF32CuBLAS();
  return given.is_cuda() && short_products ? 1 : 0;
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& operation) {
  const Formula formula = formula_of(operation.name());
  if (formula == Formula::kNone) return nullptr;
  auto begun = std::make_unique<Begun>();
  begun->formula = formula;
  begun->given.assign(operation.inputs().begin(), operation.inputs().end());
  return begun;
}

void on_end(const at::RecordFunction& operation, at::ObserverContext* context) {
  const auto* const begun = static_cast<const Begun*>(context);
  // An operator that threw has no outputs.
  if (begun == nullptr || operation.outputs().empty()) return;
  if (flops_of_thread != begun->flops_before) return;
  const std::int64_t flops = flops_of(*begun, operation.outputs());
  flops_of_thread += flops;
  const bool convolves =
      begun->formula == Formula::kConvolution || begun->formula == Formula::kItsBackward;
  flops_by_kind[kind_of(begun->given[0].toTensor(), convolves)] += flops;
}

}  // namespace

FlopCount::FlopCount() {
  for (auto& flops : flops_by_kind) flops = 0;
  handle_ = at::addGlobalCallback(at::RecordFunctionCallback(on_begin, on_end)
                                      .needsInputs(true)
                                      .needsOutputs(true)
                                      .scopes({at::RecordScope::FUNCTION}));
}

FlopCount::~FlopCount() { at::removeCallback(handle_); }

std::map<std::string, std::int64_t> FlopCount::found() const {
  std::map<std::string, std::int64_t> found;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (flops_by_kind[i] != 0) found[kKinds[i]] = flops_by_kind[i];
  }
  return found;
}

}  // namespace ringside::engine
