"""A running service that shows one picture after the other, its page, and a browser before it."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from moving_scenes import PICTURES, page
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from service_bench import wait_until

from edge_lpdpl.live.client import Client

ROOT = Path(__file__).parents[3]
SHOTS = ROOT / ".lanes" / "web"
SHOWN = (5, 54, None, 7)
SIZES = {"desk": (1280, 800, False), "phone": (390, 844, True)}
RUN = "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())"


class Program:
    """A command of this program in a process of its own, which can be stopped and started again."""

    def __init__(self, folder, *arguments):
        self._command, self._log = [sys.executable, "-c", RUN, *map(str, arguments)], folder / f"{arguments[0]}.log"
        self._folder, self.process = folder, None
        self.start()

    def start(self):
        with self._log.open("ab") as log:
            environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(self._folder / "state")}
            self.process = subprocess.Popen(
                self._command, cwd=self._folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    random = np.random.default_rng(0)
    (folder / "pictures").mkdir()
    for place, light in enumerate([*map(page, SHOWN), _foreign()]):
        grey = light + random.normal(0, 2, (480, 640))
        Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(folder / "pictures" / f"{place}.png")
    (folder / "config.toml").write_text("")
    return folder


def _foreign():
    """A sheet with a numeral that the model does not know, a Latin 3. It takes it for a 万, in doubt."""
    sheet = page(None)
    ink = Image.open(PICTURES / "latin_3_screen.png").convert("L").resize((200, 200))
    sheet[140:340, 200:400] -= 0.5 * np.asarray(ink)
    return sheet


@pytest.fixture(scope="session")
def service(folder):
    """The service; `socket` is its path."""
    socket_file = folder / "s"
    settings = [f"publish.socket={socket_file}", "publish.stdout=false", "collect.what=doubtful"]
    settings += ["frames.repeat=true", "frames.picture_ms=1500"]
    sets = [word for setting in settings for word in ("--set", setting)]
    program = Program(folder, "run", "--config", folder / "config.toml", "--frames", folder / "pictures", *sets)
    program.socket = socket_file
    wait_until(lambda: socket_file.exists() or program.process.poll() is not None, 400)  # it may compile its kernels
    yield program
    program.stop()


@pytest.fixture(scope="session")
def address(service, folder):
    """Address of the page."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    web = Program(folder, "web", "--socket", service.socket, "--port", port, "--config", folder / "config.toml")
    wait_until(lambda: _answers(port))
    yield f"http://127.0.0.1:{port}/"
    web.stop()


def _answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@pytest.fixture(params=SIZES, scope="session")
def driver(request, tmp_path_factory):
    """A headless Chromium of one size."""
    downloads = tmp_path_factory.mktemp("downloads")
    driver = _driver(downloads, *SIZES[request.param])
    driver.downloads = downloads
    driver.shot = lambda name: _keep(driver, f"{request.param}-{name}")
    yield driver
    driver.quit()


@pytest.fixture
def browser(driver, address):
    """The browser with the page open, in English; its console must stay empty."""
    driver.get(address)
    driver.execute_script("localStorage.clear()")
    driver.get(address)
    wait_until(lambda: driver.find_element(By.ID, "picture").get_attribute("data-frames"))
    yield driver
    assert [line for line in driver.get_log("browser") if line["level"] == "SEVERE"] == []


def _driver(downloads, width, height, is_phone):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=en", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height + 150}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    if is_phone:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    return driver


def _keep(driver, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SHOTS / f"{name}.png"))


@pytest.fixture
def settings_of(service):
    """A function that asks the service for the settings in force."""

    def ask():
        with Client(service.socket) as client:
            return client.ask({"request": "settings"})["settings"]

    return ask
