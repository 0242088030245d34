/**
 * Events of Gate, Config, instruments and markets that make no row, with the reason. What a request needs of these is read from the
 * contracts, at one block.
 */
export const UNRECORDED: Readonly<Record<string, string>> = {
  // Gate and Config: settings that operations read from the contracts
  Blacklist: 'whether an account is barred is read from Gate',
  SetPendingDuration: 'read from Gate with the balances',
  SetThreshold: 'read from Gate with the balances',
  DisableLiquidatorWhitelist: 'Config is asked who may liquidate',
  EnableLpWhitelistForQuote: 'Config is asked who may provide liquidity',
  SetLiquidatorWhitelist: 'Config is asked who may liquidate',
  SetLpWhitelistForQuote: 'Config is asked who may provide liquidity',
  SetGuardian: 'a role, which the check of a deployment reads',
  SetMarketInfo: 'an instrument names its own market',
  SetQuoteParam: 'a template for instruments to come; each logs its own parameters',
  OwnershipTransferred: 'a role, which the check of a deployment reads',
  Initialized: 'a deployment’s step',
  Upgraded: 'an implementation, which the check of a deployment reads',

  // Instruments: what other events of the same transaction tell
  Adjust: 'UpdatePosition, Scatter and Gather have its figures',
  ClaimProtocolFee: 'UpdateFeeState and Gather have its figures',
  DonateInsuranceFund: 'UpdateSocialLossInsuranceFund and Scatter have its figures',
  RecycleInsuranceFund: 'UpdateSocialLossInsuranceFund and Gather have its figures',

  // Markets
  SetFeeder: 'prices are read from the market',
  UpdateAccState: 'mark prices are read from the market',
}
