"""A TLS server as many Python programs have one: a thread for each connection that is served.

server.py CERTIFICATE KEY PORT THREADS. It ends when its standard input does.
"""

import socket
import ssl
import sys
import threading

certificate, key = sys.argv[1:3]
port, threads = map(int, sys.argv[3:])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.num_tickets = 0
listener = socket.create_server(("127.0.0.1", port), backlog=1024)


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
sys.stdin.read()
