"""As chrony does once it knows the time: the kernel's clock no longer counts as unset."""

import ctypes

ADJ_MAXERROR, ADJ_STATUS = 0x4, 0x10
timex = ctypes.create_string_buffer(256)  # struct timex; its first field says what to set, the others are set to 0
ctypes.c_uint.from_buffer(timex).value = ADJ_MAXERROR | ADJ_STATUS
assert ctypes.CDLL(None).adjtimex(timex) >= 0
