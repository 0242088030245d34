-- The undo log is written by triggers on the chain-derived tables, so that no handler can forget it. It holds what is
-- needed to take back every block that is not final yet.
create table undo_log (
  chain_id bigint not null,
  block_number bigint not null,
  -- Order of the SQL statements that changed rows; undone from the highest down.
  statement bigint not null,
  ordinal bigint not null,
  table_name text not null,
  operation text not null check (operation in ('INSERT', 'UPDATE', 'DELETE')),
  -- The old row; for an insert the new row's primary key.
  row_image jsonb not null,
  primary key (chain_id, block_number, statement, ordinal)
);

create sequence undo_statement;

-- The setting `bourse.block` is '<chain id>/<block number>/<mode>' for the length of a transaction:
--   record  the changes belong to that block and are written to the undo log,
--   final   the block cannot be reorganised away: nothing to record,
--   undo    the changes take a block back.
create function undo_block() returns text[] language plpgsql stable as $$
declare
  setting text := current_setting('bourse.block', true);
begin
  if coalesce(setting, '') = '' then
    raise exception 'chain-derived tables are written only while a block is applied'
      using errcode = 'object_not_in_prerequisite_state', hint = 'The indexer is the one writer of these tables.';
  end if;
  return string_to_array(setting, '/');
end
$$;

-- The trigger's arguments are the columns of the table's primary key.
create function undo_record() returns trigger language plpgsql as $$
declare
  block text[] := undo_block();
  this_statement bigint;
begin
  if block[3] <> 'record' then
    return null;
  end if;
  this_statement := nextval('undo_statement');
  if tg_op = 'INSERT' then
    insert into undo_log (chain_id, block_number, statement, ordinal, table_name, operation, row_image)
    select block[1]::bigint, block[2]::bigint, this_statement, row_number() over (), tg_table_name, tg_op,
           (select jsonb_object_agg(k, i.image -> k) from unnest(tg_argv) k)
    from (select to_jsonb(r) as image from new_rows r) i;
  else
    insert into undo_log (chain_id, block_number, statement, ordinal, table_name, operation, row_image)
    select block[1]::bigint, block[2]::bigint, this_statement, row_number() over (), tg_table_name, tg_op, to_jsonb(r)
    from old_rows r;
  end if;
  return null;
end
$$;

create function undo_refuse() returns trigger language plpgsql as $$
begin
  raise exception '% of table % cannot be undone', tg_argv[0], tg_table_name
    using errcode = 'feature_not_supported';
end
$$;
