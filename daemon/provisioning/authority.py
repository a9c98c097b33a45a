"""The certificate authority of a house: its signing key and the certificates. Independent of tables and topics.

Needs the package `cryptography`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.config.house_names import MOST

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

CA_DAYS = 3650


class Authority:
    """Loaded from `ca.crt` and `ca.key` in its folder, or made there. `days`: how long what it signs is valid.

    Raises UsageError in one line if one of the files is missing or not what it should be.
    """

    def __init__(self, folder: Path, days: int):
        from cryptography import x509

        self._days = days
        self.revoked = folder / "revoked.pem"
        self.written: list[Path] = []
        certificate, key = folder / "ca.crt", folder / "ca.key"
        if certificate.exists() != key.exists():
            lacking = key if certificate.exists() else certificate
            raise UsageError(f"{lacking}: missing, though its other half is there; put it back")
        if not key.exists():
            made = _new_key()
            name = _name("Pitwatch house authority")
            builder = _builder(name, name, made.public_key(), CA_DAYS, made.public_key())
            builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            builder = builder.add_extension(_usage(signs=True), critical=True)
            self._save(certificate, key, builder, made, made)
        self._ca, self._ca_key = _load(certificate, key)

    @property
    def pem(self) -> bytes:
        """The certificate of the authority itself."""
        from cryptography.hazmat.primitives.serialization import Encoding

        return self._ca.public_bytes(Encoding.PEM)

    def credential(self, certificate: Path, key: Path, name: str, server: Sequence[str] = ()) -> None:
        """Make both files unless the certificate is there. `server`: the hosts that show it, none for a client."""
        from cryptography import x509

        if certificate.exists():
            return
        made = _new_key()
        # A host may be longer than a common name (64); who connects to it looks at the alternative names only.
        builder = self._leaf(name if len(name) <= MOST else "Pitwatch broker", made.public_key(), bool(server))
        if server:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([general_name(host) for host in server]), critical=False
            )
        self._save(certificate, key, builder, made, self._ca_key)

    def certify(self, request: str, name: str) -> bytes:
        """A client's certificate in PEM for the key of a request (PKCS #10 in PEM), whatever name that asks for. Raises
        ValueError with what is wrong with it."""
        from cryptography import x509
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding

        try:
            asked = x509.load_pem_x509_csr(request.encode())
            key = asked.public_key()
            genuine = asked.is_signature_valid
        except (ValueError, InvalidSignature, UnsupportedAlgorithm):
            raise ValueError("the request for a certificate is not readable") from None
        if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
            raise ValueError("the request is not for a key of the curve P-256")
        if not genuine:
            raise ValueError("the request is not signed by its own key")
        return self._leaf(name, key, server=False).sign(self._ca_key, hashes.SHA256()).public_bytes(Encoding.PEM)

    def _leaf(self, name: str, key: EllipticCurvePublicKey, server: bool) -> x509.CertificateBuilder:
        from cryptography import x509
        from cryptography.x509.oid import ExtendedKeyUsageOID

        use = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
        builder = _builder(_name(name), self._ca.subject, key, self._days, self._ca_key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs=False), critical=True)
        return builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)

    def revoke(self, certificate: Path) -> str:
        """Put it on the list in `revoked.pem`, which is valid as long as the authority. Its serial number in hex."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding

        now = datetime.now(UTC)
        try:
            serial = x509.load_pem_x509_certificate(certificate.read_bytes()).serial_number
            before = list(x509.load_pem_x509_crl(self.revoked.read_bytes())) if self.revoked.exists() else []
        except ValueError:
            raise UsageError(
                f"{certificate} or {self.revoked} is not readable as PEM; put the right one back"
            ) from None
        builder = x509.CertificateRevocationListBuilder().issuer_name(self._ca.subject)
        builder = builder.last_update(now - timedelta(days=1)).next_update(self._ca.not_valid_after_utc)
        if serial not in {each.serial_number for each in before}:
            revoked = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(now)
            before.append(revoked.build())
        for each in before:
            builder = builder.add_revoked_certificate(each)
        builder = builder.add_extension(x509.CRLNumber(len(before)), critical=False)
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._ca_key.public_key())
        builder = builder.add_extension(signer, critical=False)
        signed = builder.sign(self._ca_key, hashes.SHA256()).public_bytes(Encoding.PEM)
        write_beside(self.revoked, signed, 0o644).rename(self.revoked)
        self.written.append(self.revoked)
        return f"{serial:x}"

    def sign(self, data: bytes) -> bytes:
        """ECDSA with SHA-256, in DER."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        return self._ca_key.sign(data, ec.ECDSA(hashes.SHA256()))

    def has_signed(self, data: bytes, signature: bytes) -> bool:
        """Whether this authority signed the data."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        try:
            self._ca_key.public_key().verify(signature, data, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True

    def _save(
        self,
        certificate: Path,
        key: Path,
        builder: x509.CertificateBuilder,
        made: EllipticCurvePrivateKey,
        by: EllipticCurvePrivateKey,
    ) -> None:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        if key.exists():
            raise UsageError(f"{key}: exists without its certificate; a key is not written over, move it away")
        key.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        signed = builder.sign(by, hashes.SHA256()).public_bytes(Encoding.PEM)
        # What is there is kept from then on, so neither may be there by half, nor the one for long without the other.
        whole = (write_beside(key, pem, 0o600), write_beside(certificate, signed, 0o644))
        for part, path in zip(whole, (key, certificate), strict=True):
            part.rename(path)
            self.written.append(path)


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _load(certificate: Path, key: Path) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        loaded = load_pem_private_key(key.read_bytes(), None)
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (ValueError, TypeError):
        raise UsageError(f"{key.parent}: ca.key or ca.crt is not readable as PEM; put the right ones back") from None
    if not isinstance(loaded, EllipticCurvePrivateKey) or found.public_key() != loaded.public_key():
        raise UsageError(f"{key.parent}: ca.key does not belong to ca.crt; put the right one back")
    return found, loaded


def _name(common: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def general_name(name: str) -> x509.GeneralName:
    """A host as a certificate names it: an address, or a name."""
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: EllipticCurvePublicKey,
    days: int,
    issuer_key: EllipticCurvePublicKey,
) -> x509.CertificateBuilder:
    """With the identifiers of both keys (RFC 5280, 4.2.1.1 and 4.2.1.2), which strict clients want."""
    from cryptography import x509

    # A board whose clock is behind must not find its certificate not yet valid.
    begin = datetime.now(UTC) - timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=days + 1))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), critical=False)
    )


def _usage(signs: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
