"""The camera manager: the connected cameras, and their completed requests."""

import os
import threading


class CameraManager:
    version = "model"

    def __init__(self):
        self.cameras = []
        self.event_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._completed, self._lock = [], threading.Lock()

    @staticmethod
    def singleton():
        return manager

    def get(self, identity):
        return next(camera for camera in self.cameras if camera.id == identity)

    def complete(self, request):
        with self._lock:
            self._completed.append(request)
        os.eventfd_write(self.event_fd, 1)

    def get_ready_requests(self):
        try:
            os.eventfd_read(self.event_fd)
        except BlockingIOError:
            return []
        with self._lock:
            ready, self._completed = self._completed, []
        return ready


manager = CameraManager()
