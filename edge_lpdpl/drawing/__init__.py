"""Pictures of what was read, with Pillow alone, because they are drawn on the device too: one decision, or a page."""
