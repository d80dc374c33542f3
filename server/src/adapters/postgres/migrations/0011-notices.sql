-- What people were told needs attention, for each way they are told, so that they are told once. See docs/adr/0056.
-- Usable from schema 10 on.
CREATE TABLE notices (
  channel text NOT NULL,
  key text NOT NULL,
  id uuid NOT NULL,
  code text NOT NULL,
  fields jsonb NOT NULL,
  path text NOT NULL,
  seen_at timestamptz NOT NULL,
  told_at timestamptz,
  gone_at timestamptz,
  tries integer NOT NULL,
  next_try_at timestamptz NOT NULL,
  PRIMARY KEY (channel, key)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON notices TO codehub_coordinator;
