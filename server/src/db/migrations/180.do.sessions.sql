-- The key whose records a session's key shares, so that a wallet that signs in again sees what it did before: the wallet's
-- oldest key when its first session was opened, the session itself where there was none. Null for every key that is no session.
alter table api_keys add column history_key text references api_keys (api_key);
