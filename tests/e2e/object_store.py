# SPDX-License-Identifier: Apache-2.0
"""A provider that keeps objects: an HTTP server that answers as its test says,
and notes what it was asked.

    with Store(answer) as store:
        ... store.port ...
    store.asked     # (method, target, headers by small name, body)

answer(method, target, body) gives (status, headers, bytes). A header of the
answer may have ORIGIN in it, which becomes the server's."""

import http.server
import json
import threading

JSON = {"Content-Type": "application/json"}
ORIGIN = "ORIGIN"


class Store:
    def __init__(self, answer):
        store = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _handle(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                store.asked.append((
                    self.command, self.path,
                    {name.lower(): value
                     for name, value in self.headers.items()}, body))
                method = self.command
                status, headers, text = answer(method, self.path, body)
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value.replace(
                        ORIGIN, f"http://127.0.0.1:{store.port}"))
                if status != 204:
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if method != "HEAD":
                    self.wfile.write(text)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # the other side left
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def kept(file_bytes):
    """What each of OpenAI's, Anthropic's and Google's servers says of objects,
    as an answer of a Store."""
    file = {"id": "file-1", "object": "file", "type": "file", "bytes": 256,
            "created_at": 1, "filename": "a.bin", "purpose": "batch"}
    response = {"id": "resp_1", "object": "response", "status": "completed",
                "output": []}
    batch = {"id": "batch_1", "object": "batch", "status": "cancelling",
             "processing_status": "canceling"}
    said = {
        "POST /v1/files": file, "GET /v1/files/file-1": file,
        "GET /v1/files": {"object": "list", "data": [file],
                          "has_more": False},
        "DELETE /v1/files/file-1": {"id": "file-1", "object": "file",
                                    "deleted": True, "type": "file_deleted"},
        "GET /v1/responses/resp_1": response,
        "POST /v1/responses/resp_1/cancel": {**response,
                                             "status": "cancelled"},
        "DELETE /v1/responses/resp_1": {},
        "POST /v1/batches/batch_1/cancel": batch,
        "POST /v1/moderations": {"id": "modr-1", "results": [{}]},
        "POST /v1/messages/batches": batch,
        "GET /v1/messages/batches": {"data": [batch], "has_more": False},
        "POST /v1/messages/batches/batch_1/cancel": batch,
        "GET /v1beta/files": {"files": [{"name": "files/a"}]},
        "DELETE /v1beta/files/a": {},
        "POST /v1beta/cachedContents": {"name": "cachedContents/a"},
        "GET /v1beta/cachedContents/a": {"name": "cachedContents/a"}}

    def answer(method, target, body):
        path, _, query = target.partition("?")
        name = f"{method} {path}"
        if name == "POST /v1/files" and file_bytes not in body:
            return 400, JSON, b"{}"
        if name == "GET /v1/files/file-1/content":
            return 200, {"Content-Type": "application/binary"}, file_bytes
        if name == "POST /v1/batches":
            return 200, JSON, body
        if name == "GET /v1/responses/resp_1" and "stream=true" in query:
            return 200, {"Content-Type": "text/event-stream"}, b"".join(
                b"event: %s\ndata: {\"type\":\"%s\"}\n\n" % (one, one)
                for one in (b"response.created", b"response.completed"))
        if name == "POST /upload/v1beta/files" and not query:
            return 200, {**JSON, "X-Goog-Upload-Status": "active",
                         "X-Goog-Upload-URL": f"{ORIGIN}/upload/v1beta/files?"
                         "upload_id=a-1&upload_protocol=resumable"}, b"{}"
        if name == "POST /upload/v1beta/files":
            if body != file_bytes or "upload_id=a-1" not in query:
                return 400, JSON, b"{}"
            return 200, {**JSON, "X-Goog-Upload-Status": "final"}, (
                b'{"file": {"name": "files/b", "sizeBytes": "%d"}}' %
                len(body))
        if name not in said:
            return 404, JSON, b'{"error":{"message":"none"}}'
        return 200, JSON, json.dumps(said[name]).encode()
    return answer
