"""Actions: what happens at a decision, as `[[action]]` of the configuration says.

In: messages. Out: a request to a web address, a program that is run, a pin that is switched. Open `action.py` first.
"""
