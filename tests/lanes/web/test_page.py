"""A real browser before the page of a real service: scenes change, a region is drawn, the service goes and returns."""

from pathlib import Path

import axe_core_python
import pytest
from browsing import by_id, choose, now
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from service_bench import wait_until

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()


def test_it_sees_the_scene_change_and_tells_what_was_read(browser):
    wait_until(lambda: now(browser) == "五十四")
    boxes = browser.find_elements(By.CSS_SELECTOR, "#boxes .decision .box.accepted")
    assert len(boxes) == 1
    tags = browser.find_elements(By.CSS_SELECTOR, "#boxes .decision .tag")
    assert [tag.text for tag in tags] == ["五十四"]  # none for what was left out within it
    browser.shot("see")
    wait_until(lambda: now(browser) == "七")
    wait_until(lambda: now(browser) == "五")
    frames = int(by_id(browser, "picture").get_attribute("data-frames"))
    assert frames > 10
    lit = browser.execute_script(
        "const p = arguments[0]; return p.getContext('2d').getImageData(5, 5, 1, 1).data[0]", by_id(browser, "picture")
    )
    assert lit > 150  # the paper


def test_a_numeral_of_a_decision_shows_its_steps(browser):
    button = wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#decisions .cut-outs button"))[0]
    label = button.find_element(By.TAG_NAME, "span").text
    button.send_keys(Keys.ENTER)
    wait_until(lambda: len(browser.find_elements(By.CSS_SELECTOR, "#steps-row figure")) == 5)
    assert by_id(browser, "steps-title").text == label
    browser.shot("steps")
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    wait_until(lambda: not by_id(browser, "steps").is_displayed())


def test_a_region_is_drawn_tried_and_taken_back(browser, settings_of):
    choose(browser, "aim")
    wait_until(lambda: "best" in by_id(browser, "sharpness-text").text)
    draw, stage = by_id(browser, "region-draw"), by_id(browser, "stage")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", draw)
    draw.click()
    browser.execute_script("arguments[0].scrollIntoView({block: 'nearest'})", stage)
    width, height = stage.size["width"], stage.size["height"]
    start = (-round(0.4 * width), -round(0.4 * height))
    drag = ActionChains(browser).move_to_element_with_offset(stage, *start).click_and_hold()
    drag.move_by_offset(round(0.4 * width), round(0.4 * height)).move_by_offset(
        round(0.4 * width), 0
    ).release().perform()
    region = wait_until(lambda: settings_of()["page"]["region"])
    assert [abs(found - wanted) <= 8 for found, wanted in zip(region, (64, 48, 512, 192), strict=True)] == [True] * 4
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#boxes .area .region"))
    browser.shot("aim")
    for button, words in (("keep", "Kept in"), ("undo", "Taken back")):
        browser.execute_script("arguments[0].click()", by_id(browser, button))
        wait_until(lambda words=words: words in by_id(browser, "said").text)
    wait_until(lambda: settings_of()["page"]["region"] == [])


def test_a_setting_is_changed_by_keyboard(browser, settings_of):
    choose(browser, "aim")
    still = browser.find_element(By.CSS_SELECTOR, "[data-setting='trigger.still_ms']")
    wait_until(lambda: still.get_attribute("value"))
    still.send_keys(Keys.CONTROL, "a")
    still.send_keys("250", Keys.TAB)
    wait_until(lambda: settings_of()["trigger"]["still_ms"] == 250)
    browser.execute_script("arguments[0].click()", by_id(browser, "undo"))
    wait_until(lambda: settings_of()["trigger"]["still_ms"] == 200)


def test_columns_are_chosen_and_taken_back(browser, settings_of):
    choose(browser, "aim")
    writing = Select(browser.find_element(By.CSS_SELECTOR, "[data-setting='page.columns']"))
    wait_until(lambda: writing.first_selected_option.get_attribute("value") == "false")
    writing.select_by_value("true")
    wait_until(lambda: settings_of()["page"]["columns"] is True)
    browser.execute_script("arguments[0].click()", by_id(browser, "undo"))
    wait_until(lambda: settings_of()["page"]["columns"] is False)


def test_it_says_that_the_service_is_gone_and_goes_on_when_it_is_back(browser, service):
    service.stop()
    wait_until(lambda: "not running" in by_id(browser, "state").text)
    assert not by_id(browser, "read").is_enabled()
    browser.shot("gone")
    frames = int(by_id(browser, "picture").get_attribute("data-frames"))
    service.start()
    wait_until(lambda: by_id(browser, "state").text == "reading")
    wait_until(lambda: int(by_id(browser, "picture").get_attribute("data-frames")) > frames + 3)
    wait_until(lambda: now(browser) == "五十四")


def test_it_says_in_words_that_the_server_does_not_answer(browser):
    choose(browser, "aim")
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **offline})
    try:
        browser.execute_script("arguments[0].click()", by_id(browser, "undo"))
        wait_until(lambda: "server does not answer" in by_id(browser, "said").text)
    finally:
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **offline})
    assert all("ERR_INTERNET_DISCONNECTED" in line["message"] for line in browser.get_log("browser"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#decisions .cut-outs button"))
    for tab in ("decisions", "aim", "hand", "collect"):
        choose(browser, tab)
        assert violations(browser) == []
        browser.shot(f"{tab}-{scheme}")
    overflow = browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0  # nothing has to be scrolled sideways


def test_it_speaks_chinese(browser):
    by_id(browser, "language").click()
    wait_until(lambda: browser.find_elements(By.ID, "read") and by_id(browser, "read").text == "立即读取")
    wait_until(lambda: now(browser) == "五十四")
    assert browser.execute_script("return document.documentElement.lang") == "zh-Hans"
    browser.shot("chinese")


def test_what_the_service_refuses_is_told_in_the_language_of_the_page(browser, settings_of):
    by_id(browser, "language").click()
    wait_until(lambda: browser.find_elements(By.ID, "read") and by_id(browser, "read").text == "立即读取")
    choose(browser, "aim")
    still = browser.find_element(By.CSS_SELECTOR, "[data-setting='trigger.still_ms']")
    wait_until(lambda: still.get_attribute("value") == "200")
    still.send_keys(Keys.CONTROL, "a")
    still.send_keys("99999", Keys.TAB)
    wait_until(lambda: by_id(browser, "said").text == "静止时间（毫秒）：99999 不在 0 到 10000 之间")
    browser.shot("chinese-fault")
    assert still.get_attribute("aria-invalid") == "true"
    assert settings_of()["trigger"]["still_ms"] == 200
    assert all("409" in line["message"] for line in browser.get_log("browser"))  # what was refused, by its status


def violations(browser):
    """What axe-core finds, as rule and elements; minor things are left out."""
    browser.execute_script(AXE)
    found = browser.execute_async_script(
        "const done = arguments[0]; axe.run({resultTypes: ['violations']}).then((result) => done(result.violations))"
    )
    serious = [one for one in found if one["impact"] in ("moderate", "serious", "critical")]
    return [(one["id"], [node["target"] for node in one["nodes"]]) for one in serious]
