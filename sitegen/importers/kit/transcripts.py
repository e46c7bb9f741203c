"""Transcripts in ATIF, the form that the viewer reads, made of the messages that a model and its tools exchanged."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

LONGEST = 200_000
"""Characters of a text that is shown."""

_SOURCES = {"assistant": "agent", "user": "user"}

Json = dict[str, object]

Transcripts = Callable[[], Iterable[tuple[tuple[str, int], bytes]]]
"""Makes transcripts of a source, which is read once more for them: each with its task, as it is named there, and the
number of the attempt."""


def transcript_of(
    messages: Iterable[object], model: str, attachments: Mapping[str, object] | None = None
) -> bytes:
    """Put messages down as steps, the results of tools with the step that called them.

    A message has a `role` and `content`, and perhaps `tool_calls` or the `tool_call_id` that it answers; long texts
    may stand apart as attachments, by their names, and `attachment://NAME` for each.
    """
    steps: list[Json] = []
    for each in messages:
        if not isinstance(each, dict):
            continue
        words, thoughts = _words(each.get("content"), attachments or {})
        if each.get("role") == "tool" and steps:
            answered = each.get("tool_call_id")
            call = answered[0] if isinstance(answered, list) and answered else answered
            result = {"source_call_id": call if isinstance(call, str) else None, "content": words}
            told = steps[-1].setdefault("observation", {"results": []})
            told["results"].append(result)  # type: ignore[index] # as set here
            continue
        calls = [
            {
                "tool_call_id": call.get("id"),
                "function_name": call.get("function") or call.get("name"),
                "arguments": call.get("arguments"),
            }
            for call in each.get("tool_calls") or ()
            if isinstance(call, dict)
        ]
        step: Json = {
            "step_id": len(steps) + 1,
            "source": _SOURCES.get(str(each.get("role")), "system"),
        }
        extra = {"message": words, "reasoning_content": thoughts, "tool_calls": calls}
        steps.append(
            step | {key: value for key, value in extra.items() if value or key == "message"}
        )
    agent = {"name": "unknown", "version": "unknown", "model_name": model}
    return json.dumps({"schema_version": "ATIF-v1.6", "agent": agent, "steps": steps}).encode()


def _words(content: object, attachments: Mapping[str, object]) -> tuple[str, str]:
    """The words of a message and the thoughts before them; what is neither is named, and not carried."""
    parts: Sequence[object] = content if isinstance(content, list) else [content]
    words, thoughts = [], []
    for part in parts:
        told = part if isinstance(part, dict) else {"type": "text", "text": part}
        text = told.get("text")
        name = text.removeprefix("attachment://") if isinstance(text, str) else ""
        attached = attachments.get(name)
        shown = attached if isinstance(attached, str) else text if isinstance(text, str) else ""
        if told.get("type") == "reasoning":
            thoughts.append(str(told.get("reasoning") or told.get("summary") or ""))
        elif told.get("type") in {"text", None}:
            words.append(shown)
        else:
            words.append(f"[{told.get('type')}: not shown]")
    return "\n".join(words)[:LONGEST], "\n".join(thoughts)[:LONGEST]
