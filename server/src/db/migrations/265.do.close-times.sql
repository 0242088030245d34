-- Written by: keeper. Of when the close is that a quote is compared with: shares may have been split long before the trade date of the quote.

alter table market_quotes
  -- Until when the last price of the trade date before holds as it stands; null where it has no date, or is from before this migration.
  add column previous_close_time timestamptz;

-- The last instant of a trade date, of which its close is: splits of the next one come after it.
create function market_close_time(trade_date date) returns timestamptz language sql stable as $$
  select (trade_date + case (select kept from market_hours) when 'calendar' then interval '20 hours' else interval '24 hours' end)
    at time zone 'America/New_York' - interval '1 microsecond'
$$;
