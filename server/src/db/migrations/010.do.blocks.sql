-- Blocks the indexer has applied, on the chain it follows now. A reorganisation removes the rows of the blocks left.
create table blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  timestamp_sec bigint not null,
  primary key (chain_id, number),
  unique (chain_id, hash)
);

-- How far the indexer is. Moves in the same transaction as the rows of the block it points to.
create table chain_checkpoints (
  chain_id bigint primary key,
  genesis_hash text not null,
  -- The block before the first one indexed: nothing below it is known, and no reorganisation goes below it.
  base_number bigint not null,
  block_number bigint not null,
  block_hash text not null,
  -- Newest block that can no longer be reorganised away; it never moves back.
  final_number bigint not null,
  updated_at timestamptz not null default now()
);

-- What the follower last saw and thinks, for the other roles.
create table follower_status (
  chain_id bigint primary key,
  state text not null check (state in ('catching-up', 'following', 'behind', 'halted')),
  reason text,
  head_number bigint,
  observed_at timestamptz not null
);
