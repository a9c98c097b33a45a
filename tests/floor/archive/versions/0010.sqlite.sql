BEGIN TRANSACTION;
CREATE TABLE archive_steps (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT archive_steps_pkc PRIMARY KEY (version_num)
);
INSERT INTO "archive_steps" VALUES('0010');
CREATE TABLE archive_version (version INTEGER PRIMARY KEY);
INSERT INTO "archive_version" VALUES(6);
INSERT INTO "archive_version" VALUES(8);
INSERT INTO "archive_version" VALUES(9);
INSERT INTO "archive_version" VALUES(10);
CREATE TABLE case_changes (
        number BIGINT PRIMARY KEY, case_id BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, other BIGINT, source TEXT UNIQUE,
        body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE case_heads (
        size BIGINT NOT NULL, key TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (size, key));
CREATE TABLE cases (
        case_id BIGINT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, subject TEXT NOT NULL,
        state TEXT NOT NULL, newest BIGINT NOT NULL);
CREATE TABLE clocks (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, sequence BIGINT NOT NULL,
        offset_ns BIGINT NOT NULL, PRIMARY KEY (site, table_id, boot));
INSERT INTO "clocks" VALUES('toledo','BJ-01','c',5,1800000000000000000);
CREATE TABLE cosignatures (
        origin TEXT NOT NULL, key TEXT NOT NULL, witness TEXT NOT NULL, size BIGINT NOT NULL, root TEXT NOT NULL,
        note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, told BOOLEAN NOT NULL,
        PRIMARY KEY (origin, key, witness, size, root));
CREATE TABLE event_boots (boot_ref INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE);
INSERT INTO "event_boots" VALUES(1,'b1');
INSERT INTO "event_boots" VALUES(2,'c');
CREATE TABLE event_citations (
        table_ref INTEGER NOT NULL, sequence BIGINT NOT NULL, cited_by BIGINT NOT NULL,
        PRIMARY KEY (table_ref, sequence, cited_by));
CREATE TABLE event_rows (
            table_ref INTEGER NOT NULL, boot_ref INTEGER NOT NULL, sort_ref INTEGER NOT NULL, sequence BIGINT,
            monotonic_ns BIGINT NOT NULL, at TEXT NOT NULL, synced BOOLEAN NOT NULL, form INTEGER NOT NULL,
            id TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL);
INSERT INTO "event_rows" VALUES(1,2,4,1,1000000000,'2027-01-15T08:00:01.000000Z',0,0,'','','{"specversion": "1.0", "id": "BJ-01/c/1", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:01.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "1000000000", "clocksynced": false, "sequence": 1, "data": {"round": 1, "game": "g", "partial": true, "void": null}}');
INSERT INTO "event_rows" VALUES(1,2,4,2,2000000000,'2027-01-15T08:00:02.000000Z',0,0,'','','{"specversion": "1.0", "id": "BJ-01/c/2", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:02.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "2000000000", "clocksynced": false, "sequence": 2, "data": {"round": 2, "game": "g", "partial": true, "void": null}}');
INSERT INTO "event_rows" VALUES(1,2,5,5,5000000000,'2027-01-15T08:00:05.000000Z',1,0,'','','{"specversion": "1.0", "id": "BJ-01/c/5", "source": "/toledo/BJ-01", "type": "pitwatch.system.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "5000000000", "clocksynced": true, "sequence": 5, "data": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1800000000000000000}}}');
INSERT INTO "event_rows" VALUES(2,1,6,NULL,5000000000,'2027-01-15T09:00:00.000000Z',1,0,'CR-01/b1/status-5','','{"specversion": "1.0", "id": "CR-01/b1/status-5", "source": "/toledo/CR-01", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO "event_rows" VALUES(3,1,7,NULL,5000000000,'2027-01-15T09:00:00.000000Z',1,0,'CR-02/b1/status-5','','{"specversion": "1.0", "id": "CR-02/b1/status-5", "source": "/toledo/CR-02", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO "event_rows" VALUES(4,1,1,1,40000000000,'2027-01-15T08:00:40.000000Z',1,0,'','','{"specversion": "1.0", "id": "RL-07/b1/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:00:40.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "40000000000", "clocksynced": true, "sequence": 1, "data": {"round": 1, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "event_rows" VALUES(4,1,1,2,80000000000,'2027-01-15T08:01:20.000000Z',1,0,'','','{"specversion": "1.0", "id": "RL-07/b1/2", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:01:20.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "80000000000", "clocksynced": true, "sequence": 2, "data": {"round": 2, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "event_rows" VALUES(4,1,2,3,90500000000,'2027-01-15T08:01:30.500000Z',1,0,'','','{"specversion": "1.0", "id": "RL-07/b1/3", "source": "/toledo/RL-07", "type": "pitwatch.irregularity.v1", "time": "2027-01-15T08:01:30.500000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "90500000000", "clocksynced": true, "sequence": 3, "data": {"rule": "toledo-2020/roulette/late-no-more-bets", "category": "procedure", "severity": "warning", "round": 1}}');
INSERT INTO "event_rows" VALUES(4,1,3,4,95000000000,'2027-01-15T08:01:35.000000Z',1,0,'','','{"specversion": "1.0", "id": "RL-07/b1/4", "source": "/toledo/RL-07", "type": "pitwatch.device.v1", "time": "2027-01-15T08:01:35.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "95000000000", "clocksynced": true, "sequence": 4, "data": {"device": "wheel", "state": "offline", "since": 95}}');
CREATE TABLE event_sorts (
            sort_ref INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, subtopic TEXT NOT NULL,
            name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN, earlier BOOLEAN, void TEXT);
INSERT INTO "event_sorts" VALUES(1,'3d8f43aae2e1280f300b7bd3de420fa7383973a2d7e223a718c4513b39338559','round','round','toledo-2020/roulette',NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "event_sorts" VALUES(2,'bb9fe75ca99486e9dc126edbb42475c0245ccd48be85d84415d585bff3a70a11','irregularity','irregularity/warning','toledo-2020/roulette/late-no-more-bets',NULL,'warning',NULL,NULL,NULL,NULL);
INSERT INTO "event_sorts" VALUES(3,'b8e4c3beb6ba43d641e4a3a8f418fffec6cbc479a0f0fae024183416ef525dcb','device','device/wheel','offline','wheel',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "event_sorts" VALUES(4,'45a8f97eaef3106ef76381f1f45ac02abf6a923e16aadbf852744d5e5a65e724','round','round','g',NULL,NULL,NULL,1,NULL,NULL);
INSERT INTO "event_sorts" VALUES(5,'107ba1c4dc02934aa7cc5035f7970574cd20a2f0f3c02ab9d04f9af1fb9ab26d','system','system','clock_set',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "event_sorts" VALUES(6,'2e5825775d1f38b12bd519fc710d4bcac40082705bd0297d48346447a9c918c4','status','status','lost',NULL,NULL,NULL,NULL,1,NULL);
INSERT INTO "event_sorts" VALUES(7,'9683d4102f1328bcad1ffe26db58f2eef489877728f3a29e670fb1408431f4c0','status','status','lost',NULL,NULL,NULL,NULL,0,NULL);
CREATE TABLE event_tables (
            table_ref INTEGER PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, UNIQUE (site, table_id));
INSERT INTO "event_tables" VALUES(1,'toledo','BJ-01');
INSERT INTO "event_tables" VALUES(2,'toledo','CR-01');
INSERT INTO "event_tables" VALUES(3,'toledo','CR-02');
INSERT INTO "event_tables" VALUES(4,'toledo','RL-07');
CREATE TABLE given_up (
        site TEXT NOT NULL, table_id TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (site, table_id, first));
CREATE TABLE heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, key TEXT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (site, table_id, key, sequence));
CREATE TABLE latest (
        site TEXT NOT NULL, table_id TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, delivered BIGINT NOT NULL,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id));
CREATE TABLE leases (
        name TEXT PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL);
CREATE TABLE not_stamped (
        authority TEXT PRIMARY KEY, since TIMESTAMPTZ NOT NULL, at TIMESTAMPTZ NOT NULL, times BIGINT NOT NULL,
        reason TEXT NOT NULL);
CREATE TABLE notify_groups (
        receiver TEXT NOT NULL, topic TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, left_out BIGINT NOT NULL,
        first BIGINT NOT NULL, last BIGINT NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (receiver, topic));
CREATE TABLE notify_outbox (
        receiver TEXT NOT NULL, id TEXT NOT NULL, due DOUBLE PRECISION NOT NULL, made DOUBLE PRECISION NOT NULL,
        attempts BIGINT NOT NULL, given_up BOOLEAN NOT NULL, reason TEXT NOT NULL, notice TEXT NOT NULL,
        PRIMARY KEY (receiver, id));
CREATE TABLE notify_receivers (
        receiver TEXT PRIMARY KEY, since BIGINT NOT NULL, number BIGINT NOT NULL);
CREATE TABLE packages (
        manifest TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, sequence BIGINT NOT NULL,
        at TIMESTAMPTZ NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (manifest, at));
CREATE TABLE put_aside (
        digest TEXT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, topic TEXT NOT NULL,
        at TIMESTAMPTZ NOT NULL, trouble TEXT NOT NULL, reason TEXT NOT NULL, message BYTEA NOT NULL);
CREATE TABLE removed (
        table_ref INTEGER NOT NULL, boot_ref INTEGER NOT NULL, kind TEXT NOT NULL, first BIGINT NOT NULL,
        last BIGINT NOT NULL, records BIGINT NOT NULL, began TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ NOT NULL,
        at TIMESTAMPTZ NOT NULL, rule TEXT NOT NULL, PRIMARY KEY (table_ref, boot_ref, kind, at));
CREATE TABLE runs (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL,
        met DOUBLE PRECISION NOT NULL, began DOUBLE PRECISION NOT NULL, committed BIGINT NOT NULL,
        refused BIGINT NOT NULL, aside BOOLEAN NOT NULL, below BOOLEAN NOT NULL, key TEXT NOT NULL,
        claim_sequence BIGINT, claim_boot TEXT, claim_last BIGINT, PRIMARY KEY (site, table_id, boot));
INSERT INTO "runs" VALUES('toledo','RL-07','b1',1,4,1800000001.0,1800000040.0,0,0,0,0,'',NULL,NULL,NULL);
CREATE TABLE stamped_heads (
        digest TEXT NOT NULL, position BIGINT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, key TEXT NOT NULL,
        sequence BIGINT NOT NULL, hash TEXT NOT NULL, head TEXT NOT NULL, path TEXT NOT NULL,
        PRIMARY KEY (digest, position));
CREATE TABLE stamps (
        digest TEXT PRIMARY KEY, at TIMESTAMPTZ NOT NULL, hour TEXT NOT NULL, authority TEXT NOT NULL,
        stamped TEXT NOT NULL, reply BYTEA NOT NULL);
CREATE TABLE tree_heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, origin TEXT NOT NULL, key TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, boot TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, verdict TEXT,
        PRIMARY KEY (site, table_id, key, size, root));
CREATE TABLE troubles (
        site TEXT NOT NULL, table_id TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        told TEXT NOT NULL, heard TEXT NOT NULL, said TEXT NOT NULL, over_at TIMESTAMPTZ,
        PRIMARY KEY (site, table_id, kind, subject));
CREATE TABLE unanswered (
        site TEXT NOT NULL, table_id TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (site, table_id));
CREATE TABLE whole (
        site TEXT NOT NULL, table_id TEXT NOT NULL, up_to BIGINT NOT NULL, PRIMARY KEY (site, table_id));
CREATE TABLE witness_heads (
        origin TEXT NOT NULL, key TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, PRIMARY KEY (origin, key));
CREATE INDEX tree_heads_new ON tree_heads (site, table_id) WHERE verdict IS NULL;
CREATE INDEX cosignatures_untold ON cosignatures (origin, key) WHERE NOT told;
CREATE INDEX stamped_heads_by_table ON stamped_heads (site, table_id, sequence);
CREATE INDEX case_changes_by_time ON case_changes (at);
CREATE INDEX case_changes_by_case ON case_changes (case_id, number);
CREATE INDEX case_changes_by_link ON case_changes (other) WHERE other IS NOT NULL;
CREATE INDEX cases_open ON cases (case_id) WHERE state <> 'closed';
CREATE INDEX cases_by_subject ON cases (subject, case_id);
CREATE UNIQUE INDEX event_rows_once ON event_rows (table_ref, sequence, boot_ref);
CREATE UNIQUE INDEX event_rows_states ON event_rows (table_ref, id) WHERE id <> '';
CREATE INDEX event_rows_by_time ON event_rows (at);
CREATE INDEX event_sorts_by_name ON event_sorts (kind, name);
CREATE INDEX event_rows_by_sort ON event_rows (sort_ref, at);
CREATE INDEX event_rows_unsynced ON event_rows (table_ref, boot_ref) WHERE NOT synced;
CREATE VIEW events AS SELECT t.site, t.table_id,
        CASE WHEN r.id = '' THEN t.table_id || '/' || b.boot || '/' || r.sequence ELSE r.id END AS id,
        r.sequence, b.boot, s.kind, s.subtopic, r.at, r.monotonic_ns, r.synced, s.name, s.device, s.severity, s.raised,
        s.partial, s.earlier, s.void,
        CASE r.form WHEN 0 THEN r.body WHEN 1 THEN '{"specversion":"1.0","id":"' || t.table_id || '/' || b.boot || '/' || r.sequence
    || '","source":"/' || t.site || '/' || t.table_id || '","type":"pitwatch.' || s.kind || '.v1","time":"'
    || CASE WHEN r.time = '' THEN r.at ELSE r.time END || '","datacontenttype":"application/json","bootid":"' || b.boot
    || '","monotonic":"' || r.monotonic_ns || '","clocksynced":' || CASE WHEN r.synced THEN 'true' ELSE 'false' END
    || ',"sequence":' || r.sequence || r.body
            WHEN 2 THEN '{"specversion":"1.0","id":"' || t.table_id || '/' || b.boot || '/' || r.sequence
    || '","source":"/' || t.site || '/' || t.table_id || '","type":"pitwatch.' || s.kind || '.v1","time":"'
    || CASE WHEN r.time = '' THEN r.at ELSE r.time END || '","datacontenttype":"application/json","bootid":"' || b.boot
    || '","monotonic":"' || r.monotonic_ns || '","clocksynced":' || CASE WHEN r.synced THEN 'true' ELSE 'false' END
    || ',"sequence":' || r.sequence || ',"data":' || r.body || '}'
            ELSE '{"specversion":"1.0","id":"' || t.table_id || '/' || b.boot || '/' || r.sequence
    || '","source":"/' || t.site || '/' || t.table_id || '","type":"pitwatch.' || s.kind || '.v1","time":"'
    || CASE WHEN r.time = '' THEN r.at ELSE r.time END || '","datacontenttype":"application/json","bootid":"' || b.boot
    || '","monotonic":"' || r.monotonic_ns || '","clocksynced":' || CASE WHEN r.synced THEN 'true' ELSE 'false' END
    || ',"sequence":' || r.sequence || ',"data":{"t":' || substr(r.body, 1, instr(r.body, '|') - 1) || ',"device":"' || s.device
                || '","event":"' || s.name || '","data":' || substr(r.body, instr(r.body, '|') + 1) || '}}' END AS payload,
        r.table_ref
    FROM event_rows AS r JOIN event_tables AS t ON t.table_ref = r.table_ref
    JOIN event_boots AS b ON b.boot_ref = r.boot_ref JOIN event_sorts AS s ON s.sort_ref = r.sort_ref;
CREATE INDEX removed_up_to ON removed (table_ref, boot_ref, kind, last);
COMMIT;
