-- Written by: keeper. The steps in which a symbol's shares are traded, and which applied splits its quote has taken in.

alter table market_symbols
  -- Prices of a share are multiples of this.
  add column price_step8 numeric(78, 0) not null default 1000000 check (price_step8 > 0),
  -- The broker trades quantities of shares, and notionals in USD, in multiples of these.
  add column quantity_step_wad numeric(78, 0) not null default 1000000000 check (quantity_step_wad > 0),
  add column notional_step_wad numeric(78, 0) not null default 1000000000 check (notional_step_wad > 0),
  -- The least that a market buy may spend; zero where the broker has no least amount of its own.
  add column least_notional_wad numeric(78, 0) not null default 0;

alter table market_quotes
  -- Applied splits of the symbol by the time of the quote: in their shares are the figures of the running trade date.
  add column splits_counted integer not null default 0,
  -- When the trade date of the quote began; null for a quote from before this migration.
  add column trade_date_start timestamptz;
update market_quotes q set splits_counted = (
  select count(*) from market_corporate_actions a where a.symbol = q.symbol and a.effective_at <= q.source_time
);

-- Whether the market's shares change when the operator applies a split, as the simulated market's do. A real market's change
-- with the ex-date.
create function market_plays_splits() returns boolean language sql stable as $$
  select not exists (select from market_origin where origin like 'alpaca %')
$$;

-- How many shares one share of `after` has become by `until`, by splits that the market plays.
create function market_split_factor(of_symbol text, after timestamptz, until timestamptz)
returns numeric language plpgsql stable as $$
declare
  factor numeric := 1;
  split record;
begin
  for split in
    select ratio_from8, ratio_to8 from market_corporate_actions
    where symbol = of_symbol and effective_at > after and effective_at <= until and market_plays_splits()
  loop
    factor := factor * split.ratio_to8 / split.ratio_from8;
  end loop;
  return factor;
end
$$;
