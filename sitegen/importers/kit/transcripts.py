"""Convert the messages of a model and its tools to ATIF, the transcript viewer's format."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

LONGEST = 200_000
"""Maximum length of a message or of its reasoning in a transcript, in characters."""

_SOURCES = {"assistant": "agent", "user": "user"}
"""A step's source, keyed by the role of its message; other roles get "system"."""

Json = dict[str, object]

Transcripts = Callable[[], Iterable[tuple[tuple[str, int], bytes]]]
"""A function that reads the source again and yields its transcripts.

Each is yielded as ((task name in the source, attempt number), JSON text of the transcript).
"""


def transcript_of(
    messages: Iterable[object], model: str, attachments: Mapping[str, object] | None = None
) -> bytes:
    """Return a transcript of messages as ATIF JSON; a tool result is added to the step before it.

    Args:
        messages: Objects with `role` and `content`, and optionally `tool_calls`, or the
            `tool_call_id` that they answer.
        model: The name of the model.
        attachments: Long texts by name, to which `attachment://NAME` refers.
    """
    steps: list[Json] = []
    for message in messages:
        if not isinstance(message, dict):
            continue
        text, thoughts = _message_texts(message.get("content"), attachments or {})
        if message.get("role") == "tool" and steps:
            _add_tool_result(steps[-1], message, text)
        else:
            steps.append(_step(len(steps) + 1, message, text, thoughts))
    agent = {"name": "unknown", "version": "unknown", "model_name": model}
    return json.dumps({"schema_version": "ATIF-v1.6", "agent": agent, "steps": steps}).encode()


def _add_tool_result(step: Json, message: Mapping[str, object], text: str) -> None:
    """Add the result of a tool call to the step that made the call."""
    call_id = message.get("tool_call_id")
    if isinstance(call_id, list) and call_id:
        call_id = call_id[0]
    if not isinstance(call_id, str):
        call_id = None
    observation = step.setdefault("observation", {"results": []})
    result = {"source_call_id": call_id, "content": text}
    observation["results"].append(result)  # type: ignore[index] # set above if it was missing


def _step(number: int, message: Mapping[str, object], text: str, thoughts: str) -> Json:
    """Return a message as a step with the given number and texts."""
    step: Json = {
        "step_id": number,
        "source": _SOURCES.get(str(message.get("role")), "system"),
        "message": text,
    }
    if thoughts:
        step["reasoning_content"] = thoughts
    calls = _tool_calls(message.get("tool_calls"))
    if calls:
        step["tool_calls"] = calls
    return step


def _tool_calls(calls: object) -> list[Json]:
    """Return a message's tool calls as ATIF objects; empty if there are no calls."""
    if not isinstance(calls, list):
        return []
    tool_calls: list[Json] = []
    for call in calls:
        if not isinstance(call, dict):
            continue
        tool_call = {
            "tool_call_id": call.get("id"),
            "function_name": call.get("function") or call.get("name"),
            "arguments": call.get("arguments"),
        }
        tool_calls.append(tool_call)
    return tool_calls


def _message_texts(content: object, attachments: Mapping[str, object]) -> tuple[str, str]:
    """Return the text and the reasoning of a message, each cut to `LONGEST` characters.

    Content of other kinds, such as an image, is replaced by a note.
    """
    items: Sequence[object] = content if isinstance(content, list) else [content]
    texts = []
    thoughts = []
    for item in items:
        fields = item if isinstance(item, dict) else {"type": "text", "text": item}
        match fields.get("type"):
            case "reasoning":
                thoughts.append(str(fields.get("reasoning") or fields.get("summary") or ""))
            case "text" | None:
                texts.append(_with_attachment(fields.get("text"), attachments))
            case kind:
                texts.append(f"[{kind}: not shown]")
    return "\n".join(texts)[:LONGEST], "\n".join(thoughts)[:LONGEST]


def _with_attachment(text: object, attachments: Mapping[str, object]) -> str:
    """Return a text, or the attachment that it refers to; empty if the value is not a string."""
    if not isinstance(text, str):
        text = ""
    attachment = attachments.get(text.removeprefix("attachment://"))
    return attachment if isinstance(attachment, str) else text
