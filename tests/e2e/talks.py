# SPDX-License-Identifier: Apache-2.0
"""Random conversations and answers, in the four protocols: a conversation as a
client's request and as a provider reads it, an answer as a provider's stream.

A conversation is a list of what was said: ("system" | "user" | "assistant",
"text" | "image", text), ("call", id, name, arguments), ("result", id, name,
text). An answer is a list of ("reasoning" | "text", text) and calls, with its
usage."""

import json

PNG = "iVBORw0KGgoA"
ODD = ("a", "  ", " x", "x ", "\n", "\t", "é", "日本語", "\u202e", "\x00",
       "\ufeff", "\u2028", "\U0010ffff", "\\", '"', "</s>", "```", "null",
       '{"a":1}', "<think>", "x" * 3000, "\r\n", "\x7f", "e\u0301", "World")
NAMES = ("f", "get_weather", "a-b", "n" * 64)


def text_of(rng):
    """Never blank: such a text says nothing."""
    return "".join(rng.choice(ODD) for _ in range(rng.randint(1, 4))) + "."


def arguments_of(rng):
    values = (None, True, 0, -1, 0.5, 2 ** 53 + 1, 10 ** 30, "", [], {},
              [1, "a"], {"b": None}, text_of(rng))
    return {name: rng.choice(values) for name in ("a", "é", "")
            if rng.random() < 0.4}


def conversation_of(rng, tools):
    said = []
    if rng.random() < 0.6:
        said.append(("system", "text", text_of(rng)))
    for turn in range(rng.randint(1, 4)):
        for _ in range(rng.choice((1, 1, 2))):
            said.append(("user", "text", text_of(rng)) if rng.random() < 0.8
                        else ("user", "image",
                              PNG + rng.choice(("AAAA", "cd+/ww=="))))
        if rng.random() < 0.7:
            said.append(("assistant", "text", text_of(rng)))
        if not tools or rng.random() < 0.4:
            continue
        calls = [(f"id_{turn}_{i}", rng.choice(tools), arguments_of(rng))
                 for i in range(rng.randint(1, 3))]
        said += [("call", *call) for call in calls]
        said += [("result", *call[:2], text_of(rng)) for call in calls]
    return said + [("user", "text", text_of(rng))]


def in_turns(said, role_of):
    """[(role, what was said)]: what follows each other by one role."""
    turns = []
    for one in said:
        role = role_of.get(one[0], one[0])
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        turns[-1][1].append(one)
    return turns


# ---- a client's request --------------------------------------------------

def to_openai(said, tools):
    messages = []
    for role, ones in in_turns(said, {"call": "assistant"}):
        if role == "result":
            messages += [{"role": "tool", "tool_call_id": one[1],
                          "content": one[3]} for one in ones]
            continue
        content = [{"type": "text", "text": one[2]} if one[1] == "text" else
                   {"type": "image_url", "image_url":
                    {"url": "data:image/png;base64," + one[2]}}
                   for one in ones if one[0] != "call"]
        message = {"role": role, "content": content or None}
        calls = [{"id": one[1], "type": "function", "function":
                  {"name": one[2], "arguments": json.dumps(one[3])}}
                 for one in ones if one[0] == "call"]
        messages.append({**message, **({"tool_calls": calls} if calls else {})})
    return {"messages": messages, **({"tools": [
        {"type": "function", "function": {
            "name": name, "parameters": {"type": "object"}}}
        for name in tools]} if tools else {})}


def to_responses(said, tools):
    items = []
    for one in said:
        if one[0] == "call":
            items.append({"type": "function_call", "call_id": one[1],
                          "name": one[2], "arguments": json.dumps(one[3])})
        elif one[0] == "result":
            items.append({"type": "function_call_output", "call_id": one[1],
                          "output": one[3]})
        else:
            kind = "output_text" if one[0] == "assistant" else "input_text"
            items.append({"type": "message", "role": one[0], "content": [
                {"type": kind, "text": one[2]} if one[1] == "text" else
                {"type": "input_image",
                 "image_url": "data:image/png;base64," + one[2]}]})
    return {"input": items, **({"tools": [
        {"type": "function", "name": name, "parameters": {"type": "object"}}
        for name in tools]} if tools else {})}


def to_anthropic(said, tools):
    def block(one):
        if one[0] == "call":
            return {"type": "tool_use", "id": one[1], "name": one[2],
                    "input": one[3]}
        if one[0] == "result":
            return {"type": "tool_result", "tool_use_id": one[1],
                    "content": one[3]}
        if one[1] == "text":
            return {"type": "text", "text": one[2]}
        return {"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": one[2]}}

    system = [one for one in said if one[0] == "system"]
    turns = in_turns(said[len(system):], {"call": "assistant",
                                          "result": "user"})
    return {"system": [block(one) for one in system], "messages": [
        {"role": role, "content": [block(one) for one in ones]}
        for role, ones in turns], **({"tools": [
            {"name": name, "input_schema": {"type": "object"}}
            for name in tools]} if tools else {})}


def to_gemini(said, tools):
    def part(one):
        if one[0] == "call":
            return {"functionCall": {"name": one[2], "args": one[3]}}
        if one[0] == "result":
            return {"functionResponse": {"name": one[2],
                                         "response": {"output": one[3]}}}
        if one[1] == "text":
            return {"text": one[2]}
        return {"inlineData": {"mimeType": "image/png", "data": one[2]}}

    system = [one for one in said if one[0] == "system"]
    turns = in_turns(said[len(system):], {"call": "model", "result": "user",
                                          "assistant": "model"})
    return {**({"systemInstruction": {"parts": [part(one) for one in system]}}
               if system else {}),
            "contents": [{"role": role, "parts": [part(one) for one in ones]}
                         for role, ones in turns],
            **({"tools": [{"functionDeclarations": [
                {"name": name, "parametersJsonSchema": {"type": "object"}}
                for name in tools]}]} if tools else {})}


# ---- as a provider reads it ----------------------------------------------

def contents(role, content):
    if isinstance(content, str):
        return [(role, "text", content)]
    found = []
    for part in content or []:
        if "text" in part:
            found.append((role, "text", part["text"]))
        elif part["type"] == "image":
            found.append((role, "image", part["source"]["data"]))
        else:
            url = part["image_url"]
            url = url if isinstance(url, str) else url["url"]
            found.append((role, "image", url.split(";base64,")[1]))
    return found


def of_openai(body):
    said, names = [], {}
    for message in body["messages"]:
        if message["role"] == "tool":
            said.append(("result", message["tool_call_id"],
                         names[message["tool_call_id"]], message["content"]))
            continue
        said += contents(message["role"], message.get("content"))
        for call in message.get("tool_calls", []):
            names[call["id"]] = call["function"]["name"]
            said.append(("call", call["id"], call["function"]["name"],
                         json.loads(call["function"]["arguments"])))
    return said, [one["function"]["name"] for one in body.get("tools", [])]


def of_responses(body):
    said, names = contents("system", body.get("instructions")), {}
    for item in body["input"]:
        if item.get("type") == "function_call":
            names[item["call_id"]] = item["name"]
            said.append(("call", item["call_id"], item["name"],
                         json.loads(item["arguments"])))
        elif item.get("type") == "function_call_output":
            said.append(("result", item["call_id"], names[item["call_id"]],
                         item["output"]))
        else:
            said += contents(item["role"], item["content"])
    return said, [one["name"] for one in body.get("tools", [])]


def of_anthropic(body):
    said, names = contents("system", body.get("system")), {}
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
                said.append(("call", block["id"], block["name"],
                             block["input"]))
            elif block["type"] == "tool_result":
                said.append(("result", block["tool_use_id"],
                             names[block["tool_use_id"]], block["content"]))
            else:
                said += contents(message["role"], [block])
    return said, [one["name"] for one in body.get("tools", [])]


def of_gemini(body):
    said = []
    for content in [{"role": "system", **body.get("systemInstruction",
                                                  {"parts": []})},
                    *body["contents"]]:
        role = content["role"].replace("model", "assistant")
        for part in content["parts"]:
            if "functionCall" in part:
                said.append(("call", None, part["functionCall"]["name"],
                             part["functionCall"].get("args", {})))
            elif "functionResponse" in part:
                said.append(("result", None, part["functionResponse"]["name"],
                             part["functionResponse"]["response"]["output"]))
            elif "text" in part:
                said.append((role, "text", part["text"]))
            else:
                said.append((role, "image", part["inlineData"]["data"]))
    return said, [one["name"] for tool in body.get("tools", [])
                  for one in tool["functionDeclarations"]]


# ---- a provider's stream -------------------------------------------------

def answer_of(rng, tools):
    """(parts, usage)"""
    parts = []
    if rng.random() < 0.4:
        parts.append(("reasoning", text_of(rng)))
    if not tools or rng.random() < 0.7:
        parts.append(("text", text_of(rng)))
    if tools and (len(parts) == 0 or rng.random() < 0.6 or
                  parts[-1][0] != "text"):
        parts += [("call", f"call_{i}", rng.choice(tools), arguments_of(rng))
                  for i in range(rng.randint(1, 3))]
    return parts, (rng.randint(1, 999), rng.randint(1, 999))


def cut(rng, whole):
    """The pieces of a text or of bytes."""
    at = sorted(rng.randint(0, len(whole)) for _ in range(rng.randint(0, 4)))
    return [whole[start:end] for start, end in zip([0, *at],
                                                   [*at, len(whole)])]


def openai_events(rng, parts, usage):
    def chunk(delta, finish=None):
        return {"id": "a", "object": "chat.completion.chunk", "created": 1,
                "model": "m", "choices": [{"index": 0, "delta": delta,
                                           "finish_reason": finish}]}

    events, calls = [chunk({"role": "assistant", "content": ""})], 0
    for part in parts:
        if part[0] == "call":
            events.append(chunk({"tool_calls": [{
                "index": calls, "id": part[1], "type": "function",
                "function": {"name": part[2], "arguments": ""}}]}))
            events += [chunk({"tool_calls": [{
                "index": calls, "function": {"arguments": piece}}]})
                for piece in cut(rng, json.dumps(part[3]))]
            calls += 1
        else:
            name = "content" if part[0] == "text" else "reasoning_content"
            events += [chunk({name: piece}) for piece in cut(rng, part[1])]
    events.append(chunk({}, "tool_calls" if calls else "stop"))
    return [*events, {**chunk({}), "choices": [], "usage": {
        "prompt_tokens": usage[0], "completion_tokens": usage[1],
        "total_tokens": sum(usage)}}, "[DONE]"]


def responses_events(rng, parts, usage):
    events, output = [], []
    whole = {"id": "a", "object": "response", "created_at": 1, "model": "m",
             "status": "completed", "output": output, "usage": {
                 "input_tokens": usage[0], "output_tokens": usage[1],
                 "total_tokens": sum(usage)}}
    for index, part in enumerate(parts):
        about = {"item_id": f"i{index}", "output_index": index}
        if part[0] == "call":
            name, field = "function_call_arguments", "arguments"
            item = {"type": "function_call", "id": about["item_id"],
                    "call_id": part[1], "name": part[2],
                    "arguments": json.dumps(part[3])}
            begun, text = {**item, "arguments": ""}, item["arguments"]
        elif part[0] == "text":
            name, field, text = "output_text", "text", part[1]
            item = {"type": "message", "id": about["item_id"],
                    "role": "assistant", "content": [
                        {"type": "output_text", "text": text,
                         "annotations": []}]}
            begun = {**item, "content": []}
        else:
            name, field, text = "reasoning_summary_text", "text", part[1]
            item = {"type": "reasoning", "id": about["item_id"], "summary": [
                {"type": "summary_text", "text": text}]}
            begun = {**item, "summary": []}
        output.append(item)
        events.append({"type": "response.output_item.added",
                       "output_index": index, "item": begun})
        events += [{"type": f"response.{name}.delta", "delta": piece, **about}
                   for piece in cut(rng, text)]
        events.append({"type": f"response.{name}.done", field: text, **about})
        events.append({"type": "response.output_item.done",
                       "output_index": index, "item": item})
    return [{"type": "response.created", "response": {
        **whole, "status": "in_progress", "output": [], "usage": None}},
            *events, {"type": "response.completed", "response": whole}]


def anthropic_events(rng, parts, usage):
    events = [{"type": "message_start", "message": {
        "id": "a", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": None, "usage": {
            "input_tokens": usage[0], "output_tokens": 1}}}]
    for index, part in enumerate(parts):
        if part[0] == "call":
            block = {"type": "tool_use", "id": part[1], "name": part[2],
                     "input": {}}
            kind, name, text = ("input_json_delta", "partial_json",
                                json.dumps(part[3]))
        elif part[0] == "text":
            block = {"type": "text", "text": ""}
            kind, name, text = "text_delta", "text", part[1]
        else:
            block = {"type": "thinking", "thinking": "", "signature": ""}
            kind, name, text = "thinking_delta", "thinking", part[1]
        events.append({"type": "content_block_start", "index": index,
                       "content_block": block})
        events += [{"type": "content_block_delta", "index": index,
                    "delta": {"type": kind, name: piece}}
                   for piece in cut(rng, text)]
        events.append({"type": "content_block_stop", "index": index})
    stop = "tool_use" if parts[-1][0] == "call" else "end_turn"
    return [*events, {"type": "message_delta", "delta": {"stop_reason": stop},
                      "usage": {"output_tokens": usage[1]}},
            {"type": "message_stop"}]


def gemini_events(rng, parts, usage):
    def chunk(*parts, **more):
        return {"candidates": [{"index": 0, "content": {
            "role": "model", "parts": list(parts)}, **more}]}

    events = []
    for part in parts:
        if part[0] == "call":
            events.append(chunk({"functionCall": {"name": part[2],
                                                  "args": part[3]}}))
        else:
            more = {} if part[0] == "text" else {"thought": True}
            events += [chunk({"text": piece, **more})
                       for piece in cut(rng, part[1])]
    return [*events, {**chunk(finishReason="STOP"), "usageMetadata": {
        "promptTokenCount": usage[0], "candidatesTokenCount": usage[1],
        "totalTokenCount": sum(usage)}}]


def stream_of(rng, events):
    """The bytes of server-sent events, in pieces."""
    text = "".join(
        (f"event: {one['type']}\n" if "type" in one else "") + "data: " +
        (one if isinstance(one, str) else json.dumps(
            one, ensure_ascii=rng.random() < 0.5)) + "\n\n" for one in events)
    return cut(rng, text.encode())


TO = {"openai": to_openai, "responses": to_responses,
      "anthropic": to_anthropic, "gemini": to_gemini}
OF = {"openai": of_openai, "responses": of_responses,
      "anthropic": of_anthropic, "gemini": of_gemini}
EVENTS = {"openai": openai_events, "responses": responses_events,
          "anthropic": anthropic_events, "gemini": gemini_events}
