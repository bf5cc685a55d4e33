# SPDX-License-Identifier: Apache-2.0
"""A provider that keeps objects: an HTTP server that answers as its test says,
and notes what it was asked.

    with Store(answer) as store:
        ... store.port ...
    store.asked     # (method, target, headers by small name, body)

answer(method, target, body) gives (status, headers, bytes)."""

import http.server
import threading

JSON = {"Content-Type": "application/json"}


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
                status, headers, text = answer(self.command, self.path, body)
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
