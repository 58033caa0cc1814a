"""A document in blocks becomes HTML and Markdown."""

from train_host.report.document import Commands, Figure, Heading, Paragraph, Table, to_html, to_markdown


class TestDocument:
    BLOCKS = (
        Heading("A & B", 1),
        Paragraph("x < y"),
        Commands(("one", "two")),
        Table(("method", "right"), (("a|b", "1 %"),)),
        Figure("f", "A figure.", b"png"),
    )

    def test_html_escapes_what_is_not_markup(self):
        page = to_html(self.BLOCKS, "<title>")
        assert "<h1>A &amp; B</h1>" in page
        assert "x &lt; y" in page
        assert "&lt;title&gt;" in page

    def test_markdown_keeps_columns_apart(self):
        text = to_markdown(self.BLOCKS, "figures")
        assert "| a\\|b | 1 % |" in text
        assert "![A figure.](figures/f.png)" in text
        assert "    one\n    two\n" in text
