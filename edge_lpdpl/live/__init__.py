"""The live service: frames, trigger, page, publishers. `run` puts it together and `service` is its loop."""
