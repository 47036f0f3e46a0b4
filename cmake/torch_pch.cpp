// The owner of the precompiled torch/torch.h; a library needs one source.
namespace ringside {
extern const int kTorchHeaderOwner;
const int kTorchHeaderOwner = 1;
}  // namespace ringside
