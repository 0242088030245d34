-- Under which Idempotency-Key the first request came, empty where it had none: it is not signed, and two requests that differ in it alone
-- are two that were meant, of which one must not be taken for the other. Null of requests before this migration.
alter table first_answers add column idempotency_key text;
