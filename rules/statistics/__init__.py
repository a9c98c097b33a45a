"""Monitors that may be looked at after every round: is the wheel even, are the dice, is the shoe whole and shuffled?

Pure: no input or output, and nothing but `math`. Each monitor keeps two numbers. R (a Shiryaev-Roberts e-detector:
Shin, Ramdas & Rinaldo, arXiv:2203.03532) raises the alarm: on fair equipment it passes c in T rounds with a probability
of at most T/c, however often it is set back. E (an e-process since the last reset: Ville 1939) is reported and ranked:
the probability that fair equipment ever shows an E of 1/a is at most a.
"""
