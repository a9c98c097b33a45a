"""How a configuration names a key in a token, and which mistakes it reports."""

from __future__ import annotations

import pytest

from pitwatch.daemon.config.token_key import TokenKey, parse

QUERY = "?module-path=/lib/t.so&pin-source=file:/etc/pin"


def test_a_uri_names_token_key_module_and_pin():
    assert parse("pkcs11:token=The%20board;object=pit;id=%01%a2;type=private" + QUERY) == TokenKey(
        token="The board", object="pit", id="01a2", module="/lib/t.so", pin_file="/etc/pin"
    )
    assert parse("pkcs11:serial=77;id=%01?module-path=/t.so").pin_file == ""
    assert parse("pkcs11:token=a;object=b?pin-source=file:///etc/pin&module-path=/t.so").pin_file == "/etc/pin"


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("/etc/pitwatch/key", "is no PKCS#11 URI; pkcs11:token=NAME"),
        ("pkcs11:" + QUERY, "names no token"),
        ("pkcs11:token=a" + QUERY, "names no key in the token"),
        ("pkcs11:token=a;object=b", "names no module"),
        ("pkcs11:token=a;object=b?module-path=t.so", "module-path is no absolute path"),
        ("pkcs11:token=a;object=b?module-path=/t.so&pin-source=file:pin", "pin-source is no absolute path"),
        ("pkcs11:token=a;object=b?module-path=/t.so&pin-value=1234", "has the PIN itself"),
        ("pkcs11:token=a;object=b;type=public" + QUERY, "type=public is not the key that signs"),
        ("pkcs11:token=a;objekt=b" + QUERY, "attribute 'objekt' is not known here"),
        ("pkcs11:token=a;token=c;object=b" + QUERY, "has token twice"),
        ("pkcs11:token=;object=b" + QUERY, "attribute token has no value"),
        ("pkcs11:token=%ff;object=b" + QUERY, "token is not UTF-8 text"),
        ("pkcs11:token=a%00;object=b" + QUERY, "token holds a zero character"),
    ],
)
def test_each_mistake_is_one_line_and_no_pin_is_shown(uri, said):
    with pytest.raises(ValueError, match=r"\S") as raised:
        parse(uri)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "1234" not in str(raised.value)
