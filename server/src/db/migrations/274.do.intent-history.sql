-- Written by: keeper. Up to this intent the settlement of orders has looked at what became of each for good (stock/keeper/settlement-failures.ts):
-- a leadership begins behind it, not at the first one ever made. It stands beside the intents, so a database that loses some loses it with them.
create table settlement_marks (
  chain_id bigint primary key,
  intent_id bigint not null
);

-- For what was sent under an ordering key before, final ones too: chores of perpetuals, splits. Years of others are not read for it.
create index tx_intents_of_key on tx_intents (chain_id, ordering_key, id) where ordering_key is not null;
