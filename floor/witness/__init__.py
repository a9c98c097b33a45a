"""Witnesses: cosign what tables sign, after they have verified that it continues what they cosigned before.

`cosigning` is the decision, `heads` its state in a database, `tables` the archive's witness over MQTT. `service` and
`server` are the same decision over HTTP (C2SP tlog-witness), `outside` is the client of such a server.
"""
