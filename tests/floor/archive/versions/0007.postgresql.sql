CREATE TABLE public.archive_steps (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.archive_version (
    version integer NOT NULL
);
CREATE TABLE public.case_changes (
    number bigint NOT NULL,
    case_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    other bigint,
    source text,
    body text NOT NULL,
    hash text NOT NULL
);
CREATE TABLE public.case_heads (
    size bigint NOT NULL,
    key text NOT NULL,
    note text NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.cases (
    case_id bigint NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL,
    subject text NOT NULL,
    state text NOT NULL,
    newest bigint NOT NULL
);
CREATE TABLE public.clocks (
    site text NOT NULL,
    table_id text NOT NULL,
    boot text NOT NULL,
    sequence bigint NOT NULL,
    offset_ns bigint NOT NULL
);
CREATE TABLE public.cosignatures (
    origin text NOT NULL,
    key text NOT NULL,
    witness text NOT NULL,
    size bigint NOT NULL,
    root text NOT NULL,
    note text NOT NULL,
    at timestamp with time zone NOT NULL,
    told boolean NOT NULL
);
CREATE TABLE public.events (
    site text NOT NULL,
    table_id text NOT NULL,
    id text NOT NULL,
    sequence bigint,
    boot text NOT NULL,
    kind text NOT NULL,
    subtopic text NOT NULL,
    at timestamp with time zone NOT NULL,
    monotonic_ns bigint NOT NULL,
    synced boolean NOT NULL,
    name text,
    device text,
    severity text,
    raised boolean,
    partial boolean,
    earlier boolean,
    void text,
    payload text NOT NULL
);
CREATE TABLE public.given_up (
    site text NOT NULL,
    table_id text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.heads (
    site text NOT NULL,
    table_id text NOT NULL,
    key text NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL
);
CREATE TABLE public.latest (
    site text NOT NULL,
    table_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    delivered bigint NOT NULL,
    payload text NOT NULL
);
CREATE TABLE public.leases (
    name text NOT NULL,
    holder text NOT NULL,
    until double precision NOT NULL
);
CREATE TABLE public.not_stamped (
    authority text NOT NULL,
    since timestamp with time zone NOT NULL,
    at timestamp with time zone NOT NULL,
    times bigint NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.packages (
    manifest text NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL,
    sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    entry text NOT NULL
);
CREATE TABLE public.put_aside (
    digest text NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL,
    topic text NOT NULL,
    at timestamp with time zone NOT NULL,
    trouble text NOT NULL,
    reason text NOT NULL,
    message bytea NOT NULL
);
CREATE TABLE public.runs (
    site text NOT NULL,
    table_id text NOT NULL,
    boot text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    met double precision NOT NULL,
    began double precision NOT NULL,
    committed bigint NOT NULL,
    refused bigint NOT NULL,
    aside boolean NOT NULL,
    below boolean NOT NULL,
    key text NOT NULL,
    claim_sequence bigint,
    claim_boot text,
    claim_last bigint
);
CREATE TABLE public.stamped_heads (
    digest text NOT NULL,
    "position" bigint NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL,
    key text NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    head text NOT NULL,
    path text NOT NULL
);
CREATE TABLE public.stamps (
    digest text NOT NULL,
    at timestamp with time zone NOT NULL,
    hour text NOT NULL,
    authority text NOT NULL,
    stamped text NOT NULL,
    reply bytea NOT NULL
);
CREATE TABLE public.tree_heads (
    site text NOT NULL,
    table_id text NOT NULL,
    origin text NOT NULL,
    key text NOT NULL,
    size bigint NOT NULL,
    root text NOT NULL,
    note text NOT NULL,
    boot text NOT NULL,
    at double precision NOT NULL,
    verdict text
);
CREATE TABLE public.troubles (
    site text NOT NULL,
    table_id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    at timestamp with time zone NOT NULL,
    told text NOT NULL,
    heard text NOT NULL,
    said text NOT NULL,
    over_at timestamp with time zone
);
CREATE TABLE public.unanswered (
    site text NOT NULL,
    table_id text NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.whole (
    site text NOT NULL,
    table_id text NOT NULL,
    up_to bigint NOT NULL
);
CREATE TABLE public.witness_heads (
    origin text NOT NULL,
    key text NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL,
    size bigint NOT NULL,
    root text NOT NULL,
    note text NOT NULL,
    at timestamp with time zone NOT NULL
);
INSERT INTO public.archive_steps VALUES ('0007');
INSERT INTO public.archive_version VALUES (6);
INSERT INTO public.archive_version VALUES (7);
INSERT INTO public.clocks VALUES ('toledo', 'BJ-01', 'c', 5, 1800000000000000000);
INSERT INTO public.events VALUES ('toledo', 'BJ-01', 'BJ-01/c/5', 5, 'c', 'system', 'system', '2027-01-15 08:00:05+00', 5000000000, true, 'clock_set', NULL, NULL, NULL, NULL, NULL, NULL, '{"specversion": "1.0", "id": "BJ-01/c/5", "source": "/toledo/BJ-01", "type": "pitwatch.system.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "5000000000", "clocksynced": true, "sequence": 5, "data": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1800000000000000000}}}');
INSERT INTO public.events VALUES ('toledo', 'CR-01', 'CR-01/b1/status-5', NULL, 'b1', 'status', 'status', '2027-01-15 09:00:00+00', 5000000000, true, 'lost', NULL, NULL, NULL, NULL, true, NULL, '{"specversion": "1.0", "id": "CR-01/b1/status-5", "source": "/toledo/CR-01", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO public.events VALUES ('toledo', 'CR-02', 'CR-02/b1/status-5', NULL, 'b1', 'status', 'status', '2027-01-15 09:00:00+00', 5000000000, true, 'lost', NULL, NULL, NULL, NULL, false, NULL, '{"specversion": "1.0", "id": "CR-02/b1/status-5", "source": "/toledo/CR-02", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO public.events VALUES ('toledo', 'RL-07', 'RL-07/b1/1', 1, 'b1', 'round', 'round', '2027-01-15 08:00:40+00', 40000000000, true, 'toledo-2020/roulette', NULL, NULL, NULL, false, NULL, NULL, '{"specversion": "1.0", "id": "RL-07/b1/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:00:40.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "40000000000", "clocksynced": true, "sequence": 1, "data": {"round": 1, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO public.events VALUES ('toledo', 'RL-07', 'RL-07/b1/2', 2, 'b1', 'round', 'round', '2027-01-15 08:01:20+00', 80000000000, true, 'toledo-2020/roulette', NULL, NULL, NULL, false, NULL, NULL, '{"specversion": "1.0", "id": "RL-07/b1/2", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:01:20.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "80000000000", "clocksynced": true, "sequence": 2, "data": {"round": 2, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO public.events VALUES ('toledo', 'RL-07', 'RL-07/b1/3', 3, 'b1', 'irregularity', 'irregularity/warning', '2027-01-15 08:01:30.5+00', 90500000000, true, 'toledo-2020/roulette/late-no-more-bets', NULL, 'warning', NULL, NULL, NULL, NULL, '{"specversion": "1.0", "id": "RL-07/b1/3", "source": "/toledo/RL-07", "type": "pitwatch.irregularity.v1", "time": "2027-01-15T08:01:30.500000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "90500000000", "clocksynced": true, "sequence": 3, "data": {"rule": "toledo-2020/roulette/late-no-more-bets", "category": "procedure", "severity": "warning", "round": 1}}');
INSERT INTO public.events VALUES ('toledo', 'RL-07', 'RL-07/b1/4', 4, 'b1', 'device', 'device/wheel', '2027-01-15 08:01:35+00', 95000000000, true, 'offline', 'wheel', NULL, NULL, NULL, NULL, NULL, '{"specversion": "1.0", "id": "RL-07/b1/4", "source": "/toledo/RL-07", "type": "pitwatch.device.v1", "time": "2027-01-15T08:01:35.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "95000000000", "clocksynced": true, "sequence": 4, "data": {"device": "wheel", "state": "offline", "since": 95}}');
INSERT INTO public.events VALUES ('toledo', 'BJ-01', 'BJ-01/c/1', 1, 'c', 'round', 'round', '2027-01-15 08:00:01+00', 1000000000, false, 'g', NULL, NULL, NULL, true, NULL, NULL, '{"specversion": "1.0", "id": "BJ-01/c/1", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:01.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "1000000000", "clocksynced": false, "sequence": 1, "data": {"round": 1, "game": "g", "partial": true, "void": null}}');
INSERT INTO public.events VALUES ('toledo', 'BJ-01', 'BJ-01/c/2', 2, 'c', 'round', 'round', '2027-01-15 08:00:02+00', 2000000000, false, 'g', NULL, NULL, NULL, true, NULL, NULL, '{"specversion": "1.0", "id": "BJ-01/c/2", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:02.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "2000000000", "clocksynced": false, "sequence": 2, "data": {"round": 2, "game": "g", "partial": true, "void": null}}');
INSERT INTO public.runs VALUES ('toledo', 'RL-07', 'b1', 1, 4, 1800000001, 1800000040, 0, 0, false, false, '', NULL, NULL, NULL);
ALTER TABLE ONLY public.archive_steps
    ADD CONSTRAINT archive_steps_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.archive_version
    ADD CONSTRAINT archive_version_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.case_changes
    ADD CONSTRAINT case_changes_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.case_changes
    ADD CONSTRAINT case_changes_source_key UNIQUE (source);
ALTER TABLE ONLY public.case_heads
    ADD CONSTRAINT case_heads_pkey PRIMARY KEY (size, key);
ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_pkey PRIMARY KEY (case_id);
ALTER TABLE ONLY public.clocks
    ADD CONSTRAINT clocks_pkey PRIMARY KEY (site, table_id, boot);
ALTER TABLE ONLY public.cosignatures
    ADD CONSTRAINT cosignatures_pkey PRIMARY KEY (origin, key, witness, size, root);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (site, table_id, id);
ALTER TABLE ONLY public.given_up
    ADD CONSTRAINT given_up_pkey PRIMARY KEY (site, table_id, first);
ALTER TABLE ONLY public.heads
    ADD CONSTRAINT heads_pkey PRIMARY KEY (site, table_id, key, sequence);
ALTER TABLE ONLY public.latest
    ADD CONSTRAINT latest_pkey PRIMARY KEY (site, table_id);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.not_stamped
    ADD CONSTRAINT not_stamped_pkey PRIMARY KEY (authority);
ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_pkey PRIMARY KEY (manifest, at);
ALTER TABLE ONLY public.put_aside
    ADD CONSTRAINT put_aside_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (site, table_id, boot);
ALTER TABLE ONLY public.stamped_heads
    ADD CONSTRAINT stamped_heads_pkey PRIMARY KEY (digest, "position");
ALTER TABLE ONLY public.stamps
    ADD CONSTRAINT stamps_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.tree_heads
    ADD CONSTRAINT tree_heads_pkey PRIMARY KEY (site, table_id, key, size, root);
ALTER TABLE ONLY public.troubles
    ADD CONSTRAINT troubles_pkey PRIMARY KEY (site, table_id, kind, subject);
ALTER TABLE ONLY public.unanswered
    ADD CONSTRAINT unanswered_pkey PRIMARY KEY (site, table_id);
ALTER TABLE ONLY public.whole
    ADD CONSTRAINT whole_pkey PRIMARY KEY (site, table_id);
ALTER TABLE ONLY public.witness_heads
    ADD CONSTRAINT witness_heads_pkey PRIMARY KEY (origin, key);
CREATE INDEX case_changes_by_case ON public.case_changes USING btree (case_id, number);
CREATE INDEX case_changes_by_link ON public.case_changes USING btree (other) WHERE (other IS NOT NULL);
CREATE INDEX case_changes_by_time ON public.case_changes USING btree (at);
CREATE INDEX cases_by_subject ON public.cases USING btree (subject, case_id);
CREATE INDEX cases_open ON public.cases USING btree (case_id) WHERE (state <> 'closed'::text);
CREATE INDEX cosignatures_untold ON public.cosignatures USING btree (origin, key) WHERE (NOT told);
CREATE INDEX events_by_name ON public.events USING btree (kind, name);
CREATE INDEX events_by_time ON public.events USING btree (at);
CREATE INDEX events_in_order ON public.events USING btree (site, table_id, sequence);
CREATE INDEX stamped_heads_by_table ON public.stamped_heads USING btree (site, table_id, sequence);
CREATE INDEX tree_heads_new ON public.tree_heads USING btree (site, table_id) WHERE (verdict IS NULL);
