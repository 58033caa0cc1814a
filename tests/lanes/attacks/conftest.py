"""The machines of this lane. Tests that name none of them need neither root nor a container."""

from machines import box, checkout, fresh, pi, provisioned  # noqa: F401
