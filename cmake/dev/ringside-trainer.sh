#!/bin/sh
# Starts the trainer, or the program of that name that uses LibTorch as it does, of a bundle or of an installation with the LibTorch of
# this machine. It becomes that program: same process id, no child left.
here=$(dirname -- "$(readlink -f -- "$0")")
version=@RINGSIDE_TORCH_VERSION@
torch=${RINGSIDE_TORCH_DIR:-}
if [ -z "$torch" ]; then
  torch=$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' \
    2>/dev/null)
fi
if [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
  echo "ringside-trainer: LibTorch was not found${torch:+ in $torch}. Install torch==$version for the python3 on the path, or" \
    "name a site-packages/torch or LibTorch folder with RINGSIDE_TORCH_DIR." >&2
  exit 2
fi
if ! grep -qsF "$version" "$torch/version.py" "$torch/build-version" "$torch/../build-version"; then
  echo "ringside-trainer: $torch is not version $version, for which this trainer was built. Name another with" \
    "RINGSIDE_TORCH_DIR." >&2
  exit 2
fi
# CUDA's own libraries lie beside torch; only the module for GPUs asks for them.
nvidia=$torch/../nvidia
LD_LIBRARY_PATH=$torch/lib:$nvidia/cu13/lib:$nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/../libexec/${0##*/}" "$@"
