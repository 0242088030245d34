// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TestToken} from "./mocks/Mocks.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {NATIVE_TOKEN} from "src/perp/Constants.sol";
import {Instrument} from "src/perp/Instrument.sol";
import {Amm, Range, Status} from "src/perp/Types.sol";
import {IGate} from "src/perp/interfaces/IGate.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {ICexMarket, IMarket} from "src/perp/interfaces/IMarket.sol";

/// New instruments: one call creates one and opens its first pair, or does nothing.
contract LaunchTest is PerpFixture {
    function testLaunchRefusals() public {
        bytes memory data = abi.encode("ETH", address(usd));
        bytes32[2] memory args = Words.add(PERP, 1000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0);
        address target = _instrumentAddress("ETH", address(usd));
        vm.startPrank(maker);
        vm.expectRevert(IGate.MarketTypeNotSupported.selector);
        gate.launch("NONE", target, data, args);
        vm.expectRevert(ICexMarket.CexNoFeeder.selector);
        gate.launch("LINK", target, data, args);
        vm.stopPrank();
        _setFeeder(address(1), 3600);
        vm.prank(maker);
        vm.expectRevert(abi.encodeWithSelector(IGate.BadInstrumentAddress.selector, target, address(1)));
        gate.launch("LINK", address(1), data, args);
        vm.prank(maker);
        vm.expectRevert(IGate.InstrumentExists.selector);
        gate.launch("LINK", address(instrument), abi.encode("BTC", address(usd)), args);

        TestToken other = new TestToken("NOPE", 6);
        target = _instrumentAddress("ETH", address(other));
        _setFeeder(target, 3600);
        vm.prank(maker);
        vm.expectRevert(IMarket.QuoteNotSupported.selector);
        gate.launch("LINK", target, abi.encode("ETH", address(other)), args);
    }

    /// A beacon whose implementation cannot be initialised: the reason travels along.
    function testLaunchReportsWhyCreationFailed() public {
        address target = _instrumentAddress("ETH", address(usd));
        _setFeeder(target, 3600);
        address nonsense = address(new TestToken("X", 18));
        vm.prank(admin);
        beacon.upgradeTo(nonsense);
        bytes32[2] memory args = Words.add(PERP, 1000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0);
        bytes memory call = abi.encodeCall(gate.launch, ("LINK", target, abi.encode("ETH", address(usd)), args));
        vm.prank(maker);
        (bool ok, bytes memory reason) = address(gate).call(call);
        vm.assertFalse(ok);
        bytes memory why = abi.encodePacked(Errors.FailedCall.selector);
        vm.assertEq(reason, abi.encodeWithSelector(IGate.NewInstrumentFailed.selector, why));
        vm.assertEq(gate.getAllInstruments().length, 1);
    }

    /// One call creates the instrument and opens its perpetual: registered, named, funded by the caller, tradable.
    function testLaunchOfAPerpetual() public {
        address target = _instrumentAddress("ETH", address(usd));
        _setFeeder(target, 3600);
        bytes32 index = keccak256(abi.encode("LINK", "ETH", address(usd)));
        (uint256 reserve, uint256 wallet) = (_reserve(alice), usd.balanceOf(alice));
        vm.expectEmit(address(gate));
        emit IGate.NewInstrument(index, target, address(0), address(usd), "ETH-USDC-LINK", 2);
        vm.expectEmit(address(gate));
        emit IGate.Scatter(address(usd), alice, target, PERP, 5000e6);
        vm.prank(alice);
        (int24 tickLower, int24 tickUpper, Range memory range) = gate.launch(
            "LINK", target, abi.encode("ETH", address(usd)), Words.add(PERP, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0)
        );
        Instrument launched = Instrument(target);
        vm.assertEq(gate.indexOf(target), index);
        vm.assertEq(gate.allInstruments(1), target);
        vm.assertEq(gate.instrumentInitData().length, 0);
        vm.assertEq(reserve - _reserve(alice), 5000e6);
        vm.assertEq(usd.balanceOf(alice), wallet);
        uint32[] memory expiries = launched.getExpiries();
        vm.assertTrue(expiries.length == 1 && expiries[0] == PERP);
        Amm memory amm = launched.getAmm(PERP);
        vm.assertEq(uint256(amm.status), uint8(Status.TRADING));
        vm.assertEq(uint256(amm.sqrtPX96), range.sqrtEntryPX96);
        vm.assertEq(uint256(amm.liquidity), range.liquidity);
        vm.assertTrue(tickLower < amm.tick && amm.tick < tickUpper);
        vm.assertEq(uint256(amm.involvedFund), 5000e18);
        vm.assertEq(uint256(launched.getPortfolio(PERP, alice).ranges[0].liquidity), range.liquidity);
        vm.prank(bob);
        launched.trade(Words.trade(PERP, 0.1e18, 100e18, 443_636, 0));
        vm.assertEq(int256(launched.getPortfolio(PERP, bob).position.size), 0.1e18);
    }

    /// A launch that cannot open its pair creates nothing.
    function testLaunchIsWholeOrNothing() public {
        address target = _instrumentAddress("ETH", address(usd));
        _setFeeder(target, 3600);
        bytes memory data = abi.encode("ETH", address(usd));
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IInstrumentErrors.InitTrivial.selector, 99e18, 100e18));
        gate.launch("LINK", target, data, Words.add(PERP, 99e18, 0, 1000, ANY_LOW, ANY_HIGH, 0));
        vm.expectRevert(IInstrumentErrors.ExpiryNotAligned.selector);
        gate.launch("LINK", target, data, Words.add(PERP - 1, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0));
        vm.stopPrank();
        vm.assertEq(target.code.length, 0);
        vm.assertEq(gate.allInstrumentsLength(), 1);
        vm.assertEq(gate.indexOf(target), bytes32(0));
    }

    function testNativeQuotedInstrument() public {
        _supportQuote(address(weth));
        vm.deal(maker, 1000 ether);
        vm.startPrank(maker);
        gate.deposit{value: 500 ether}(Words.token(NATIVE_TOKEN, 500 ether));
        vm.stopPrank();
        address target = _instrumentAddress("BTC", address(weth));
        _setFeeder(target, 3600);
        vm.prank(maker);
        gate.launch(
            "LINK", target, abi.encode("BTC", address(weth)), Words.add(PERP, 400e18, 0, 1000, ANY_LOW, ANY_HIGH, 0)
        );
        vm.assertEq(gate.reserveOf(address(weth), target), 400 ether);
        vm.assertEq(gate.getAllInstruments().length, 2);
        vm.assertTrue(gate.indexOf(target) != 0);
    }
}
