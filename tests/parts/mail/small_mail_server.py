"""A mail server in a thread, for tests: it keeps what it takes, and refuses what it is told to refuse."""

import socketserver
import threading


class SmallMailServer(socketserver.ThreadingTCPServer):
    """`mails` are (receiver, text); `answer` is what it says to each receiver."""

    allow_reuse_address = daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Talk)
        self.mails, self.answer = [], b"250 OK"
        self.after_taking = lambda: None
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self):
        return self.server_address[1]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()


class _Talk(socketserver.StreamRequestHandler):
    def handle(self):
        self.say(b"220 small")
        receiver = ""
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"RCPT":
                receiver = line.decode().split("<")[1].split(">")[0]
                self.say(self.server.answer)
            elif word == b"DATA":
                self.say(b"354 go on")
                text = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    text += part
                self.server.mails.append((receiver, text.decode()))
                self.server.after_taking()
                self.say(b"250 taken")
            elif word == b"QUIT":
                self.say(b"221 bye")
                return
            else:
                self.say(b"250 small")

    def say(self, line):
        self.wfile.write(line + b"\r\n")
