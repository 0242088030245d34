-- Written by: keeper. Up to this intent the settlement of orders has looked at what became of each for good (stock/keeper/settlement-failures.ts):
-- a leadership begins behind it, not at the first one ever made. It stands beside the intents, so a database that loses some loses it with them.
create table settlement_marks (
  chain_id bigint primary key,
  intent_id bigint not null
);
