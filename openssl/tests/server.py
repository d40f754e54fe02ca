"""A TLS server as many Python programs have one: a thread for each connection that is served.

server.py CERTIFICATE KEY PORT_FILE [THREADS]. It ends when its standard input does.
"""

import socket
import ssl
import sys
import threading
from pathlib import Path

certificate, key, port_file = sys.argv[1:4]
threads = int(sys.argv[4]) if len(sys.argv) > 4 else 64
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.num_tickets = 0
listener = socket.create_server(("127.0.0.1", 0), backlog=1024)


def serve() -> None:
    while True:
        connection, _ = listener.accept()
        try:
            with context.wrap_socket(connection, server_side=True) as channel:
                channel.recv(1)
        except OSError:
            connection.close()


for _ in range(threads):
    threading.Thread(target=serve, daemon=True).start()
Path(port_file).write_text(str(listener.getsockname()[1]))
sys.stdin.read()
