"""Clients of the Unix socket that read, or not, as a test says."""

import json
import socket

CAPACITY = 4


def publish(publisher, value):
    publisher.publish(value, json.dumps(value).encode() + b"\n")


def connect(publisher):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(str(publisher.path))
    connection.settimeout(5)
    return connection
