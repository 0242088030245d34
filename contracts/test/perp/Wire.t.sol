// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IConfig} from "src/perp/interfaces/IConfig.sol";
import {IGate} from "src/perp/interfaces/IGate.sol";
import {IInitializeOnce} from "src/perp/interfaces/IInitializeOnce.sol";
import {IInstrument, IInstrumentEvents} from "src/perp/interfaces/IInstrument.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {IInstrumentRisk, IInstrumentRiskErrors, IInstrumentRiskEvents} from "src/perp/interfaces/IInstrumentRisk.sol";
import {ICexMarket, IMarket} from "src/perp/interfaces/IMarket.sol";
import {IObserver} from "src/perp/interfaces/IObserver.sol";
import {IRelayRouter} from "src/perp/interfaces/IRelayRouter.sol";
import {TestBase} from "test/TestBase.sol";

/// Selectors and event topics (first four bytes) as perp-protocol 1.3 to 1.7 lists them: the wire of this protocol.
contract WireTest is TestBase {
    function _same(bytes4 actual, bytes4 listed) private pure {
        vm.assertEq(bytes32(actual), bytes32(listed));
    }

    function _sameTopic(bytes32 topic, bytes4 listed) private pure {
        vm.assertEq(bytes32(bytes4(topic)), bytes32(listed));
    }

    function testGateFunctions() public pure {
        _same(IGate.allInstruments.selector, 0xda54d357);
        _same(IGate.allInstrumentsLength.selector, 0x56fcd8d4);
        _same(IGate.config.selector, 0x79502c55);
        _same(IGate.deposit.selector, 0xb214faa5);
        _same(IGate.depositFor.selector, 0xb9e47f3e);
        _same(IGate.fundFlowOf.selector, 0x54a62526);
        _same(IGate.gather.selector, 0x5c85ddf7);
        _same(IGate.getAllInstruments.selector, 0x02f53219);
        _same(IGate.handler.selector, 0xc80916d4);
        _same(IGate.indexOf.selector, 0xfd6aad25);
        _same(IGate.initialize.selector, 0x8129fc1c);
        _same(IGate.instrumentInitData.selector, 0x4fe128d3);
        _same(IGate.isBlacklisted.selector, 0xfe575a87);
        _same(IGate.launch.selector, 0xb7602e14);
        _same(IGate.pendingDuration.selector, 0x56b6861c);
        _same(IGate.pendingOf.selector, 0x1606db19);
        _same(IGate.release.selector, 0x48b75044);
        _same(IGate.reserveOf.selector, 0x25daa7df);
        _same(IGate.scatter.selector, 0x1716edf1);
        _same(IGate.setBlacklist.selector, 0x153b0d1e);
        _same(IGate.setPendingDuration.selector, 0xccbebbd3);
        _same(IGate.setThreshold.selector, 0x9d879990);
        _same(IGate.thresholdOf.selector, 0xdc6472cb);
        _same(IGate.weth.selector, 0x3fc8cef3);
        _same(IGate.withdraw.selector, 0x8e19899e);
        _same(IGate.withdrawFor.selector, 0x74610d52);
    }

    function testGateEvents() public pure {
        _sameTopic(IGate.Blacklist.selector, 0xf7e58a63);
        _sameTopic(IGate.Deposit.selector, 0x5548c837);
        _sameTopic(IGate.Gather.selector, 0x11caba4d);
        _sameTopic(IInitializeOnce.Initialized.selector, 0x7f26b83f);
        _sameTopic(IGate.NewInstrument.selector, 0x2f642d47);
        _sameTopic(IGate.Scatter.selector, 0x023916d4);
        _sameTopic(IGate.SetPendingDuration.selector, 0xf519d67d);
        _sameTopic(IGate.SetThreshold.selector, 0x10b5ed4b);
        _sameTopic(IGate.UpdatePending.selector, 0xa55e16a6);
        _sameTopic(IGate.Withdraw.selector, 0x9b1bfa7f);
    }

    function testGateErrors() public pure {
        _same(IGate.BadInstrumentAddress.selector, 0x41fe4d5e);
        _same(IGate.BlacklistedTrader.selector, 0x73b8c8f8);
        _same(IGate.InstrumentExists.selector, 0x6821dafa);
        _same(IGate.InsufficientReserve.selector, 0x315276c9);
        _same(IGate.InvalidMsgValue.selector, 0x1841b4e1);
        _same(IGate.MarketTypeNotSupported.selector, 0xb682fad0);
        _same(IGate.NewInstrumentFailed.selector, 0x192a9ed6);
        _same(IGate.NoDirectDeposit.selector, 0x34b89bf8);
        _same(IGate.NotHandler.selector, 0x8d215782);
        _same(IGate.NotInstrument.selector, 0x05380611);
        _same(IGate.NotSynFuturesV3Admin.selector, 0x6835fe90);
        _same(IGate.PendingDurationTooLong.selector, 0x02350454);
        _same(IGate.PendingWithdrawNotMature.selector, 0xe4a53d04);
        _same(IGate.UnsafeToken.selector, 0x004b6a0b);
    }

    function testConfigFunctions() public pure {
        _same(IConfig.disableLiquidatorWhitelist.selector, 0xced33cd5);
        _same(IConfig.enableLpWhitelistForQuote.selector, 0x3525ab82);
        _same(IConfig.getAllMarkets.selector, 0xb0772d0b);
        _same(IConfig.getMarketInfo.selector, 0x978c75e2);
        _same(IConfig.getQuoteParam.selector, 0xc58fa4f8);
        _same(IConfig.initialize.selector, 0xc4d66de8);
        _same(IConfig.isAuthorizedLiquidator.selector, 0x3f30f59e);
        _same(IConfig.isAuthorizedLp.selector, 0x40d3fe5c);
        _same(IConfig.liquidatorWhitelist.selector, 0xc24ec88e);
        _same(IConfig.lpWhitelist.selector, 0xc9aacea2);
        _same(IConfig.markets.selector, 0xb1283e77);
        _same(IConfig.marketsLength.selector, 0xa5402544);
        _same(IConfig.openLiquidator.selector, 0xba3a89cb);
        _same(IConfig.owner.selector, 0x8da5cb5b);
        _same(IConfig.renounceOwnership.selector, 0x715018a6);
        _same(IConfig.restrictLp.selector, 0x3fbede6d);
        _same(IConfig.setLiquidatorWhitelist.selector, 0x27d77acf);
        _same(IConfig.setLpWhiteList.selector, 0x11e1c19d);
        _same(IConfig.setMarketInfo.selector, 0x1a3e7df1);
        _same(IConfig.setQuoteParam.selector, 0x4f3ce1bc);
        _same(IConfig.transferOwnership.selector, 0xf2fde38b);
    }

    function testConfigEvents() public pure {
        _sameTopic(IConfig.DisableLiquidatorWhitelist.selector, 0x7e5a4ccf);
        _sameTopic(IConfig.EnableLpWhitelistForQuote.selector, 0x27ac5fd2);
        _sameTopic(IInitializeOnce.Initialized.selector, 0x7f26b83f);
        _sameTopic(IConfig.OwnershipTransferred.selector, 0x8be0079c);
        _sameTopic(IConfig.SetLiquidatorWhitelist.selector, 0xad3592e9);
        _sameTopic(IConfig.SetLpWhitelistForQuote.selector, 0x88b093aa);
        _sameTopic(IConfig.SetMarketInfo.selector, 0xcbd0032e);
        _sameTopic(IConfig.SetQuoteParam.selector, 0xf62db018);
    }

    function testConfigErrors() public pure {
        _same(IConfig.BadMinMarginAmount.selector, 0x588ff228);
        _same(IConfig.BadProtocolFeeRatio.selector, 0xe6d44b2b);
        _same(IConfig.BadTip.selector, 0x1a124773);
        _same(IConfig.BadTradingFeeRatio.selector, 0xd802a124);
        _same(IConfig.LengthMismatch.selector, 0xff633a38);
        _same(IConfig.LiquidatorWhitelistAlreadyDisabled.selector, 0x5e4b76de);
        _same(IConfig.LpWhitelistAlreadyDisabled.selector, 0xc232a934);
        _same(IConfig.ResetMarketInfo.selector, 0x8aed5d18);
        _same(IConfig.SetMarketZeroAddress.selector, 0x88104f70);
    }

    function testInstrumentFunctions() public pure {
        _same(IInstrument.add.selector, 0x7dc485ea);
        _same(IInstrument.addFor.selector, 0x4a807669);
        _same(IInstrument.batchPlace.selector, 0xf17fb644);
        _same(IInstrument.batchPlaceFor.selector, 0x0c13a7b4);
        _same(IInstrument.cancel.selector, 0xc4d252f5);
        _same(IInstrument.cancelFor.selector, 0x8f5eb0d4);
        _same(IInstrument.condition.selector, 0xc5031331);
        _same(IInstrument.fill.selector, 0x948bc482);
        _same(IInstrument.freeze.selector, 0x62a5af3b);
        _same(IInstrument.getExpiries.selector, 0xfca7cd88);
        _same(IInstrument.handler.selector, 0xc80916d4);
        _same(IInstrument.init.selector, 0xa7eae3e7);
        _same(IInstrument.initialize.selector, 0x439fab91);
        _same(IInstrument.inquire.selector, 0x667f005d);
        _same(IInstrument.multicall.selector, 0xac9650d8);
        _same(IInstrument.normalize.selector, 0xd5e24ff1);
        _same(IInstrument.place.selector, 0xe9544d84);
        _same(IInstrument.placeFor.selector, 0xb9a39063);
        _same(IInstrument.remove.selector, 0x7232817f);
        _same(IInstrument.removeFor.selector, 0x2ad3abaa);
        _same(IInstrument.setDisableOrderRebate.selector, 0x5c4d4de2);
        _same(IInstrument.setFundingHour.selector, 0x2373b4cd);
        _same(IInstrument.setLeverage.selector, 0x5d0ba604);
        _same(IInstrument.setPlacePaused.selector, 0xc9f5088a);
        _same(IInstrument.setQuoteParam.selector, 0xf0dd3072);
        _same(IInstrument.trade.selector, 0x50347fcb);
        _same(IInstrument.tradeFor.selector, 0xdae97fc1);
        _same(IInstrument.update.selector, 0xc580032f);
        _same(IInstrumentRisk.claimProtocolFee.selector, 0x610a7688);
        _same(IInstrumentRisk.donateInsuranceFund.selector, 0x750bad55);
        _same(IInstrumentRisk.liquidate.selector, 0x6ef9d8ed);
        _same(IInstrumentRisk.recycleInsuranceFund.selector, 0x4604fad9);
        _same(IInstrumentRisk.resolve.selector, 0x24873d18);
        _same(IInstrumentRisk.settle.selector, 0x0a58696d);
        _same(IInstrumentRisk.sweep.selector, 0x606b0096);
    }

    function testInstrumentEvents() public pure {
        _sameTopic(IInstrumentEvents.Add.selector, 0xee067552);
        _sameTopic(IInstrumentEvents.Adjust.selector, 0x8147aa40);
        _sameTopic(IInstrumentEvents.Cancel.selector, 0x7be27512);
        _sameTopic(IInstrumentEvents.Fill.selector, 0x6cb1fc58);
        _sameTopic(IInstrumentEvents.FundingFee.selector, 0x46aadd65);
        _sameTopic(IInstrumentEvents.Place.selector, 0x9c9b76e0);
        _sameTopic(IInstrumentEvents.Remove.selector, 0xa7dce0c5);
        _sameTopic(IInstrumentEvents.Trade.selector, 0x4858d822);
        _sameTopic(IInstrumentEvents.UpdateAmmStatus.selector, 0x3b9390dc);
        _sameTopic(IInstrumentEvents.UpdateCondition.selector, 0xde6365ff);
        _sameTopic(IInstrumentEvents.UpdateFeeState.selector, 0x34a5fe9e);
        _sameTopic(IInstrumentEvents.UpdateFundingHour.selector, 0x4641e095);
        _sameTopic(IInstrumentEvents.UpdateFundingIndex.selector, 0x6287d4e6);
        _sameTopic(IInstrumentEvents.UpdateMarginRatio.selector, 0x93c01630);
        _sameTopic(IInstrumentEvents.UpdateParam.selector, 0xaef1289d);
        _sameTopic(IInstrumentEvents.UpdatePosition.selector, 0x28091792);
        _sameTopic(IInstrumentEvents.UpdateSocialLossInsuranceFund.selector, 0xca1bef5f);
        _sameTopic(IInstrumentRiskEvents.ClaimProtocolFee.selector, 0xe6f33fab);
        _sameTopic(IInstrumentRiskEvents.DeleteContext.selector, 0x0974aed6);
        _sameTopic(IInstrumentRiskEvents.DonateInsuranceFund.selector, 0x7ab945b5);
        _sameTopic(IInstrumentRiskEvents.Liquidate.selector, 0x97968654);
        _sameTopic(IInstrumentRiskEvents.RecycleInsuranceFund.selector, 0x3e7ae15c);
        _sameTopic(IInstrumentRiskEvents.Settle.selector, 0x6621171b);
        _sameTopic(IInstrumentRiskEvents.Sweep.selector, 0x97b4151c);
    }

    function testInstrumentErrors() public pure {
        _same(IInstrumentErrors.AddInvalidTickDelta.selector, 0x8c1ba2a6);
        _same(IInstrumentErrors.AddLiquidityExceedMax.selector, 0x5554e0f9);
        _same(IInstrumentErrors.AddOverflow.selector, 0xa7f965e3);
        _same(IInstrumentErrors.AddSlippage.selector, 0x06aa7a8d);
        _same(IInstrumentErrors.AddTraderIneligible.selector, 0xe7e7a8bd);
        _same(IInstrumentErrors.AddTrivial.selector, 0x3aad1892);
        _same(IInstrumentErrors.AlreadyInitialized.selector, 0x0dc149f0);
        _same(IInstrumentErrors.BadAmmStatus.selector, 0x2a6fa5a1);
        _same(IInstrumentErrors.BadAmmTiming.selector, 0x99aeb8d9);
        _same(IInstrumentErrors.BadInitialMarginRatio.selector, 0x197bd76c);
        _same(IInstrumentErrors.BadInstrumentCondition.selector, 0xf2bc1746);
        _same(IInstrumentErrors.BadMaintenanceMarginRatio.selector, 0xdf57d283);
        _same(IInstrumentErrors.BadMinMarginAmount.selector, 0x588ff228);
        _same(IInstrumentErrors.BadProtocolFeeRatio.selector, 0xe6d44b2b);
        _same(IInstrumentErrors.BadTip.selector, 0x1a124773);
        _same(IInstrumentErrors.BadTradingFeeRatio.selector, 0xd802a124);
        _same(IInstrumentErrors.CrazyDeviation.selector, 0x7ad08e02);
        _same(IInstrumentErrors.CrazySpot.selector, 0xef71094e);
        _same(IInstrumentErrors.DivByZero.selector, 0x2eb48d5e);
        _same(IInstrumentErrors.ExpiryBelowSettlingDuration.selector, 0x8b9997d2);
        _same(IInstrumentErrors.ExpiryExceedMaxExpiryPeriod.selector, 0x338d83c1);
        _same(IInstrumentErrors.ExpiryNotAligned.selector, 0x9f55e3e0);
        _same(IInstrumentErrors.FairDeviation.selector, 0xe732e534);
        _same(IInstrumentErrors.ForbidNegativeAdjust.selector, 0xc5fd3b29);
        _same(IInstrumentErrors.InitTrivial.selector, 0xc57c838b);
        _same(IInstrumentErrors.InvariantBroken.selector, 0xb2151907);
        _same(IInstrumentErrors.Locked.selector, 0x0f2e5b6c);
        _same(IInstrumentErrors.NotGate.selector, 0x1bddbd18);
        _same(IInstrumentErrors.NotHandler.selector, 0x8d215782);
        _same(IInstrumentErrors.NotSynFuturesV3Admin.selector, 0x6835fe90);
        _same(IInstrumentErrors.NotTradeable.selector, 0xcbd40141);
        _same(IInstrumentErrors.OrderFull.selector, 0x39dc7706);
        _same(IInstrumentErrors.OrderImrUnsafe.selector, 0xa57778d8);
        _same(IInstrumentErrors.OrderNotExist.selector, 0x69a07471);
        _same(IInstrumentErrors.OrderNotFullyTaken.selector, 0x9421a01d);
        _same(IInstrumentErrors.OrderOccupied.selector, 0xa69183fc);
        _same(IInstrumentErrors.OrderTickUnaligned.selector, 0xa2c76057);
        _same(IInstrumentErrors.OrderTooFar.selector, 0x0b8bcd2a);
        _same(IInstrumentErrors.OrderTrivial.selector, 0x031a73e3);
        _same(IInstrumentErrors.OrderWrongSide.selector, 0xaa14c17f);
        _same(IInstrumentErrors.PlacePaused.selector, 0x40a1ae96);
        _same(IInstrumentErrors.PositionBankrupt.selector, 0x2955742d);
        _same(IInstrumentErrors.PositionNotExist.selector, 0x507e5ff8);
        _same(IInstrumentErrors.RangeFull.selector, 0x4ad4a815);
        _same(IInstrumentErrors.RangeNotExist.selector, 0x0b0d3fff);
        _same(IInstrumentErrors.RangeOccupied.selector, 0x99f3c9b0);
        _same(IInstrumentErrors.RemoveActiveRange.selector, 0x6b02974e);
        _same(IInstrumentErrors.RemoveSlippage.selector, 0x4b117614);
        _same(IInstrumentErrors.ReuseNonEmptyRecord.selector, 0xcb743332);
        _same(IInstrumentErrors.SqrtPX96OutOfBound.selector, 0xda1705e4);
        _same(IInstrumentErrors.TickOutOfBound.selector, 0x5ba13ea6);
        _same(IInstrumentErrors.Timeout.selector, 0x2af0c7f8);
        _same(IInstrumentErrors.TradeImrUnsafe.selector, 0xde4607ee);
        _same(IInstrumentErrors.TradeMmrUnsafe.selector, 0x2f61ef0b);
        _same(IInstrumentErrors.TradeOutOfLiquidity.selector, 0x0d209bc9);
        _same(IInstrumentErrors.TradeSlippage.selector, 0x3e5cfd77);
        _same(IInstrumentErrors.TradeTrivial.selector, 0x0345c1b6);
        _same(IInstrumentRiskErrors.BadTargetSize.selector, 0x6f929c01);
        _same(IInstrumentRiskErrors.LiquidatePostImrUnsafe.selector, 0xf1bdf29f);
        _same(IInstrumentRiskErrors.LiquidatorIneligible.selector, 0x6b8761e7);
        _same(IInstrumentRiskErrors.NoCounterparty.selector, 0x53741f89);
        _same(IInstrumentRiskErrors.PairNotCleared.selector, 0x1ff4643d);
        _same(IInstrumentRiskErrors.SelfLiquidation.selector, 0x44511af1);
        _same(IInstrumentRiskErrors.TargetSafe.selector, 0xb7d32c32);
    }

    function testRouterFunctions() public pure {
        _same(IRelayRouter.DOMAIN_TYPEHASH.selector, 0x20606b70);
        _same(IRelayRouter.SUBACCOUNT_MANAGEMENT_TYPEHASH.selector, 0xb5bad6bf);
        _same(IRelayRouter.batch.selector, 0x9f6af630);
        _same(IRelayRouter.batchMulticall.selector, 0xdff402f1);
        _same(IRelayRouter.executeSubAccountManagement.selector, 0x051b7891);
        _same(IRelayRouter.getDomainSeparator.selector, 0xed24911d);
        _same(IRelayRouter.getNonce.selector, 0x2d0335ab);
        _same(IRelayRouter.getSubAccount.selector, 0x3f24b714);
        _same(IRelayRouter.initialize.selector, 0xc4d66de8);
        _same(IRelayRouter.nonces.selector, 0x7ecebe00);
        _same(IRelayRouter.removeSubAccount.selector, 0xfd280c2a);
        _same(IRelayRouter.setSubAccount.selector, 0x0a01a691);
        _same(IRelayRouter.userToSubAccount.selector, 0xd659c223);
        _same(IRelayRouter.ExpiredSignature.selector, 0xdf4cc36d);
        _same(IRelayRouter.InvalidAction.selector, 0x4a7f394f);
        _same(IRelayRouter.InvalidCaller.selector, 0x48f5c3ed);
        _same(IRelayRouter.InvalidSignature.selector, 0x8baa579f);
        _same(IRelayRouter.InvalidSubAccount.selector, 0xbd458c79);
        _same(IRelayRouter.NotSubAccountOwner.selector, 0x8a3daf12);
        _same(IRelayRouter.SubAccountAlreadyExists.selector, 0x1e6b6457);
        _sameTopic(IRelayRouter.BatchExecuted.selector, 0x6ce98425);
        _sameTopic(IRelayRouter.BatchMulticallExecuted.selector, 0xe25b5e62);
        _sameTopic(IRelayRouter.SubAccountManagementExecuted.selector, 0x57a92924);
        _sameTopic(IRelayRouter.SubAccountRemoved.selector, 0xf5558e1d);
        _sameTopic(IRelayRouter.SubAccountSet.selector, 0xd22599bf);
    }

    function testObserverFunctions() public pure {
        _same(IObserver.fetchOnChainContext.selector, 0x920071c1);
        _same(IObserver.getAllInstrumentList.selector, 0x966fae11);
        _same(IObserver.getBaseSizeByQuote.selector, 0xcfad407c);
        _same(IObserver.getBaseSizeByTick.selector, 0xa851f893);
        _same(IObserver.getInstrument.selector, 0x1731f106);
        _same(IObserver.getPearls.selector, 0x112768d7);
        _same(IObserver.getPortfolio.selector, 0x5a1f9060);
        _same(IObserver.getPriceData.selector, 0x3b678913);
        _same(IObserver.getQuoteStates.selector, 0x7ef4d5a0);
        _same(IObserver.getRecords.selector, 0xbeb0cee2);
        _same(IObserver.getTickBitmaps.selector, 0x8822627f);
        _same(IObserver.inquireByBase.selector, 0xa4eccda3);
        _same(IObserver.inquireByQuote.selector, 0x0491acd6);
        _same(IObserver.inquireByTick.selector, 0xf4f969ab);
        _same(IObserver.inspectMaxReserveDexV2Pair.selector, 0x559b6b20);
        _same(IObserver.liquidityDetails.selector, 0x93fb3932);
    }

    function testMarketFunctions() public pure {
        _same(IMarket.clearStates.selector, 0xf559c041);
        _same(IMarket.config.selector, 0x79502c55);
        _same(ICexMarket.feeders.selector, 0x0aa31661);
        _same(IMarket.gate.selector, 0x7a0ebc88);
        _same(ICexMarket.getAccState.selector, 0x5e3af02e);
        _same(IMarket.getAllInstruments.selector, 0x02f53219);
        _same(IMarket.getBenchmarkPrice.selector, 0xf68ca9b9);
        _same(IMarket.getMarkPrice.selector, 0xfc143c2c);
        _same(IMarket.getMarketType.selector, 0x33e7a1d0);
        _same(IMarket.getSpotPrice.selector, 0x5cd9e019);
        _same(IMarket.instruments.selector, 0x22bbad0b);
        _same(IMarket.instrumentsLength.selector, 0x06d58f67);
        _same(IMarket.markPrice.selector, 0x58ac9fb2);
        _same(IMarket.prepareInstrument.selector, 0x112b9779);
        _same(ICexMarket.setFeeder.selector, 0x04ad2598);
    }

    function testMarketEvents() public pure {
        _sameTopic(ICexMarket.SetFeeder.selector, 0x03d84a40);
        _sameTopic(ICexMarket.UpdateAccState.selector, 0x493dc6f1);
    }

    function testMarketErrors() public pure {
        _same(ICexMarket.CexNoFeeder.selector, 0x49a6a20e);
        _same(IMarket.DecimalsExceed.selector, 0x7d9f9786);
        _same(IMarket.GetErc20DecimalsFailed.selector, 0x7a035e68);
        _same(IMarket.GetErc20SymbolFailed.selector, 0xa6c6589b);
        _same(ICexMarket.InvalidCexPrice.selector, 0x81859ffc);
        _same(IMarket.LengthMismatch.selector, 0xff633a38);
        _same(IMarket.NotGate.selector, 0x1bddbd18);
        _same(IMarket.NotSynFuturesV3Admin.selector, 0x6835fe90);
        _same(IMarket.QuoteNotSupported.selector, 0x4a6c6839);
        _same(IMarket.WrongStatusToFetchMarkPrice.selector, 0xc9f33224);
    }
}
