"""A person draws a field on the picture, names it, keeps it, and takes it back."""

import tomllib

from browsing import by_id, choose, now, press
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from service_bench import wait_until


def drag(browser, start, end):
    """Draw from one place of the picture to another, as shares of its size from the middle."""
    stage = by_id(browser, "stage")
    browser.execute_script("arguments[0].scrollIntoView({block: 'nearest'})", stage)
    width, height = stage.size["width"], stage.size["height"]
    (x, y), (right, low) = ((round(across * width), round(down * height)) for across, down in (start, end))
    chain = ActionChains(browser).move_to_element_with_offset(stage, x, y).click_and_hold()
    chain.move_by_offset((right - x) // 2, (low - y) // 2)
    chain.move_by_offset(right - x - (right - x) // 2, low - y - (low - y) // 2).release().perform()


def say(browser, button, words):
    browser.execute_script("arguments[0].click()", by_id(browser, button))
    wait_until(lambda: words in by_id(browser, "said").text)


def test_a_field_is_drawn_named_kept_and_taken_back(browser, settings_of, folder):
    choose(browser, "aim")
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "[data-setting='page.ink']")[0].get_attribute("value"))
    press(browser, by_id(browser, "field-draw"))
    drag(browser, (-0.45, -0.4), (0.45, 0.4))
    field = wait_until(lambda: settings_of()["field"])[0]
    assert field["name"] == "field 1"
    assert [abs(found - wanted) <= 8 for found, wanted in zip(field["region"], (32, 48, 576, 384), strict=True)] == [
        True
    ] * 4

    (name,) = wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#fields [data-field='name']"))
    name.send_keys(Keys.CONTROL, "a")
    name.send_keys("金额", Keys.TAB)
    wait_until(lambda: settings_of()["field"][0]["name"] == "金额")
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#boxes .fields .field"))
    wait_until(lambda: now(browser) == "金额: 五十四")  # what stands in the field
    browser.shot("fields")

    say(browser, "keep", "Kept in")
    kept = tomllib.loads((folder / "config.d" / "90-page.toml").read_text())
    assert [(one["name"], one["region"]) for one in kept["field"]] == [("金额", field["region"])]
    assert kept["form"]["align"] == "none"
    say(browser, "undo", "Taken back")
    wait_until(lambda: settings_of()["field"] == [])
    assert not (folder / "config.d" / "90-page.toml").exists()


def test_a_field_is_drawn_by_keyboard(browser, settings_of):
    choose(browser, "aim")
    button = by_id(browser, "field-draw")
    button.send_keys(Keys.ENTER)
    keys = ActionChains(browser).send_keys(Keys.ARROW_LEFT, Keys.ARROW_UP)
    keys.key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    assert "Enter takes it" in browser.switch_to.active_element.accessible_name
    browser.shot("keys")
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    assert browser.switch_to.active_element == button
    assert not browser.find_elements(By.CSS_SELECTOR, "#boxes .fields .field")
    assert settings_of()["field"] == []
    button.send_keys(Keys.ENTER)
    ActionChains(browser).send_keys(Keys.ARROW_LEFT, Keys.ENTER).perform()
    assert wait_until(lambda: settings_of()["field"])[0]["region"] == [152, 120, 320, 240]
    say(browser, "undo", "Taken back")
    wait_until(lambda: settings_of()["field"] == [])


def test_a_field_is_deleted(browser, settings_of):
    choose(browser, "aim")
    press(browser, by_id(browser, "field-draw"))
    drag(browser, (-0.4, -0.4), (0.1, 0.1))
    wait_until(lambda: settings_of()["field"])
    # Found and clicked in one step: the page may draw its fields again in between.
    delete = "const button = document.querySelector('#fields button'); button?.click(); return Boolean(button)"
    wait_until(lambda: browser.execute_script(delete))
    wait_until(lambda: settings_of()["field"] == [])
    say(browser, "undo", "Taken back")
    wait_until(lambda: settings_of()["form"]["align"] == "marks")
