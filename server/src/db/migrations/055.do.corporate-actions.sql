-- Written by: keeper. Which calendar the venue's market keeps, and what companies did to their shares.

create table market_hours (
  only_row boolean primary key default true check (only_row),
  -- always: never closed; calendar: the sessions and holidays of the US stock market.
  kept text not null check (kept in ('always', 'calendar'))
);

-- The whole content of the file of corporate actions as it was last read.
create table market_corporate_actions (
  symbol text not null references market_symbols,
  type text not null check (type in ('split', 'dividend', 'spin-off')),
  ex_date date not null,
  record_date date,
  payable_date date,
  -- Shares before and after, in hundred-millionths.
  ratio_from8 numeric(78, 0) check (ratio_from8 > 0),
  ratio_to8 numeric(78, 0) check (ratio_to8 > 0),
  -- USD a share; of a spin-off, what was distributed on a share was worth.
  cash_amount8 numeric(78, 0) check (cash_amount8 > 0),
  primary key (symbol, type, ex_date),
  check ((ratio_from8 is null) = (ratio_to8 is null)),
  check ((type = 'split') = (cash_amount8 is null)),
  check (type <> 'split' or ratio_from8 is not null),
  check (type <> 'dividend' or ratio_from8 is null)
);
