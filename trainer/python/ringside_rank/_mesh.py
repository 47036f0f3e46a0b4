"""Finds the device mesh dimension of a process group, and whether its ranks work on the same samples."""

from typing import Any, Callable

from . import _imports

# Names of mesh dimensions, and of Megatron's groups, whose ranks work on the same samples, since they split layers, sequences or
# the stack of layers. A name that joins several dimensions, such as "dp_cp", is not among them.
_SHARING = {
    "tp", "tensor", "tensor_parallel", "cp", "context", "context_parallel", "sp", "sequence", "sequence_parallel", "ulysses", "ring",
    "pp", "pipe", "pipeline", "pipeline_parallel", "mp", "model", "model_parallel", "tensor_model_parallel_group",
    "context_parallel_group", "pipeline_model_parallel_group", "model_parallel_group",
}


def learn_sharing(group: Any) -> None:
    """Decides by the names of a group (_collectives.Group) and its dimension."""
    if group.dimension.lower() in _SHARING or group.purpose.lower() in _SHARING:
        group.same_samples = True


def install(torch: Any, group_of: Callable[[Any], Any], failed: Callable[[], None]) -> None:
    """`group_of` returns our group for a process group, or None. `failed` is called when an exception of ours is caught."""
    from ._replace import replace, replace_traced

    try:
        from torch.distributed.device_mesh import DeviceMesh
    except ImportError:  # before torch 2.2
        return

    def made_get_group(original: Any) -> Any:
        def get_group(self: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(self, *args, **kwargs)
            try:
                _name(self, group_of(found), args[0] if args else kwargs.get("mesh_dim"))
            except Exception:
                failed()
            return found

        return get_group

    def made_parallelize(original: Any) -> Any:
        def parallelize_module(module: Any, device_mesh: Any = None, *args: Any, **kwargs: Any) -> Any:
            try:
                if device_mesh is not None and device_mesh.ndim == 1:
                    group = group_of(device_mesh.get_group())
                    if group is not None:
                        group.same_samples = True
            except Exception:
                failed()
            return original(module, device_mesh, *args, **kwargs)

        return parallelize_module

    replace_traced(torch, DeviceMesh, "get_group", made_get_group)
    _imports.after("torch.distributed.tensor.parallel.api", lambda api: replace(api, "parallelize_module", made_parallelize))


def _name(mesh: Any, group: Any, dimension: Any) -> None:
    """A dimension over all ranks uses the default group, whose own name does not say so."""
    if group is None or group.dimension:
        return
    names = mesh.mesh_dim_names
    group.dimension = dimension if isinstance(dimension, str) else str(names[dimension or 0]) if names else ""
    learn_sharing(group)
