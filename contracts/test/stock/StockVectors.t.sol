// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockSettlement} from "src/stock/StockSettlement.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {OperationId} from "src/stock/libraries/OperationId.sol";
import {TestBase} from "test/TestBase.sol";

/// Selectors, topics, ids and storage slots that others rely on.
contract StockVectorsTest is TestBase {
    function test_selectors() public pure {
        _same(IStockRouter.deposit.selector, 0x3ae50b73);
        _same(IStockRouter.withdraw.selector, 0x8c8c3c9d);
        _same(IStockRouter.placeMarketOrder.selector, 0xc0c16b76);
        _same(IStockRouter.depositStock.selector, 0x27fd8b2b);
        _same(IStockRouter.withdrawStock.selector, 0x8c8bc974);
        _same(IStockRouter.placeLimitOrder.selector, 0x20c1b4d6);
        _same(IStockRouter.cancelLimitOrder.selector, 0x4584eff6);
        _same(IStockRouter.depositAndMarketBuy.selector, 0x4e4bc420);
        _same(IStockRouter.depositAndLimitBuy.selector, 0xec4a2c48);
        _same(IStockRouter.depositStockAndMarketSell.selector, 0x0e5d1a7a);
        _same(IStockRouter.depositStockAndLimitSell.selector, 0x3ed60570);
        _same(IStockRouter.stock.selector, 0xbdf3c4ae);
        _same(IStockRouter.cashier.selector, 0xed740e97);
        _same(IStock.stockBalance.selector, 0x173ed284);
        _same(IStockOracle.latestPrice.selector, 0x4eec7c2b);
    }

    /// `Stock` hands calldata on as it is, so its settlement code answers to the same selectors.
    function test_settlementSelectors() public pure {
        _same(StockSettlement.settleMarketOrders.selector, IStock.settleMarketOrders.selector);
        _same(StockSettlement.settleLimitOrders.selector, IStock.settleLimitOrders.selector);
        _same(StockSettlement.settleCancels.selector, IStock.settleCancels.selector);
        _same(StockSettlement.rejectMarketOrders.selector, IStock.rejectMarketOrders.selector);
    }

    function test_topics() public pure {
        vm.assertEq(
            IStock.MarketOrderSettled.selector, 0xf4e34ff0f4800144e485edc1a89c721fff64fc36d48d8f754a0000c3686a2c6c
        );
        vm.assertEq(
            IStockRouter.DepositAndMarketBuy.selector,
            0xdb0fd315176a5a17d8ce3b96b5230f656944a0597ec0b6d763b76e894d5efb58
        );
        vm.assertEq(
            IStockRouter.DepositStockAndMarketSell.selector,
            0x6ecd74fb5948e9a5ee050c4aa685f34fd15f287df57a54005b20372bdc4438b0
        );
    }

    function test_priceId() public pure {
        vm.assertEq(keccak256("AAPL"), 0x3a54a9a690616fbc26cfc409bf11f89d51f1d57a4ab2791fb86026cee74ed2f3);
    }

    /// placeMarketOrder of a sell: negative numbers are sign-extended to the whole word.
    function test_calldata() public pure {
        bytes memory data = abi.encodeCall(
            IStockRouter.placeMarketOrder, (0x17683e492d0C8910F7c0157D04af31Cb7A23Ad71, -1_000_000, 0x6b49d264)
        );
        vm.assertEq(
            data,
            hex"c0c16b76" hex"00000000000000000000000017683e492d0c8910f7c0157d04af31cb7a23ad71"
            hex"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0bdc0"
            hex"000000000000000000000000000000000000000000000000000000006b49d264"
        );
    }

    /// The known calldata of a buy and of a sell that bring their deposit.
    function test_calldata_withDeposit() public pure {
        address token = 0x17683e492d0C8910F7c0157D04af31Cb7A23Ad71;
        address cash = 0x754704Bc059F8C67012fEd69BC8A327a5aafb603;
        vm.assertEq(
            abi.encodeCall(IStockRouter.depositAndMarketBuy, (cash, 1_000_000, token, 1_000_000, 0x6b49d264)),
            hex"4e4bc420" hex"000000000000000000000000754704bc059f8c67012fed69bc8a327a5aafb603"
            hex"00000000000000000000000000000000000000000000000000000000000f4240"
            hex"00000000000000000000000017683e492d0c8910f7c0157d04af31cb7a23ad71"
            hex"00000000000000000000000000000000000000000000000000000000000f4240"
            hex"000000000000000000000000000000000000000000000000000000006b49d264"
        );
        vm.assertEq(
            abi.encodeCall(IStockRouter.depositStockAndMarketSell, (token, 1_000_000, -1_000_000, 0x6b49d264)),
            hex"0e5d1a7a" hex"00000000000000000000000017683e492d0c8910f7c0157d04af31cb7a23ad71"
            hex"00000000000000000000000000000000000000000000000000000000000f4240"
            hex"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0bdc0"
            hex"000000000000000000000000000000000000000000000000000000006b49d264"
        );
    }

    /// Statuses and reasons keep their numbers; new ones come behind.
    function test_enumNumbers() public pure {
        vm.assertEq(uint256(IStock.OrderStatus.TakenBack), 5);
        vm.assertEq(uint256(IStock.OrderStatus.Canceled), 6);
        vm.assertEq(uint256(IStock.OrderStatus.Expired), 7);
        vm.assertEq(uint256(IStock.SkipReason.ExceedsOrder), 5);
        vm.assertEq(uint256(IStock.SkipReason.WrongKind), 6);
        vm.assertEq(uint256(IStock.SkipReason.CancelNotRequested), 7);
        vm.assertEq(uint256(IStock.EndCause.Expired), 2);
    }

    function test_storageSlots() public pure {
        _slot("bourse.storage.Compliance", 0x8cb579f92d6f1daeedb720495727e3823f9d8cc393759f3e83fcb60124eed700);
        _slot("bourse.storage.StockOracle", 0x8f71548616ed34d85a2364f33721cb2fd17c958ac8f7305c60018337701e6d00);
        _slot("bourse.storage.StockTokenFactory", 0x7ef1bbc8ee158d0ceff2b9a730660b3c0267f94fc77a0988c3588c49a3e62a00);
        _slot("bourse.storage.StockToken", 0x2ad83219c3bb9b0e255e9ebcddac898e38e5d8dc970387ed3a0d4d165d5b8500);
        _slot("bourse.storage.StockRouter", 0x15f883f919d28c07d299c39b13dd0ecbf26f73821d4ddfb2c7c44094eaa97d00);
        _slot("bourse.storage.Cashier", 0xa6f9a2cfc53f876b6cd1c040f7aa088eb2726eb4d5d2b82c7ea5698f68dbbe00);
        _slot("bourse.storage.Stock", 0x6d4e03fa7ab8406cfd9a66e0e661d028534b3699bc3c85227908748abbb73800);
    }

    /// Same counter: other user, other contract or other chain makes another id, and each names its user.
    function testFuzz_ids(address userA, address userB, uint256 counter, uint64 otherChain) public {
        vm.assume(userA != userB && otherChain != 0 && otherChain != block.chainid);
        bytes32 idA = OperationId.derive(userA, counter);
        vm.assertEq(OperationId.userOf(idA), userA);
        vm.assertTrue(idA != OperationId.derive(userB, counter));
        unchecked {
            vm.assertTrue(idA != OperationId.derive(userA, counter + 1));
        }
        vm.assertTrue(idA != this.derive(address(1), userA, counter));
        vm.chainId(otherChain);
        vm.assertTrue(idA != OperationId.derive(userA, counter));
    }

    /// The id as another contract would derive it.
    function derive(address source, address user, uint256 counter) external view returns (bytes32) {
        bytes32 hash = keccak256(abi.encode(block.chainid, source, user, counter));
        return bytes32((uint256(uint160(user)) << 96) | uint96(uint256(hash)));
    }

    function _same(bytes4 selector, bytes4 expected) private pure {
        vm.assertEq(bytes32(selector), bytes32(expected));
    }

    function _slot(string memory id, bytes32 expected) private pure {
        bytes32 slot = keccak256(abi.encode(uint256(keccak256(bytes(id))) - 1)) & ~bytes32(uint256(0xff));
        vm.assertEq(slot, expected);
    }
}
