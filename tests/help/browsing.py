"""What a person does on the page, for a driver of a browser."""

from selenium.webdriver.common.by import By


def by_id(browser, name):
    return browser.find_element(By.ID, name)


def now(browser):
    """What was read last."""
    return by_id(browser, "now").text


def press(browser, element):
    """Click an element, wherever on the page it is."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def choose(browser, tab):
    """Open a tab."""
    press(browser, by_id(browser, f"tab-{tab}"))
