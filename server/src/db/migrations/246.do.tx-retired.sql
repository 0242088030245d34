-- Set by `bourse intents retire`: nobody has this key any more, or somebody else has it too. Nothing is signed with it, and what the chain
-- shows of its address no longer stops the others.
alter table tx_signers add column retired_at timestamptz;
