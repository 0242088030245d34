-- As in 205. An order that ends in the blocks in which it is placed is written once, ended, and taken back by being deleted.
create or replace function perp_stream_mark_tick() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  select distinct o.chain_id, o.trader, 'order', o.order_id::text
  from changed c join perp_orders o
    on o.chain_id = c.chain_id and o.instrument = c.instrument and o.expiry = c.expiry and o.tick = c.tick and o.status = 'open'
  where tg_op = 'UPDATE' or c.status <> 'open';
  return null;
end
$$;
create trigger stream_mark_tick_of_new after insert on perp_orders
  referencing new table as changed for each statement execute function perp_stream_mark_tick();
create trigger stream_mark_tick_of_old after delete on perp_orders
  referencing old table as changed for each statement execute function perp_stream_mark_tick();
