"""The connection to an MQTT broker that is not trusted.

In: settings of `[mqtt]`, bytes of a broker. Out: a client that bounds what it takes, and what it shows to the broker.
Open `bounded_client.py`, then `credentials.py`.
"""
