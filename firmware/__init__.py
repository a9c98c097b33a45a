"""What runs on a sensor node: MicroPython on a Raspberry Pi Pico or an ESP32."""

__version__ = "1.0.0"
