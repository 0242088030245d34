-- Marks of what has changed (migrations 071 and 175) are made once a statement instead of once a row, since the indexer writes a
-- block's rows of a table together. They come in the order of the rows: messages are told in it.

-- The triggers' arguments are the columns that hold hashes of transactions.
create function stock_stream_mark_rows() returns trigger language plpgsql as $$
declare
  hash_column text;
begin
  foreach hash_column in array tg_argv loop
    execute format(
      'insert into stock_stream_marks (chain_id, tx_hash)
       select chain_id, tx_hash from (select chain_id, %1$I as tx_hash, row_number() over () as nth from changed) rows
       where tx_hash is not null group by chain_id, tx_hash order by min(nth)', hash_column);
  end loop;
  return null;
end
$$;

-- The triggers' arguments are the kind, what separates the parts of a subject, and the columns that it is made of.
create function perp_stream_mark_rows() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into perp_stream_marks (chain_id, trader, kind, subject)
     select chain_id, trader, %1$L, subject from (
       select chain_id, trader, concat_ws(%2$L, %3$s) as subject, row_number() over () as nth from changed
     ) rows group by chain_id, trader, subject order by min(nth)',
    tg_argv[0], tg_argv[1], (select string_agg(quote_ident(name), ', ' order by nth)
      from unnest(tg_argv[2:]) with ordinality columns (name, nth)));
  return null;
end
$$;

-- A row that changes is named as it was and as it is: a reorganisation takes back the name of a cancellation's transaction.
create procedure mark_by_statement(marked text, function_name text, arguments text) language plpgsql as $$
declare
  change text;
begin
  execute format('drop trigger stream_mark on %I', marked);
  foreach change in array array['insert new', 'update old', 'update new', 'delete old'] loop
    execute format(
      'create trigger %I after %s on %I referencing %s table as changed for each statement execute function %I(%s)',
      'stream_mark_' || replace(change, ' ', '_'), split_part(change, ' ', 1), marked, split_part(change, ' ', 2),
      function_name, arguments);
  end loop;
end
$$;

call mark_by_statement('stock_transactions', 'stock_stream_mark_rows', '''tx_hash''');
call mark_by_statement('stock_orders', 'stock_stream_mark_rows', '''create_tx_hash'', ''cancel_tx_hash''');
call mark_by_statement('cash_operations', 'stock_stream_mark_rows', '''create_tx_hash''');
call mark_by_statement('stock_operations', 'stock_stream_mark_rows', '''create_tx_hash''');
call mark_by_statement('perp_orders', 'perp_stream_mark_rows', '''order'', ''-'', ''order_id''');
call mark_by_statement('perp_executions', 'perp_stream_mark_rows', '''execution'', ''-'', ''tx_hash'', ''index_in_tx'', ''kind''');
call mark_by_statement('perp_positions', 'perp_stream_mark_rows', '''position'', ''_'', ''instrument'', ''expiry''');
call mark_by_statement('perp_ranges', 'perp_stream_mark_rows',
  '''range'', ''_'', ''instrument'', ''expiry'', ''tick_lower'', ''tick_upper''');
call mark_by_statement('perp_ledger', 'perp_stream_mark_rows', '''movement'', ''-'', ''tx_hash'', ''index_in_tx'', ''kind''');

drop procedure mark_by_statement;
drop function stock_stream_mark;
drop function perp_stream_mark;
