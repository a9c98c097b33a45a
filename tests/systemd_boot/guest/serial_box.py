"""A serial-to-TCP box with a wheel behind it that repeats its state. Arguments: address, port."""

import socket
import sys
import time

with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    while True:
        client, _ = server.accept()
        try:
            while True:
                client.sendall(b"*X;2;256;17;0;150;1\r\n")
                time.sleep(0.5)
        except OSError:
            client.close()
