BEGIN TRANSACTION;
CREATE TABLE archive_steps (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT archive_steps_pkc PRIMARY KEY (version_num)
);
INSERT INTO "archive_steps" VALUES('0007');
CREATE TABLE archive_version (version INTEGER PRIMARY KEY);
INSERT INTO "archive_version" VALUES(6);
INSERT INTO "archive_version" VALUES(7);
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
CREATE TABLE events (
        site TEXT NOT NULL, table_id TEXT NOT NULL, id TEXT NOT NULL, sequence BIGINT, boot TEXT NOT NULL,
        kind TEXT NOT NULL, subtopic TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, monotonic_ns BIGINT NOT NULL,
        synced BOOLEAN NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN,
        earlier BOOLEAN, void TEXT, payload TEXT NOT NULL, PRIMARY KEY (site, table_id, id));
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/1',1,'b1','round','round','2027-01-15T08:00:40.000000Z',40000000000,1,'toledo-2020/roulette',NULL,NULL,NULL,0,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:00:40.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "40000000000", "clocksynced": true, "sequence": 1, "data": {"round": 1, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/2',2,'b1','round','round','2027-01-15T08:01:20.000000Z',80000000000,1,'toledo-2020/roulette',NULL,NULL,NULL,0,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/2", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:01:20.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "80000000000", "clocksynced": true, "sequence": 2, "data": {"round": 2, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/3',3,'b1','irregularity','irregularity/warning','2027-01-15T08:01:30.500000Z',90500000000,1,'toledo-2020/roulette/late-no-more-bets',NULL,'warning',NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/3", "source": "/toledo/RL-07", "type": "pitwatch.irregularity.v1", "time": "2027-01-15T08:01:30.500000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "90500000000", "clocksynced": true, "sequence": 3, "data": {"rule": "toledo-2020/roulette/late-no-more-bets", "category": "procedure", "severity": "warning", "round": 1}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/4',4,'b1','device','device/wheel','2027-01-15T08:01:35.000000Z',95000000000,1,'offline','wheel',NULL,NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/4", "source": "/toledo/RL-07", "type": "pitwatch.device.v1", "time": "2027-01-15T08:01:35.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "95000000000", "clocksynced": true, "sequence": 4, "data": {"device": "wheel", "state": "offline", "since": 95}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/1',1,'c','round','round','2027-01-15T08:00:01.000000Z',1000000000,0,'g',NULL,NULL,NULL,1,NULL,NULL,'{"specversion": "1.0", "id": "BJ-01/c/1", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:01.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "1000000000", "clocksynced": false, "sequence": 1, "data": {"round": 1, "game": "g", "partial": true, "void": null}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/2',2,'c','round','round','2027-01-15T08:00:02.000000Z',2000000000,0,'g',NULL,NULL,NULL,1,NULL,NULL,'{"specversion": "1.0", "id": "BJ-01/c/2", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:02.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "2000000000", "clocksynced": false, "sequence": 2, "data": {"round": 2, "game": "g", "partial": true, "void": null}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/5',5,'c','system','system','2027-01-15T08:00:05.000000Z',5000000000,1,'clock_set',NULL,NULL,NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "BJ-01/c/5", "source": "/toledo/BJ-01", "type": "pitwatch.system.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "5000000000", "clocksynced": true, "sequence": 5, "data": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1800000000000000000}}}');
INSERT INTO "events" VALUES('toledo','CR-01','CR-01/b1/status-5',NULL,'b1','status','status','2027-01-15T09:00:00.000000Z',5000000000,1,'lost',NULL,NULL,NULL,NULL,1,NULL,'{"specversion": "1.0", "id": "CR-01/b1/status-5", "source": "/toledo/CR-01", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO "events" VALUES('toledo','CR-02','CR-02/b1/status-5',NULL,'b1','status','status','2027-01-15T09:00:00.000000Z',5000000000,1,'lost',NULL,NULL,NULL,NULL,0,NULL,'{"specversion": "1.0", "id": "CR-02/b1/status-5", "source": "/toledo/CR-02", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
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
CREATE TABLE packages (
        manifest TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, sequence BIGINT NOT NULL,
        at TIMESTAMPTZ NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (manifest, at));
CREATE TABLE put_aside (
        digest TEXT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, topic TEXT NOT NULL,
        at TIMESTAMPTZ NOT NULL, trouble TEXT NOT NULL, reason TEXT NOT NULL, message BYTEA NOT NULL);
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
CREATE INDEX events_in_order ON events (site, table_id, sequence);
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_by_name ON events (kind, name);
CREATE INDEX tree_heads_new ON tree_heads (site, table_id) WHERE verdict IS NULL;
CREATE INDEX cosignatures_untold ON cosignatures (origin, key) WHERE NOT told;
CREATE INDEX stamped_heads_by_table ON stamped_heads (site, table_id, sequence);
CREATE INDEX case_changes_by_time ON case_changes (at);
CREATE INDEX case_changes_by_case ON case_changes (case_id, number);
CREATE INDEX case_changes_by_link ON case_changes (other) WHERE other IS NOT NULL;
CREATE INDEX cases_open ON cases (case_id) WHERE state <> 'closed';
CREATE INDEX cases_by_subject ON cases (subject, case_id);
COMMIT;
