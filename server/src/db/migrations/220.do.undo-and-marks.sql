-- The triggers of chain-derived tables cost most of what a block costs to write. What they leave is as before.

-- Writes the same undo log as `undo_record`, whose triggers stay until an indexer of this version has put on its own. The arguments are
-- the columns beside the primary key, by what is left when they are taken out of an image: the new row's key, for an insert.
create function undo_record_rows() returns trigger language plpgsql as $$
declare
  block text[] := undo_block();
  this_chain bigint := block[1];
  this_block bigint := block[2];
  this_statement bigint;
begin
  if block[3] <> 'record' then
    return null;
  end if;
  this_statement := nextval('undo_statement');
  if tg_op = 'INSERT' then
    insert into undo_log (chain_id, block_number, statement, ordinal, table_name, operation, row_image)
    select this_chain, this_block, this_statement, row_number() over (), tg_table_name, tg_op,
      to_jsonb(r) - coalesce(tg_argv, '{}')
    from new_rows r;
  else
    insert into undo_log (chain_id, block_number, statement, ordinal, table_name, operation, row_image)
    select this_chain, this_block, this_statement, row_number() over (), tg_table_name, tg_op, to_jsonb(r)
    from old_rows r;
  end if;
  return null;
end
$$;

-- Marks of perpetuals (migrations 175 and 206) are made by a function for each table: one that takes the names of columns has its
-- statement planned each time. A subject follows from the primary key, so that each row has one of its own, and a row that changes keeps it.
create procedure mark_perp_rows(marked text, kind text, subject text) language plpgsql as $$
declare
  change text;
begin
  execute format(
    'create function %I() returns trigger language plpgsql as %L', marked || '_stream_mark', format(
      'begin insert into perp_stream_marks (chain_id, trader, kind, subject) select chain_id, trader, %L, %s from changed; return null; end',
      kind, subject));
  foreach change in array array['insert new', 'update new', 'delete old'] loop
    execute format(
      'create or replace trigger %I after %s on %I referencing %s table as changed for each statement execute function %I()',
      'stream_mark_' || replace(change, ' ', '_'), split_part(change, ' ', 1), marked, split_part(change, ' ', 2), marked || '_stream_mark');
  end loop;
  execute format('drop trigger stream_mark_update_old on %I', marked);
end
$$;

call mark_perp_rows('perp_orders', 'order', 'order_id::text');
call mark_perp_rows('perp_executions', 'execution', 'tx_hash || ''-'' || index_in_tx || ''-'' || kind');
call mark_perp_rows('perp_positions', 'position', 'instrument || ''_'' || expiry');
call mark_perp_rows('perp_ranges', 'range', 'instrument || ''_'' || expiry || ''_'' || tick_lower || ''_'' || tick_upper');
call mark_perp_rows('perp_ledger', 'movement', 'tx_hash || ''-'' || index_in_tx || ''-'' || kind');

drop procedure mark_perp_rows;
drop function perp_stream_mark_rows;
