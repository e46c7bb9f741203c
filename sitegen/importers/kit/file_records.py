"""Define records of a tool's files as models whose fields state which keys to read."""

from typing import Any, get_args, get_origin

from pydantic import AliasPath, BaseModel, ConfigDict, Field

from sitegen.importers.kit.stream import Shape


def nested_field(*keys: str, default: object = None) -> Any:  # noqa: ANN401 - as for `Field`
    """Return a model field whose value is nested in the file under the given keys."""
    return Field(default, validation_alias=AliasPath(*keys))


class FileRecord(BaseModel):
    """Base of models of a tool's files: unknown keys are ignored, and values are not converted."""

    model_config = ConfigDict(
        strict=True, extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True
    )

    @classmethod
    def shape(cls) -> "Shape":
        """Return the file's keys for which the model has fields, in the format of `stream`."""
        shape: dict[str, Any] = {}
        for name, info in cls.model_fields.items():
            path = [info.alias or name]
            if isinstance(info.validation_alias, AliasPath):
                path = [str(key) for key in info.validation_alias.path]
            inner_shape = shape
            for key in path[:-1]:
                inner_shape = inner_shape.setdefault(key, {})
            inner_shape[path[-1]] = _find_shape(info.annotation)
        return shape


def _find_shape(kind: Any) -> "Shape | None":  # noqa: ANN401 - any annotation
    """Return the shape of a type that may contain models in lists or dicts; None for one value."""
    if isinstance(kind, type) and issubclass(kind, FileRecord):
        return kind.shape()
    inner_shapes = (_find_shape(argument) for argument in get_args(kind))
    inner = next((shape for shape in inner_shapes if shape is not None), None)
    origin = get_origin(kind)
    if origin is dict:
        return {"*": inner}
    is_any_list = origin is list and inner is None
    return {"*": None} if is_any_list or kind is object else inner
