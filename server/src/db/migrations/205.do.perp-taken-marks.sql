-- A resting order changes also by what others do: by a trade that takes it, and by the claim of another order at its tick, since
-- whoever claims first has what was taken. No event names it, so every open order that such an execution can have changed is marked
-- (migration 175), also when the execution is undone. perp/streams/publish.ts asks the contract how much of it is taken.
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
    union all
    select chain_id, instrument, expiry, sign(size_wad), price_wad * (1 - margin), price_wad * (1 + margin)
    from changed where kind = 'fill'
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

-- Open orders were told without it before.
insert into perp_stream_marks (chain_id, trader, kind, subject)
select chain_id, trader, 'order', order_id::text from perp_orders where status = 'open'
order by placed_at_sec, block_number, place_tx_hash, place_index_in_tx;
