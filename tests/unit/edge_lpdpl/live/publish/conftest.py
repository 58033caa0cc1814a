"""A publisher at a Unix socket."""

import pytest
from socket_clients import CAPACITY

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.publish.unix_socket import SocketPublisher


@pytest.fixture
def publisher(tmp_path):
    def handle(request, reply, peer):
        if request["request"] == "set":
            raise EdgeError("not now")
        if request.get("id") == "a fault":
            raise KeyError("no such figure")
        reply({"status": {"fine": "\ud800" if request.get("id") == "half a pair" else True}})

    publisher = SocketPublisher(tmp_path / "s", CAPACITY, handle)
    yield publisher
    publisher.close()
