"""A person labels collected numerals, the most doubtful first, and takes them along as a zip to train with."""

import zipfile
from pathlib import Path

from browsing import by_id, choose, press
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from service_bench import wait_until


def labelled(browser):
    """The number of pictures with a label."""
    return counts(browser)[1]


def counts(browser):
    """The numbers of "5 collected, 1 of them labelled"."""
    words = by_id(browser, "collect-said").text.split()
    return int(words[0]), int(words[2])


def test_numerals_are_labelled_by_click_and_key_and_downloaded(browser):
    wait_until(by_id(browser, "tab-collect").is_displayed)
    wait_until(lambda: choose(browser, "collect") or by_id(browser, "collect-one").is_displayed())
    assert "in doubt" in by_id(browser, "collect-read").text
    before = labelled(browser)
    browser.shot("collect")
    press(browser, by_id(browser, "collect-labels").find_element(By.XPATH, "button[.='五']"))
    wait_until(lambda: labelled(browser) == before + 1)
    press(browser, by_id(browser, "collect-back"))
    wait_until(lambda: labelled(browser) == before)
    for key, count in (("5", before + 1), (Keys.BACKSPACE, before), ("3", before + 1)):
        ActionChains(browser).send_keys(key).perform()
        wait_until(lambda count=count: labelled(browser) == count)

    wait_until(lambda: choose(browser, "collect") or counts(browser)[0] >= counts(browser)[1] + 2, 60)
    ActionChains(browser).send_keys("5", "7").perform()  # at once: each key is about the picture of its own turn
    wait_until(lambda: labelled(browser) == before + 3)

    press(browser, by_id(browser, "collect-file"))
    file = browser.downloads / "collected.zip"
    wait_until(lambda: zipfile.is_zipfile(file))  # the browser takes the name before the bytes have come
    archive = zipfile.ZipFile(file)
    assert archive.testzip() is None
    # The frames of this camera repeat, so that a picture may have got two labels, which no training takes.
    assert {"三", "五", "七"} <= {Path(name).parts[0] for name in archive.namelist()}
