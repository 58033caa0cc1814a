"""Addresses of the page."""

import ipaddress
import socket
from contextlib import suppress


def link_to(address: str, port: int, token: str = "") -> str:
    """The link that opens the page. The token is behind the #, which browsers send to nobody.

    >>> link_to("127.0.0.1", 8017), link_to("::1", 8017, "abc")
    ('http://127.0.0.1:8017/', 'http://[::1]:8017/#abc')
    """
    with suppress(ValueError):
        if ipaddress.ip_address(address).is_unspecified:
            address = socket.gethostname()
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}:{port}/" + (f"#{token}" if token else "")


def is_loopback(address: str) -> bool:
    """Whether only this machine can connect to an address.

    >>> is_loopback("127.0.0.1"), is_loopback("192.168.1.7")
    (True, False)
    """
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
