#!/bin/sh
# Starts the trainer, or the program of that name that uses LibTorch as it does, with the LibTorch of this machine: libexec has one
# for each of some versions. It replaces this process: same process id, no child process.
here=$(dirname -- "$(readlink -f -- "$0")")
torch=${RINGSIDE_TORCH_DIR:-}
# Where pip put this into an environment (lib/ringside-ddp/bin), the Python of that environment comes first.
for python in "$here/../../../bin/python3" python3; do
  [ -z "$torch" ] || break
  torch=$("$python" -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' \
    2>/dev/null)
done
versions=$(cd "$here/../libexec" && echo torch-*.* | sed 's/torch-//g')
if [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
  echo "ringside-trainer: LibTorch was not found${torch:+ in $torch}. Install torch $versions for the python3 on the path, or" \
    "name a site-packages/torch or LibTorch folder with RINGSIDE_TORCH_DIR." >&2
  exit 2
fi
version=$(sed -n "s/^\(__version__.*'\)\{0,1\}\([0-9]\{1,\}\.[0-9]\{1,\}\)\..*/\2/p" "$torch/version.py" "$torch/build-version" \
  "$torch/../build-version" 2>/dev/null | head -n 1)
program=$here/../libexec/torch-$version/${0##*/}
if [ ! -e "$program" ]; then
  echo "ringside-trainer: $torch is version ${version:-unknown}, and there is a trainer for $versions here. Name another LibTorch with" \
    "RINGSIDE_TORCH_DIR. A script of yours needs no trainer and takes any version: ringside run -- python train.py" >&2
  exit 2
fi
# CUDA's own libraries are beside torch; only the GPU module uses them.
nvidia=$torch/../nvidia
LD_LIBRARY_PATH=$torch/lib:$nvidia/cu13/lib:$nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$program" "$@"
