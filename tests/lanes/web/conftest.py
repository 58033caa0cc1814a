"""A running service that shows one picture after the other, its page, and a browser before it."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from moving_scenes import PICTURES, page
from PIL import Image
from programs import page_of, service_of
from selenium import webdriver
from selenium.webdriver.common.by import By
from service_bench import wait_until

from edge_lpdpl.live.client import Client

ROOT = Path(__file__).parents[3]
SHOTS = ROOT / ".lanes" / "web"
SHOWN = (5, 54, None, 7)
SIZES = {"desk": (1280, 800, False), "phone": (390, 844, True)}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    random = np.random.default_rng(0)
    (folder / "pictures").mkdir()
    for place, light in enumerate([*map(page, SHOWN), _foreign()]):
        grey = light + random.normal(0, 2, (480, 640))
        Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(folder / "pictures" / f"{place}.png")
    return folder


def _foreign():
    """A sheet with a numeral that the model does not know, a Latin 5. It takes it for a 万, in doubt."""
    sheet = page(None)
    ink = Image.open(PICTURES / "latin_5_screen.png").convert("L").resize((200, 200))
    sheet[140:340, 200:400] -= 0.5 * np.asarray(ink)
    return sheet


@pytest.fixture(scope="session")
def service(folder):
    """The service; `socket` is its path."""
    with service_of(folder, folder / "pictures", "frames.picture_ms=1500", "collect.what=doubtful") as service:
        yield service


@pytest.fixture(scope="session")
def address(service, folder):
    """Address of the page."""
    with page_of(folder, service) as page:
        yield page.address


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
