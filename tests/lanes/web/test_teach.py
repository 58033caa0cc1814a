"""A person teaches a numeral on the page, sees it read as taught, takes the hand along, and forgets it again."""

from browsing import by_id, choose, now, press
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from service_bench import wait_until

from edge_lpdpl.numeral.hand import read_hand


def open_numeral(browser, label):
    """Open the newest decision of one numeral that was read so."""
    alone = f"//div[@class='cut-outs' and count(button)=1]/button[span='{label}']"
    choose(browser, "decisions")
    press(browser, wait_until(lambda: browser.find_elements(By.XPATH, alone))[0])
    wait_until(lambda: by_id(browser, "teach").is_displayed())


def said(browser):
    return by_id(browser, "teach-said").text


def test_a_numeral_is_taught_in_two_clicks_and_read_so_until_it_is_forgotten(browser):
    wait_until(lambda: now(browser).startswith("万?"))
    open_numeral(browser, "万")
    by_id(browser, "teach-labels").find_element(By.XPATH, "button[.='三']").click()
    wait_until(lambda: said(browser).startswith("Taught: 三."))
    browser.shot("teach")

    by_id(browser, "teach-labels").find_element(By.XPATH, "button[.='九']").click()
    wait_until(lambda: said(browser).startswith("Is that really 九?"))
    browser.shot("teach-doubt")
    by_id(browser, "steps-close").click()

    numeral = wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "#decisions button.taught"))[0]
    assert numeral.get_attribute("aria-label").startswith("三, as you taught it")
    browser.shot("taught")

    choose(browser, "hand")
    wait_until(lambda: by_id(browser, "hand-said").text == "1 taught")
    browser.shot("hand")
    press(browser, by_id(browser, "hand-file"))
    file = browser.downloads / "mine.hand"
    wait_until(file.exists)
    assert [sample.label for sample in read_hand(file).samples] == ["三"]

    press(browser, browser.find_element(By.CSS_SELECTOR, "#hand button"))
    wait_until(lambda: by_id(browser, "hand-said").text == "0 taught")
    wait_until(lambda: now(browser).startswith("万?"))


def test_a_numeral_is_taught_with_the_key_of_its_digit(browser):
    wait_until(lambda: now(browser) == "七")
    open_numeral(browser, "七")
    by_id(browser, "steps-close").send_keys("7")
    wait_until(lambda: said(browser).startswith("Taught: 七."))
    by_id(browser, "steps-close").send_keys(Keys.ESCAPE)
    choose(browser, "hand")
    wait_until(lambda: by_id(browser, "hand-said").text == "1 taught")
    press(browser, by_id(browser, "hand-clear"))
    wait_until(lambda: by_id(browser, "hand-said").text == "0 taught")
    assert not by_id(browser, "hand-all").is_displayed()


def test_a_doubt_is_told_in_the_language_of_the_page(browser):
    by_id(browser, "language").click()
    wait_until(lambda: browser.find_elements(By.ID, "read") and by_id(browser, "read").text == "立即读取")
    wait_until(lambda: now(browser) == "七")
    open_numeral(browser, "七")
    by_id(browser, "steps-close").send_keys("7")
    wait_until(lambda: said(browser).startswith("已教：七"))
    by_id(browser, "steps-close").send_keys("9")
    wait_until(lambda: said(browser) == "确定是 九 吗？与此相似的图曾被教为 七。")
    browser.shot("chinese-doubt")
    by_id(browser, "steps-close").send_keys(Keys.ESCAPE)
    choose(browser, "hand")
    press(browser, by_id(browser, "hand-clear"))
    wait_until(lambda: by_id(browser, "hand-said").text == "已教 0 个")
