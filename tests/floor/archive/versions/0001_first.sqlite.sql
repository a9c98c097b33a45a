BEGIN TRANSACTION;
CREATE TABLE archive_version (version INTEGER PRIMARY KEY);
INSERT INTO "archive_version" VALUES(1);
CREATE TABLE clocks (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, sequence BIGINT NOT NULL,
        offset_ns BIGINT NOT NULL, PRIMARY KEY (site, table_id, boot));
INSERT INTO "clocks" VALUES('toledo','BJ-01','c',5,1800000000000000000);
CREATE TABLE events (
        site TEXT NOT NULL, table_id TEXT NOT NULL, id TEXT NOT NULL, sequence BIGINT, boot TEXT NOT NULL,
        kind TEXT NOT NULL, subtopic TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, monotonic_ns BIGINT NOT NULL,
        synced BOOLEAN NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN, void TEXT,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id, id));
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/1',1,'b1','round','round','2027-01-15T08:00:40.000000Z',40000000000,1,'toledo-2020/roulette',NULL,NULL,NULL,0,NULL,'{"specversion": "1.0", "id": "RL-07/b1/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:00:40.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 40000000000, "clocksynced": true, "sequence": 1, "data": {"round": 1, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/2',2,'b1','round','round','2027-01-15T08:01:20.000000Z',80000000000,1,'toledo-2020/roulette',NULL,NULL,NULL,0,NULL,'{"specversion": "1.0", "id": "RL-07/b1/2", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:01:20.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 80000000000, "clocksynced": true, "sequence": 2, "data": {"round": 2, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/3',3,'b1','irregularity','irregularity/warning','2027-01-15T08:01:30.500000Z',90500000000,1,'toledo-2020/roulette/late-no-more-bets',NULL,'warning',NULL,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/3", "source": "/toledo/RL-07", "type": "pitwatch.irregularity.v1", "time": "2027-01-15T08:01:30.500000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 90500000000, "clocksynced": true, "sequence": 3, "data": {"rule": "toledo-2020/roulette/late-no-more-bets", "category": "procedure", "severity": "warning", "round": 1}}');
INSERT INTO "events" VALUES('toledo','RL-07','RL-07/b1/4',4,'b1','device','device/wheel','2027-01-15T08:01:35.000000Z',95000000000,1,'offline','wheel',NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "RL-07/b1/4", "source": "/toledo/RL-07", "type": "pitwatch.device.v1", "time": "2027-01-15T08:01:35.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 95000000000, "clocksynced": true, "sequence": 4, "data": {"device": "wheel", "state": "offline", "since": 95}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/1',1,'c','round','round','2027-01-15T08:00:01.000000Z',1000000000,0,'g',NULL,NULL,NULL,1,NULL,'{"specversion": "1.0", "id": "BJ-01/c/1", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:01.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonicns": 1000000000, "clocksynced": false, "sequence": 1, "data": {"round": 1, "game": "g", "partial": true, "void": null}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/2',2,'c','round','round','2027-01-15T08:00:02.000000Z',2000000000,0,'g',NULL,NULL,NULL,1,NULL,'{"specversion": "1.0", "id": "BJ-01/c/2", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:02.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonicns": 2000000000, "clocksynced": false, "sequence": 2, "data": {"round": 2, "game": "g", "partial": true, "void": null}}');
INSERT INTO "events" VALUES('toledo','BJ-01','BJ-01/c/5',5,'c','system','system','2027-01-15T08:00:05.000000Z',5000000000,1,'clock_set',NULL,NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "BJ-01/c/5", "source": "/toledo/BJ-01", "type": "pitwatch.system.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonicns": 5000000000, "clocksynced": true, "sequence": 5, "data": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1800000000000000000}}}');
INSERT INTO "events" VALUES('toledo','CR-01','CR-01/b1/status-5',NULL,'b1','status','status','2027-01-15T08:00:05.000000Z',5000000000,1,'lost',NULL,NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "CR-01/b1/status-5", "source": "/toledo/CR-01", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 5000000000, "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO "events" VALUES('toledo','CR-02','CR-02/b1/status-5',NULL,'b1','status','status','2027-01-15T08:00:05.000000Z',5000000000,1,'lost',NULL,NULL,NULL,NULL,NULL,'{"specversion": "1.0", "id": "CR-02/b1/status-5", "source": "/toledo/CR-02", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonicns": 5000000000, "clocksynced": true, "data": {"state": "lost"}}');
CREATE TABLE given_up (
        site TEXT NOT NULL, table_id TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (site, table_id, first));
CREATE TABLE latest (
        site TEXT NOT NULL, table_id TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, delivered BIGINT NOT NULL,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id));
CREATE TABLE leases (
        name TEXT PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL);
CREATE TABLE whole (
        site TEXT NOT NULL, table_id TEXT NOT NULL, up_to BIGINT NOT NULL, PRIMARY KEY (site, table_id));
CREATE INDEX events_in_order ON events (site, table_id, sequence);
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_by_name ON events (kind, name);
COMMIT;
