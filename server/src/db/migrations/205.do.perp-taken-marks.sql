-- A resting order changes also by what others do, and no event names it: a trade takes it, and whoever else leaves its tick takes
-- its size out of what is left there, so that those who stay own what was taken. So every open order that such a change can have
-- reached is marked (migration 175), also when the change is undone. perp/streams/publish.ts asks the contract how much of it is taken.

-- By trades, and by trades that are undone.
create function perp_stream_mark_taken() returns trigger language plpgsql as $$
declare
  -- Prices of ticks are rounded; two ticks more mark an order too many, never one too few.
  margin constant numeric := 0.0002;
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  with reached as (
    -- A short walk takes buys at and above the price that it ends at, a long one sells at and below it.
    select chain_id, instrument, expiry, - sign(size_wad) as side,
      case when size_wad < 0 then min(price) * (1 - margin) else 0 end as lowest,
      case when size_wad > 0 then max(price) * (1 + margin) end as highest
    from (
      select *, sqrt_px96 * sqrt_px96 * 1000000000000000000 / power(2::numeric, 192) as price
      from changed where taken_size_wad <> 0
    ) walk
    group by chain_id, instrument, expiry, sign(size_wad), size_wad < 0, size_wad > 0
  )
  select distinct o.chain_id, o.trader, 'order', o.order_id::text
  from reached r join perp_orders o
    on o.chain_id = r.chain_id and o.instrument = r.instrument and o.expiry = r.expiry and o.status = 'open'
  where sign(o.size_wad) = r.side and o.price_wad >= r.lowest and (r.highest is null or o.price_wad <= r.highest);
  return null;
end
$$;
create trigger stream_mark_taken after insert on perp_executions
  referencing new table as changed for each statement execute function perp_stream_mark_taken();
create trigger stream_mark_untaken after delete on perp_executions
  referencing old table as changed for each statement execute function perp_stream_mark_taken();

-- By orders that end, and by a reorganisation that opens them again.
create function perp_stream_mark_tick() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  select distinct o.chain_id, o.trader, 'order', o.order_id::text
  from changed c join perp_orders o
    on o.chain_id = c.chain_id and o.instrument = c.instrument and o.expiry = c.expiry and o.tick = c.tick and o.status = 'open';
  return null;
end
$$;
create trigger stream_mark_tick after update on perp_orders
  referencing new table as changed for each statement execute function perp_stream_mark_tick();

-- Open orders were told without it before.
insert into perp_stream_marks (chain_id, trader, kind, subject)
select chain_id, trader, 'order', order_id::text from perp_orders where status = 'open'
order by placed_at_sec, block_number, place_tx_hash, place_index_in_tx;
