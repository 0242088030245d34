-- Written by: keeper. When the shares of an applied split became others, and of when the price is that a quote is compared with.

alter table market_quotes
  -- Until when its reference price holds as it stands; null where it is a close of a day, or from before this migration.
  add column reference_time timestamptz;

-- A market that plays splits changes its shares when the operator applies one. A real market's change with the trade date of
-- the ex-date, which begins at 20:00 New York time of the eve, however late the operator applies the split.
create function market_shares_changed_at(action market_corporate_actions) returns timestamptz language sql stable as $$
  select case when action.effective_at is null or market_plays_splits() then action.effective_at
    else (action.ex_date - interval '4 hours') at time zone 'America/New_York' end
$$;

-- A price of shares of `after` in shares of `until`, by all applied splits in between.
create function market_price_after_splits(of_symbol text, price8 numeric, after timestamptz, until timestamptz)
returns numeric language plpgsql stable as $$
declare
  numerator numeric := 1;
  denominator numeric := 1;
  split market_corporate_actions;
begin
  for split in
    select * from market_corporate_actions a
    where symbol = of_symbol and effective_at is not null
      and market_shares_changed_at(a) > after and market_shares_changed_at(a) <= until
  loop
    numerator := numerator * split.ratio_from8;
    denominator := denominator * split.ratio_to8;
  end loop;
  return round(price8 * numerator / denominator);
end
$$;
