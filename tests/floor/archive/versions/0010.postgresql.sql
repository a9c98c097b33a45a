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
CREATE TABLE public.event_blocks (
    table_ref integer NOT NULL,
    boot_ref integer NOT NULL,
    block bigint NOT NULL,
    month integer NOT NULL
);
CREATE TABLE public.event_boots (
    boot_ref integer NOT NULL,
    boot text NOT NULL
);
ALTER TABLE public.event_boots ALTER COLUMN boot_ref ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_boots_boot_ref_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.event_citations (
    table_ref integer NOT NULL,
    sequence bigint NOT NULL,
    cited_by bigint NOT NULL
);
CREATE TABLE public.event_rows (
    monotonic_ns bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    sequence bigint,
    table_ref integer NOT NULL,
    boot_ref integer NOT NULL,
    sort_ref integer NOT NULL,
    month integer NOT NULL,
    form smallint NOT NULL,
    synced boolean NOT NULL,
    id text NOT NULL,
    "time" text NOT NULL,
    body text NOT NULL
)
PARTITION BY LIST (month);
CREATE TABLE public.event_rows_lasting (
    monotonic_ns bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    sequence bigint,
    table_ref integer NOT NULL,
    boot_ref integer NOT NULL,
    sort_ref integer NOT NULL,
    month integer NOT NULL,
    form smallint NOT NULL,
    synced boolean NOT NULL,
    id text NOT NULL,
    "time" text NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.event_sorts (
    sort_ref integer NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    subtopic text NOT NULL,
    name text,
    device text,
    severity text,
    raised boolean,
    partial boolean,
    earlier boolean,
    void text
);
ALTER TABLE public.event_sorts ALTER COLUMN sort_ref ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_sorts_sort_ref_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.event_tables (
    table_ref integer NOT NULL,
    site text NOT NULL,
    table_id text NOT NULL
);
ALTER TABLE public.event_tables ALTER COLUMN table_ref ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_tables_table_ref_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE VIEW public.events AS
 SELECT t.site,
    t.table_id,
        CASE
            WHEN (r.id = ''::text) THEN ((((t.table_id || '/'::text) || b.boot) || '/'::text) || r.sequence)
            ELSE r.id
        END AS id,
    r.sequence,
    b.boot,
    s.kind,
    s.subtopic,
    r.at,
    r.monotonic_ns,
    r.synced,
    s.name,
    s.device,
    s.severity,
    s.raised,
    s.partial,
    s.earlier,
    s.void,
        CASE r.form
            WHEN 0 THEN r.body
            WHEN 1 THEN (((((((((((((((((((((('{"specversion":"1.0","id":"'::text || t.table_id) || '/'::text) || b.boot) || '/'::text) || r.sequence) || '","source":"/'::text) || t.site) || '/'::text) || t.table_id) || '","type":"pitwatch.'::text) || s.kind) || '.v1","time":"'::text) ||
            CASE
                WHEN (r."time" = ''::text) THEN to_char((r.at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text)
                ELSE r."time"
            END) || '","datacontenttype":"application/json","bootid":"'::text) || b.boot) || '","monotonic":"'::text) || r.monotonic_ns) || '","clocksynced":'::text) ||
            CASE
                WHEN r.synced THEN 'true'::text
                ELSE 'false'::text
            END) || ',"sequence":'::text) || r.sequence) || r.body)
            WHEN 2 THEN (((((((((((((((((((((((('{"specversion":"1.0","id":"'::text || t.table_id) || '/'::text) || b.boot) || '/'::text) || r.sequence) || '","source":"/'::text) || t.site) || '/'::text) || t.table_id) || '","type":"pitwatch.'::text) || s.kind) || '.v1","time":"'::text) ||
            CASE
                WHEN (r."time" = ''::text) THEN to_char((r.at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text)
                ELSE r."time"
            END) || '","datacontenttype":"application/json","bootid":"'::text) || b.boot) || '","monotonic":"'::text) || r.monotonic_ns) || '","clocksynced":'::text) ||
            CASE
                WHEN r.synced THEN 'true'::text
                ELSE 'false'::text
            END) || ',"sequence":'::text) || r.sequence) || ',"data":'::text) || r.body) || '}'::text)
            ELSE (((((((((((((((((((((((((((((('{"specversion":"1.0","id":"'::text || t.table_id) || '/'::text) || b.boot) || '/'::text) || r.sequence) || '","source":"/'::text) || t.site) || '/'::text) || t.table_id) || '","type":"pitwatch.'::text) || s.kind) || '.v1","time":"'::text) ||
            CASE
                WHEN (r."time" = ''::text) THEN to_char((r.at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text)
                ELSE r."time"
            END) || '","datacontenttype":"application/json","bootid":"'::text) || b.boot) || '","monotonic":"'::text) || r.monotonic_ns) || '","clocksynced":'::text) ||
            CASE
                WHEN r.synced THEN 'true'::text
                ELSE 'false'::text
            END) || ',"sequence":'::text) || r.sequence) || ',"data":{"t":'::text) || substr(r.body, 1, (strpos(r.body, '|'::text) - 1))) || ',"device":"'::text) || s.device) || '","event":"'::text) || s.name) || '","data":'::text) || substr(r.body, (strpos(r.body, '|'::text) + 1))) || '}}'::text)
        END AS payload,
    r.table_ref
   FROM (((public.event_rows r
     JOIN public.event_tables t ON ((t.table_ref = r.table_ref)))
     JOIN public.event_boots b ON ((b.boot_ref = r.boot_ref)))
     JOIN public.event_sorts s ON ((s.sort_ref = r.sort_ref)));
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
CREATE TABLE public.notify_groups (
    receiver text NOT NULL,
    topic text NOT NULL,
    until double precision NOT NULL,
    left_out bigint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    notice text NOT NULL
);
CREATE TABLE public.notify_outbox (
    receiver text NOT NULL,
    id text NOT NULL,
    due double precision NOT NULL,
    made double precision NOT NULL,
    attempts bigint NOT NULL,
    given_up boolean NOT NULL,
    reason text NOT NULL,
    notice text NOT NULL
);
CREATE TABLE public.notify_receivers (
    receiver text NOT NULL,
    since bigint NOT NULL,
    number bigint NOT NULL
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
CREATE TABLE public.removed (
    table_ref integer NOT NULL,
    boot_ref integer NOT NULL,
    kind text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    records bigint NOT NULL,
    began timestamp with time zone NOT NULL,
    ended timestamp with time zone NOT NULL,
    at timestamp with time zone NOT NULL,
    rule text NOT NULL
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
ALTER TABLE ONLY public.event_rows ATTACH PARTITION public.event_rows_lasting FOR VALUES IN (0);
INSERT INTO public.archive_steps VALUES ('0010');
INSERT INTO public.archive_version VALUES (6);
INSERT INTO public.archive_version VALUES (8);
INSERT INTO public.archive_version VALUES (9);
INSERT INTO public.archive_version VALUES (10);
INSERT INTO public.clocks VALUES ('toledo', 'BJ-01', 'c', 5, 1800000000000000000);
INSERT INTO public.event_blocks VALUES (1, 2, 0, 0);
INSERT INTO public.event_blocks VALUES (4, 1, 0, 0);
INSERT INTO public.event_boots OVERRIDING SYSTEM VALUE VALUES (1, 'b1');
INSERT INTO public.event_boots OVERRIDING SYSTEM VALUE VALUES (2, 'c');
INSERT INTO public.event_rows_lasting VALUES (1000000000, '2027-01-15 08:00:01+00', 1, 1, 2, 3, 0, 0, false, '', '', '{"specversion": "1.0", "id": "BJ-01/c/1", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:01.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "1000000000", "clocksynced": false, "sequence": 1, "data": {"round": 1, "game": "g", "partial": true, "void": null}}');
INSERT INTO public.event_rows_lasting VALUES (2000000000, '2027-01-15 08:00:02+00', 2, 1, 2, 3, 0, 0, false, '', '', '{"specversion": "1.0", "id": "BJ-01/c/2", "source": "/toledo/BJ-01", "type": "pitwatch.round.v1", "time": "1970-01-01T00:00:02.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "2000000000", "clocksynced": false, "sequence": 2, "data": {"round": 2, "game": "g", "partial": true, "void": null}}');
INSERT INTO public.event_rows_lasting VALUES (5000000000, '2027-01-15 08:00:05+00', 5, 1, 2, 6, 0, 0, true, '', '', '{"specversion": "1.0", "id": "BJ-01/c/5", "source": "/toledo/BJ-01", "type": "pitwatch.system.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "c", "monotonic": "5000000000", "clocksynced": true, "sequence": 5, "data": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1800000000000000000}}}');
INSERT INTO public.event_rows_lasting VALUES (5000000000, '2027-01-15 09:00:00+00', NULL, 2, 1, 4, 0, 0, true, 'CR-01/b1/status-5', '', '{"specversion": "1.0", "id": "CR-01/b1/status-5", "source": "/toledo/CR-01", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO public.event_rows_lasting VALUES (5000000000, '2027-01-15 09:00:00+00', NULL, 3, 1, 1, 0, 0, true, 'CR-02/b1/status-5', '', '{"specversion": "1.0", "id": "CR-02/b1/status-5", "source": "/toledo/CR-02", "type": "pitwatch.status.v1", "time": "2027-01-15T08:00:05.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "5000000000", "clocksynced": true, "data": {"state": "lost"}}');
INSERT INTO public.event_rows_lasting VALUES (40000000000, '2027-01-15 08:00:40+00', 1, 4, 1, 7, 0, 0, true, '', '', '{"specversion": "1.0", "id": "RL-07/b1/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:00:40.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "40000000000", "clocksynced": true, "sequence": 1, "data": {"round": 1, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO public.event_rows_lasting VALUES (80000000000, '2027-01-15 08:01:20+00', 2, 4, 1, 7, 0, 0, true, '', '', '{"specversion": "1.0", "id": "RL-07/b1/2", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "time": "2027-01-15T08:01:20.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "80000000000", "clocksynced": true, "sequence": 2, "data": {"round": 2, "game": "toledo-2020/roulette", "partial": false, "void": null}}');
INSERT INTO public.event_rows_lasting VALUES (90500000000, '2027-01-15 08:01:30.5+00', 3, 4, 1, 2, 0, 0, true, '', '', '{"specversion": "1.0", "id": "RL-07/b1/3", "source": "/toledo/RL-07", "type": "pitwatch.irregularity.v1", "time": "2027-01-15T08:01:30.500000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "90500000000", "clocksynced": true, "sequence": 3, "data": {"rule": "toledo-2020/roulette/late-no-more-bets", "category": "procedure", "severity": "warning", "round": 1}}');
INSERT INTO public.event_rows_lasting VALUES (95000000000, '2027-01-15 08:01:35+00', 4, 4, 1, 5, 0, 0, true, '', '', '{"specversion": "1.0", "id": "RL-07/b1/4", "source": "/toledo/RL-07", "type": "pitwatch.device.v1", "time": "2027-01-15T08:01:35.000000Z", "datacontenttype": "application/json", "bootid": "b1", "monotonic": "95000000000", "clocksynced": true, "sequence": 4, "data": {"device": "wheel", "state": "offline", "since": 95}}');
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (1, '9683d4102f1328bcad1ffe26db58f2eef489877728f3a29e670fb1408431f4c0', 'status', 'status', 'lost', NULL, NULL, NULL, NULL, false, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (2, 'bb9fe75ca99486e9dc126edbb42475c0245ccd48be85d84415d585bff3a70a11', 'irregularity', 'irregularity/warning', 'toledo-2020/roulette/late-no-more-bets', NULL, 'warning', NULL, NULL, NULL, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (3, '45a8f97eaef3106ef76381f1f45ac02abf6a923e16aadbf852744d5e5a65e724', 'round', 'round', 'g', NULL, NULL, NULL, true, NULL, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (4, '2e5825775d1f38b12bd519fc710d4bcac40082705bd0297d48346447a9c918c4', 'status', 'status', 'lost', NULL, NULL, NULL, NULL, true, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (5, 'b8e4c3beb6ba43d641e4a3a8f418fffec6cbc479a0f0fae024183416ef525dcb', 'device', 'device/wheel', 'offline', 'wheel', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (6, '107ba1c4dc02934aa7cc5035f7970574cd20a2f0f3c02ab9d04f9af1fb9ab26d', 'system', 'system', 'clock_set', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event_sorts OVERRIDING SYSTEM VALUE VALUES (7, '3d8f43aae2e1280f300b7bd3de420fa7383973a2d7e223a718c4513b39338559', 'round', 'round', 'toledo-2020/roulette', NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.event_tables OVERRIDING SYSTEM VALUE VALUES (1, 'toledo', 'BJ-01');
INSERT INTO public.event_tables OVERRIDING SYSTEM VALUE VALUES (2, 'toledo', 'CR-01');
INSERT INTO public.event_tables OVERRIDING SYSTEM VALUE VALUES (3, 'toledo', 'CR-02');
INSERT INTO public.event_tables OVERRIDING SYSTEM VALUE VALUES (4, 'toledo', 'RL-07');
INSERT INTO public.runs VALUES ('toledo', 'RL-07', 'b1', 1, 4, 1800000001, 1800000040, 0, 0, false, false, '', NULL, NULL, NULL);
SELECT pg_catalog.setval('public.event_boots_boot_ref_seq', 2, true);
SELECT pg_catalog.setval('public.event_sorts_sort_ref_seq', 7, true);
SELECT pg_catalog.setval('public.event_tables_table_ref_seq', 4, true);
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
ALTER TABLE ONLY public.event_blocks
    ADD CONSTRAINT event_blocks_pkey PRIMARY KEY (table_ref, boot_ref, block);
ALTER TABLE ONLY public.event_boots
    ADD CONSTRAINT event_boots_boot_key UNIQUE (boot);
ALTER TABLE ONLY public.event_boots
    ADD CONSTRAINT event_boots_pkey PRIMARY KEY (boot_ref);
ALTER TABLE ONLY public.event_citations
    ADD CONSTRAINT event_citations_pkey PRIMARY KEY (table_ref, sequence, cited_by);
ALTER TABLE ONLY public.event_sorts
    ADD CONSTRAINT event_sorts_key_key UNIQUE (key);
ALTER TABLE ONLY public.event_sorts
    ADD CONSTRAINT event_sorts_pkey PRIMARY KEY (sort_ref);
ALTER TABLE ONLY public.event_tables
    ADD CONSTRAINT event_tables_pkey PRIMARY KEY (table_ref);
ALTER TABLE ONLY public.event_tables
    ADD CONSTRAINT event_tables_site_table_id_key UNIQUE (site, table_id);
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
ALTER TABLE ONLY public.notify_groups
    ADD CONSTRAINT notify_groups_pkey PRIMARY KEY (receiver, topic);
ALTER TABLE ONLY public.notify_outbox
    ADD CONSTRAINT notify_outbox_pkey PRIMARY KEY (receiver, id);
ALTER TABLE ONLY public.notify_receivers
    ADD CONSTRAINT notify_receivers_pkey PRIMARY KEY (receiver);
ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_pkey PRIMARY KEY (manifest, at);
ALTER TABLE ONLY public.put_aside
    ADD CONSTRAINT put_aside_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.removed
    ADD CONSTRAINT removed_pkey PRIMARY KEY (table_ref, boot_ref, kind, at);
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
CREATE INDEX event_rows_by_sort ON ONLY public.event_rows USING btree (sort_ref, at);
CREATE INDEX event_rows_by_time ON ONLY public.event_rows USING brin (at timestamptz_minmax_multi_ops);
CREATE INDEX event_rows_lasting_at_idx ON public.event_rows_lasting USING brin (at timestamptz_minmax_multi_ops);
CREATE INDEX event_rows_lasting_sort_ref_at_idx ON public.event_rows_lasting USING btree (sort_ref, at);
CREATE INDEX event_rows_unsynced ON ONLY public.event_rows USING btree (table_ref, boot_ref) WHERE (NOT synced);
CREATE INDEX event_rows_lasting_table_ref_boot_ref_idx ON public.event_rows_lasting USING btree (table_ref, boot_ref) WHERE (NOT synced);
CREATE UNIQUE INDEX event_rows_states ON ONLY public.event_rows USING btree (table_ref, id, month) WHERE (id <> ''::text);
CREATE UNIQUE INDEX event_rows_lasting_table_ref_id_month_idx ON public.event_rows_lasting USING btree (table_ref, id, month) WHERE (id <> ''::text);
CREATE UNIQUE INDEX event_rows_once ON ONLY public.event_rows USING btree (table_ref, sequence, boot_ref, month);
CREATE UNIQUE INDEX event_rows_lasting_table_ref_sequence_boot_ref_month_idx ON public.event_rows_lasting USING btree (table_ref, sequence, boot_ref, month);
CREATE INDEX event_sorts_by_name ON public.event_sorts USING btree (kind, name);
CREATE INDEX removed_up_to ON public.removed USING btree (table_ref, boot_ref, kind, last);
CREATE INDEX stamped_heads_by_table ON public.stamped_heads USING btree (site, table_id, sequence);
CREATE INDEX tree_heads_new ON public.tree_heads USING btree (site, table_id) WHERE (verdict IS NULL);
ALTER INDEX public.event_rows_by_time ATTACH PARTITION public.event_rows_lasting_at_idx;
ALTER INDEX public.event_rows_by_sort ATTACH PARTITION public.event_rows_lasting_sort_ref_at_idx;
ALTER INDEX public.event_rows_unsynced ATTACH PARTITION public.event_rows_lasting_table_ref_boot_ref_idx;
ALTER INDEX public.event_rows_states ATTACH PARTITION public.event_rows_lasting_table_ref_id_month_idx;
ALTER INDEX public.event_rows_once ATTACH PARTITION public.event_rows_lasting_table_ref_sequence_boot_ref_month_idx;
