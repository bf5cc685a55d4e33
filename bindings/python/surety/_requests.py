# SPDX-License-Identifier: Apache-2.0
"""What the thread of a run asks of the thread that called run: to judge a
value, to call a tool. So all functions of the program run in its own thread,
and in its own event loop."""

import threading


def wait_for(thread: threading.Thread) -> None:
    """Waits for the end of a thread, which is near, whatever is pressed."""
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt:
            continue


class Request:
    """One of them; the run's thread looks now and then whether it is done."""

    #: The run waits for it no more, and posts it again to say so.
    dropped = False

    def answer_now(self) -> None:
        """Does it. What this raises ends the run, and comes out of it."""
        raise NotImplementedError

    async def answer_async(self) -> None:
        """The same, and awaits a coroutine."""
        raise NotImplementedError
