"""The boards of a floor as one fleet: how they are, and one change to many of them in a safe order.

A board is heard over MQTT like every table, and is given orders over ssh (`pitwatch board`). What it answers is a
stranger's word: bounded, escaped, and believed of this board alone.
"""
