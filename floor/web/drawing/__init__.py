"""Wheel, dice, cards and timing as SVG or HTML, from values as tables publish them. Pure; everything is escaped."""
